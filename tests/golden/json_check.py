#!/usr/bin/env python3
# json_check.py SCHEMA FILE... - each file is one JSON text in UTF-8, strictly: no key twice, no
# NaN, no control byte but newlines; and it validates against the schema.
import json
import sys

import jsonschema


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key comes twice")
    return dict(pairs)


def forbid(word):
    raise ValueError(word + " is no JSON")


def check(validator, path):
    data = open(path, "rb").read()
    if any(byte < 0x20 and byte != 0x0A or byte == 0x7F for byte in data):
        raise ValueError("holds a control byte")
    value = json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_constant=forbid)
    for error in validator.iter_errors(value):
        raise ValueError("/".join(map(str, error.absolute_path)) + ": " + error.message[:300])


schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failed = 0
for path in sys.argv[2:]:
    try:
        check(validator, path)
    except ValueError as why:
        print(f"{path}: {why}", file=sys.stderr)
        failed += 1
sys.exit(failed != 0)
