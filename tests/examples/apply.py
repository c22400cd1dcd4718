#!/usr/bin/env python3
"""Writes the examples of a page into a copy of the project.

usage: apply.py PAGE ROOT

A code block that stands behind a comment belongs to a file of the project:
    <!-- file: NAME -->            the block is the whole file, which must not exist
    <!-- end of: NAME -->          the block stands at the end of the file
    <!-- after `TEXT` in: NAME --> the block stands behind the one line that holds TEXT
Prints the names of the filters that are new, and the files that were written.
"""
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"^ *<!-- (file|end of|after `([^`\n]+)` in): (\S+) -->\n( *)```\w+\n(.*?)^\4```$",
                   re.S | re.M)


def write(root, how, anchor, name, block):
    path = root / name
    if how == "file":
        if path.exists():
            sys.exit(f"{name}: the example's file exists already")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block)
        return
    text = path.read_text()
    if how == "end of":
        path.write_text(f"{text.rstrip()}\n\n\n{block}")
        return
    lines = text.splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if anchor in line]
    if len(found) != 1:
        sys.exit(f"{name}: {len(found)} lines hold {anchor!r}; the example wants one")
    lines.insert(found[0] + 1, block)
    path.write_text("".join(lines))


def main():
    page, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = BLOCK.findall(page.read_text())
    if not found:
        sys.exit(f"{page}: no example found")
    for how, anchor, name, indent, block in found:
        write(root, how.split("`")[0].strip(), anchor, name,
              textwrap.dedent(block) if indent else block)
        print("file", name)
    for name in re.findall(r"LG_(?:NATIVE_)?FILTER(?:_SHAPED)?\(\s*(\w+),", page.read_text()):
        print("filter", name)


main()
