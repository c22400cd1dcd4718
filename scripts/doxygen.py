#!/usr/bin/env python3
"""A header as Doxygen reads it: plain comments become its own, and nothing in them is a command of its.

usage: doxygen.py HEADER   (prints it; INPUT_FILTER of docs/Doxyfile)

A comment block belongs to what follows; one behind a declaration belongs to that. Lines with ---- are
headings of the file for who reads it, and none of a page.
"""
import re
import sys


def escaped(text):
    return re.sub(r"([\\@<>#%&$])", r"\\\1", text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            whole = re.match(r"(\s*)// ?(.*)$", line)
            behind = re.match(r"(.*\S)\s+// (.*)$", line)
            if whole and "----" in whole[2]:
                print("//")
            elif whole:
                end = "\\n" if whole[2].startswith("  ") else ""  # code and lists keep their lines
                print(f"{whole[1]}/// {escaped(whole[2].strip())}{end}")
            elif behind and not line.lstrip().startswith("#"):
                print(f"{behind[1]} ///< {escaped(behind[2])}")
            else:
                print(line)


if __name__ == "__main__":
    main()
