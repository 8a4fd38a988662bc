#!/usr/bin/env python3
"""lint.py mcp.h - what STYLE promises about the header and a compiler does not check.

Prints every violation as FILE:LINE: WHAT, then the lengths of the functions; exits 1 if any.
"""
import re
import sys

PATH = sys.argv[1] if len(sys.argv) > 1 else "mcp.h"
TEXT = open(PATH, encoding="utf-8").read()
LINES = TEXT.split("\n")
problems = []


def problem(offset, what):
    problems.append((TEXT.count("\n", 0, offset) + 1, what))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def strings(match):
    return match.group()[0] + " " * (len(match.group()) - 2) + match.group()[-1]


# The same text with comments, or comments and strings, replaced by spaces: offsets stay.
TOKEN = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
NO_COMMENTS = re.sub(TOKEN, lambda m: m.group() if m.group()[0] in "\"'" else blank(m), TEXT,
                     flags=re.S)
CODE = re.sub(TOKEN, lambda m: strings(m) if m.group()[0] in "\"'" else blank(m), TEXT, flags=re.S)
START = CODE.find("#define MCP__IMPLEMENTED")
BANNERS = [(m.start(), m.group(1)) for m in re.finditer(r"^/\* -+ >>(\w+) -*$", TEXT, re.M)]


def section(offset):
    name = ""
    for at, tag in BANNERS:
        if at <= offset:
            name = tag
    return name


def functions():
    """(offset, name, is_definition, end) of what stands in the first column and has a (list)."""
    for m in re.finditer(r"^(?![#{}/\s])[^;{}=#]*?\b(\w+)\(([^;{}]*)\)\s*([;{])", CODE, re.M):
        if "typedef" in m.group() or m.group(1) in ("defined", "__attribute__"):
            continue
        end = m.end()
        if m.group(3) == "{":
            end = CODE.find("\n}", m.start()) + 2
            line_end = CODE.find("\n", m.end())
            if CODE.find("}", m.end(), line_end) >= 0 and CODE.count("{", m.start(), line_end) == \
                    CODE.count("}", m.start(), line_end):
                end = line_end
        yield m.start(), m.group(1), m.group(3) == "{", end


ALL = list(functions())
PUBLIC = {m.group(1) for m in re.finditer(r"^MCP_API\b[^;]*?\b(mcp_\w+)\(", CODE[:START], re.M)}

# ---- layers: bottom up, so nothing is declared before it is defined ----
for at, name, defined, _ in ALL:
    if at > START and not defined and name.startswith("mcp_"): # the system's may be declared
        problem(at, f"forward declaration of {name}")
    if at > START and defined and not re.match(r"mcp__?[a-z]", name):
        problem(at, f"{name} has no mcp_ or mcp__ prefix")
    if at > START and name.startswith("mcp__") and not re.match(
            r"(static|MCP__\w+)\b", CODE[at:at + 40]):
        problem(at, f"{name} is not private")
for m in re.finditer(r"\b(mcp_[a-z]\w*)\(", CODE[START:]):
    at = START + m.start()
    line_start = CODE.rfind("\n", 0, at) + 1
    if m.group(1) in PUBLIC and section(at) != "public" and CODE[line_start] in " \t":
        problem(at, f"{section(at)} calls the public {m.group(1)}")
for m in re.finditer(r"^#define (\w+)", CODE, re.M):
    if not re.match(r"MCP__?[A-Z]", m.group(1)) and m.group(1) not in (
            "_POSIX_C_SOURCE", "_DEFAULT_SOURCE", "_DARWIN_C_SOURCE", "_CRT_SECURE_NO_WARNINGS",
            "WIN32_LEAN_AND_MEAN", "NOMINMAX"):
        problem(m.start(), f"the macro {m.group(1)} has no MCP_ prefix")

# ---- nothing is dead: MCP__PRIVATE keeps compilers quiet, for what an option leaves unused ----
names = re.findall(r"\bmcp__\w+", CODE)
mentions = {name: names.count(name) for name in {n for _, n, defined, _ in ALL if defined}}
for at, name, defined, _ in ALL:
    twins = sum(n == name and d for _, n, d, _ in ALL)
    if defined and name.startswith("mcp__") and mentions[name] == twins:
        problem(at, f"nobody calls {name}")

# ---- versions are compared in their table, nowhere else ----
for m in re.finditer(r'"20\d\d-\d\d-\d\d"', NO_COMMENTS[START:]):
    if section(START + m.start()) != "versions":
        problem(START + m.start(), f"{m.group()} outside >>versions")

# ---- contracts: every public name has a comment of its own, or stands under one ----
covered = False
for number, line in enumerate(LINES[:TEXT.count("\n", 0, START)], 1):
    if not line.strip(): # a heading over a group may have an empty line behind it
        covered = bool(re.match(r"(/\*|   \S).*\*/$", LINES[number - 2]))
    if "/*" in line:
        covered = True
    elif re.match(r"(MCP_API|typedef)\b", line) and not covered and "MCP_API extern" not in line:
        # a declaration's comment may also begin on the line where it ends
        following = "\n".join(LINES[number - 1:number + 3]).split(";")[0:2]
        if "/*" not in ";".join(following):
            problems.append((number, "no contract: " + line.strip()[:60]))

# ---- the table of contents tells the truth ----
tags = [tag for _, tag in BANNERS]
named = set(re.findall(r">>(\w+)", TEXT[:TEXT.find("*/")]))
for tag in tags:
    if tags.count(tag) > 1:
        problems.append((1, f">>{tag} stands twice"))
    if tag not in named:
        problems.append((1, f">>{tag} is not in the table of contents"))
for number, line in enumerate(LINES, 1):
    if len(line) > 100:
        problems.append((number, f"{len(line)} columns"))
    if line.rstrip() != line or "\t" in line:
        problems.append((number, "a tab, or space at the end"))

# ---- lengths ----
lengths = sorted((TEXT.count("\n", at, end) + 1, name) for at, name, defined, end in ALL
                 if defined and at > START)
sizes = [n for n, _ in lengths]
if sizes:
    over = [(n, name) for n, name in lengths if n > 100]
    print(f"functions: {len(sizes)}, median {sizes[len(sizes) // 2]} lines (style: 12), "
          f"90th percentile {sizes[len(sizes) * 9 // 10]} (40), longest {lengths[-1][0]} "
          f"({lengths[-1][1]}), over 40: {sum(n > 40 for n in sizes)}")
    if len(over) > 1 or any(not name.startswith("mcp__json") for _, name in over):
        problems.append((1, f"over 100 lines: {over}; one tokenizer may be"))

for number, what in sorted(set(problems)):
    print(f"{PATH}:{number}: {what}")
print(f"structure: {len(set(problems))} problems")
sys.exit(bool(problems) or not sizes)
