"""Judges reports for tests/cli/run, which asks often: one process for all questions.

A question is kind, folder, file, expression and variables, each with a null byte behind it; a variable
is a line NAME=TEXT. The answer is a line: `true`, or what was wrong. json: every line of the file is
strict JSON; d is the first document, docs are all of them, c the channels of the first. csv: the file is
RFC 4180; rows are dictionaries by the header.
"""
import csv
import json
import math
import os


def refuse(word):
    raise ValueError(word)


def as_json(path):
    with open(path, encoding="utf-8") as file:
        docs = [json.loads(line, parse_constant=refuse) for line in file]
    first = docs[0]
    return {"docs": docs, "d": first, "c": first.get("channels", [])}


def as_csv(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    assert text.endswith("\r\n") and "\n" not in text.replace("\r\n", ""), "lines end with CR LF"
    rows = list(csv.DictReader(text.splitlines(), strict=True))
    assert rows and all(None not in row and None not in row.values() for row in rows), "rows of one length"
    return {"text": text, "rows": rows}


def judge(kind, folder, path, expression, variables):
    os.chdir(folder)
    names = {"json": as_json, "csv": as_csv}[kind](path)
    names.update(csv=csv, json=json, math=math)
    names.update(line.split("=", 1) for line in variables.splitlines())
    return "true" if eval(expression, names) else "false"


def questions():
    left = b""
    while True:
        some = os.read(0, 65536)
        if not some:
            return
        *words, left = (left + some).split(b"\0")
        assert len(words) <= 5, "one question at a time"
        if len(words) < 5:
            left = b"\0".join([*words, left])
            continue
        yield [word.decode("utf-8", "surrogateescape") for word in words]


for question in questions():
    try:
        answer = judge(*question)
    except Exception as error:  # a report that is no JSON, or an expression that fails on it
        answer = f"{type(error).__name__}: {error}"
    print(" ".join(answer.split()), flush=True)
