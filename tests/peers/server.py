"""server.py [--http PORT] - by the official Python SDK: both eras"""
import sys
from typing import Annotated, Literal

from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import CallToolResult, Completion, TextContent
from pydantic import BaseModel, Field

server = MCPServer("peer", version="1.0.0", log_level="ERROR")


class Who(BaseModel):
    name: str = Field(description="yours")


async def who_are_you(ctx: Context) -> Elicit[Who]:
    return Elicit("Who are you?", Who)


@server.tool(description="Adds.", structured_output=False)
def add(a: float, b: float) -> str:
    return f"{a + b:g}"


@server.tool(description="Picks.", structured_output=False)
def pick(unit: Literal["celsius", "fahrenheit"] = "celsius", tags: list[str] | None = None) -> str:
    return f"{unit} {tags}"


@server.tool(description="Fails.")
def fail() -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text="boom")], is_error=True)


@server.tool(description="Asks.", structured_output=False)
async def ask(who: Annotated[Who, Resolve(who_are_you)]) -> str:
    return f"Hello {who.name}"


@server.resource("res://hello", mime_type="text/plain")
def hello() -> str:
    return "hello"


@server.resource("res://item/{id}")
def item(id: str) -> str:
    return id


@server.prompt(description="Greets.")
def greet(who: str) -> str:
    return f"Greet {who}."


@server.completion()
async def complete(ref, argument, context):
    return Completion(values=[n for n in ("Ada", "Alan") if n.startswith(argument.value)])


if sys.argv[1:2] == ["--http"]:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
else:
    server.run()
