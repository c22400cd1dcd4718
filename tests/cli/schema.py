"""Checks documents against docs/schema: schema.py FOLDER FILE..., schema.py --graph SCHEMA FILE...

Each line of a FILE is a document; its `schema` names the schema. The checks are our own (the few words that
the schemas use), and stricter than theirs: a key that the schema does not have is a finding, so that none is
added without being described. Where the package jsonschema is installed, it checks as well.

With --graph each line of a FILE is a graph, which names no schema; printed are the numbers of the lines that
are not as SCHEMA says, and why.
"""
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

WORDS = {"$schema", "title", "$defs", "$ref", "anyOf", "description", "type", "properties", "required",
         "items", "const", "additionalProperties", "pattern", "maxLength", "minItems", "maxItems",
         "uniqueItems", "dependentSchemas"}


def is_a(value, kind):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"null": value is None, "boolean": isinstance(value, bool), "string": isinstance(value, str),
            "array": isinstance(value, list), "object": isinstance(value, dict), "number": number,
            "integer": number and isinstance(value, int)}[kind]


def wrong(schema, value, root, at):
    """The first thing that is wrong; None: nothing."""
    assert set(schema) <= WORDS, set(schema) - WORDS
    if "$ref" in schema:
        return wrong(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], value, root, at)
    if "anyOf" in schema:
        every = [wrong(one, value, root, at) for one in schema["anyOf"]]
        return None if None in every else " or ".join(every)
    if "const" in schema and value != schema["const"]:
        return f"{at} is {value!r}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(value, kind) for kind in kinds):
        return f"{at} is {value!r:.60}, not {' or '.join(kinds)}"
    found = wrong_text(schema, value, at) if isinstance(value, str) else None
    if found:
        return found
    for key, rule in schema.get("dependentSchemas", {}).items():
        found = wrong(rule, value, root, at) if isinstance(value, dict) and key in value else None
        if found:
            return found
    if isinstance(value, dict) and ("properties" in schema or "additionalProperties" in schema):
        known = schema.get("properties", {})
        for key in schema.get("required", []):
            if key not in value:
                return f"{at} lacks {key}"
        for key, member in value.items():
            rule = known.get(key, schema.get("additionalProperties"))
            if not rule and "object" not in kinds:  # part of a rule, which describes no whole object
                continue
            if not rule and rule != {}:
                return f"{at} has {key}, which the schema has not"
            found = wrong(rule, member, root, f"{at}.{key}")
            if found:
                return found
    if isinstance(value, list):
        count = len(value)
        if not schema.get("minItems", 0) <= count <= schema.get("maxItems", count):
            return f"{at} has {count} members"
        if schema.get("uniqueItems") and len({json.dumps(member) for member in value}) < count:
            return f"{at} has a member twice"
    if isinstance(value, list) and "items" in schema:
        for i, member in enumerate(value):
            found = wrong(schema["items"], member, root, f"{at}[{i}]")
            if found:
                return found
    return None


def wrong_text(schema, text, at):
    if "pattern" in schema and not re.search(schema["pattern"], text):
        return f"{at} is {text!r:.60}, which {schema['pattern']} does not match"
    if len(text) > schema.get("maxLength", len(text)):
        return f"{at} has {len(text)} characters"
    return None


def unique(pairs):
    """An object whose keys are different: JSON allows more, but readers keep one of them."""
    members = dict(pairs)
    assert len(members) == len(pairs), f"a key twice: {[key for key, _ in pairs]}"
    return members


def graphs(path, files):
    schema, bad = json.loads(pathlib.Path(path).read_text()), 0
    if jsonschema:
        jsonschema.Draft202012Validator.check_schema(schema)
    for name in files:
        for number, line in enumerate(open(name, encoding="utf-8"), 1):
            document = json.loads(line, object_pairs_hook=unique)
            found = wrong(schema, document, schema, "$")
            if jsonschema:
                valid = jsonschema.Draft202012Validator(schema).is_valid(document)
                assert valid == (not found), f"line {number}: {found}, and jsonschema says {valid}"
            bad += bool(found)
            if found:
                print(f"{number}: {found}")
    return bad > 0


def main():
    if sys.argv[1] == "--graph":
        return graphs(sys.argv[2], sys.argv[3:])
    folder = pathlib.Path(sys.argv[1])
    schemas = {f"lumagraph.{p.stem}/1": json.loads(p.read_text()) for p in folder.glob("*.json")}
    del schemas["lumagraph.graph/1"]  # of what is read
    used, bad = set(), 0
    for name in sys.argv[2:]:
        for line in open(name, encoding="utf-8"):
            document = json.loads(line, object_pairs_hook=unique)
            schema = schemas.get(document["schema"])
            used.add(document["schema"])
            found = wrong(schema, document, schema, "$") if schema else "no schema"
            if not found and jsonschema:
                jsonschema.Draft202012Validator.check_schema(schema)
                jsonschema.validate(document, schema)
            if found:
                bad += 1
                print(f"{re.sub(r'.*/', '', name)}: {found}")
    for name in sorted(set(schemas) - used):
        bad += 1
        print(f"no document for {name}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
