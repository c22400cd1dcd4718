#!/usr/bin/env python3
"""Writes the table of figures of docs/cli.md from src/graph/figures.h; lint asks whether it is current.

usage: figures.py
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = "docs/cli.md"
PLACE = re.compile(r"(<!-- figures: .*? -->\n\n).*?(\n<!-- end of figures -->)", re.S)


def rows():
    """Name and help of each figure, in the order of their kinds."""
    text = (ROOT / "src" / "graph" / "figures.h").read_text().replace("\\\n", " ")
    return re.findall(r'\bX\(\w+, "([^"]+)", \d, \d,.*?"([^"]+)"\)', text)


def document():
    lines = ["| figure | is |", "|---|---|"]
    lines += [f"| `@{name}` | {text} |" for name, text in rows()]
    text = (ROOT / DOCUMENT).read_text()
    return text, PLACE.sub(lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text)


def findings():
    now, wanted = document()
    return [f"{DOCUMENT}: the table of figures is not that of src/graph/figures.h; scripts/figures.py"
            ] if now != wanted or not PLACE.search(now) else []


if __name__ == "__main__":
    (ROOT / DOCUMENT).write_text(document()[1])
