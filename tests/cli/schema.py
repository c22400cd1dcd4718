"""Checks documents against docs/schema: schema.py FOLDER FILE...

Each line of a FILE is a document; its `schema` names the schema. The checks are our own (the few words that
the schemas use), and stricter than theirs: a key that the schema does not have is a finding, so that none is
added without being described. Where the package jsonschema is installed, it checks as well.
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
         "items", "const", "additionalProperties"}


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
    if isinstance(value, dict) and ("properties" in schema or "additionalProperties" in schema):
        known = schema.get("properties", {})
        for key in schema.get("required", []):
            if key not in value:
                return f"{at} lacks {key}"
        for key, member in value.items():
            rule = known.get(key, schema.get("additionalProperties"))
            if rule is None:
                return f"{at} has {key}, which the schema has not"
            found = wrong(rule, member, root, f"{at}.{key}")
            if found:
                return found
    if isinstance(value, list) and "items" in schema:
        for i, member in enumerate(value):
            found = wrong(schema["items"], member, root, f"{at}[{i}]")
            if found:
                return found
    return None


def unique(pairs):
    """An object whose keys are different: JSON allows more, but readers keep one of them."""
    members = dict(pairs)
    assert len(members) == len(pairs), f"a key twice: {[key for key, _ in pairs]}"
    return members


def main():
    folder = pathlib.Path(sys.argv[1])
    schemas = {f"lumagraph.{p.stem}/1": json.loads(p.read_text()) for p in folder.glob("*.json")}
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
