#!/usr/bin/env python3
"""golden.py GOLDEN ROUTES LABELS - what routes list, against listings that were observed and documented

GOLDEN has p2m.out (names, titles, descriptions, schemas and calls of a program in another language)
and documented-schemas.json (the same as documented, in Chinese). Equal as JSON, with what is decided
to differ: our arguments take no others (additionalProperties), an empty "required" is left out, arrays
say what they hold, true is not TRUE, and numbers that are given as numbers come back as such.
"""
import json, re, subprocess, sys

GOLDEN, ROUTES, LABELS = sys.argv[1:4]
passed = failed = 0


def check(what, got, expected):
    global passed, failed
    passed, failed = passed + (got == expected), failed + (got != expected)
    if got != expected:
        print('  FAILED: %s\n    got      %s\n    expected %s' % (what, json.dumps(got, ensure_ascii=False),
                                                                   json.dumps(expected, ensure_ascii=False)))


def ask(program, *requests):
    """The results of requests of 2025-06-18, by id."""
    first = {'method': 'initialize', 'params': {'protocolVersion': '2025-06-18', 'capabilities': {},
                                                'clientInfo': {'name': 'golden', 'version': '1'}}}
    lines = [json.dumps(dict(r, jsonrpc='2.0', id=i)) for i, r in enumerate((first, *requests))]
    out = subprocess.run([program], input='\n'.join(lines) + '\n', capture_output=True, text=True)
    return [json.loads(line)['result'] for line in out.stdout.splitlines()][1:]


def call(name, arguments):
    return {'method': 'tools/call', 'params': {'name': name, 'arguments': arguments}}


def plain(schema):
    """Without what is decided to differ."""
    if isinstance(schema, list):
        return [plain(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: plain(v) for k, v in schema.items()
            if k not in ('additionalProperties', 'items') and not (k == 'required' and v == [])}


def observed():
    """(name, title, description, input schema, output schema) for each tool of p2m.out."""
    text = open(GOLDEN + '/p2m.out', encoding='utf-8').read().split('--- exchanges')[0]
    for part in text.split('==  ')[1:]:
        name, title, rest = part.split('\n', 2)
        description, schemas = rest[len('desc:\n'):].split('\n{', 1)
        inputs, outputs = ('{' + schemas).strip().split('\n')
        yield name.strip(), title[len('title: '):].strip(), description, json.loads(inputs), json.loads(outputs)


tools = {t['name']: t for t in ask(ROUTES, {'method': 'tools/list'})[0]['tools']}
for name, title, description, inputs, outputs in observed():
    ours = re.sub(r'<(\w+)(:\w+)?>', r'\1', name)   # a variable is its name
    tool = tools.get(ours, {})
    check(ours + ' title', tool.get('title'), title)
    check(ours + ' description', tool.get('description'), description.replace('[default: TRUE]', '[default: true]'))
    check(ours + ' input', plain(tool.get('inputSchema')), plain(inputs))
    wanted = plain(outputs)
    if 'items' in ours:     # it guessed the types of what is given back; ours are declared
        wanted['properties']['id']['type'], wanted['properties']['tags']['type'] = 'integer', 'array'
    check(ours + ' output', plain(tool.get('outputSchema')), wanted)

results = ask(ROUTES, call('POST__calculate', {'numbers': '1,2,3,4,5'}), call('GET__echo', {}),
              call('POST__add', {'a': 1.25, 'b': 2}))
said = [json.loads(line)['result']['content'] for line in open(GOLDEN + '/p2m.out', encoding='utf-8')
        if re.match(r'{"jsonrpc":"2.0","id":[236],"result":{"content"', line)]
said[2][0]['text'] = said[2][0]['text'].replace('["1.25","2"]', '[1.25,2]')
for mine, theirs in zip(results, said):
    check('content', mine['content'], theirs)

documented = json.load(open(GOLDEN + '/documented-schemas.json', encoding='utf-8'))
chinese = {t['name']: t for t in ask(LABELS, {'method': 'tools/list'})[0]['tools']}
example = documented['POST__calculate']
check('documented title', chinese['POST__calculate']['title'], example['title'])
for key in 'inputSchema', 'outputSchema':
    check('documented ' + key, plain(chinese['POST__calculate'][key]), example[key])
for program, name in (LABELS, 'POST__calculate'), (ROUTES, 'GET__echo'), (ROUTES, 'POST__add'):
    example = documented[name]['call']
    result = ask(program, call(name, example['arguments']))[0]
    check('documented ' + name, result['structuredContent'], example['structuredContent'])
    check('documented ' + name + ' as text', json.loads(result['content'][0]['text']), example['structuredContent'])

print('%d passed, %d failed' % (passed, failed))
sys.exit(failed or not passed)
