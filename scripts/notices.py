#!/usr/bin/env python3
"""Collects the licences of what the compiler module contains, from where packages install them.

usage: notices.py [OUTPUT]     (no OUTPUT: only looks whether all of them are there)
"""
import pathlib
import sys

# Linked statically; the names are those of Debian's and of other systems' packages.
PARTS = {"shaderc": ("libshaderc-dev", "shaderc"), "glslang": ("glslang-dev", "glslang"),
         "SPIRV-Tools": ("spirv-tools", "spirv-tools-dev", "SPIRV-Tools")}
FOLDERS = ("/usr/share/doc", "/usr/share/licenses")
NAMES = ("copyright", "LICENSE*", "COPYING*")
APACHE = ("/usr/share/common-licenses/Apache-2.0", "/usr/share/licenses/common/Apache/license.txt")
TITLE = "Apache License, version 2.0"
HEAD = """\
liblumagraph-shaderc.so contains shaderc and SPIRV-Tools (Apache License 2.0) and glslang (BSD licences
of two and three clauses, MIT licence, Apache License 2.0, NVIDIA's licence for its preprocessor, and a
parser made by Bison, whose exception to the GPL lets it be used under any terms). They are unchanged.
Their notices follow as their packages install them, then the Apache License. lumagraph itself is under
the MIT licence.
"""


def texts_of(names):
    for folder in FOLDERS:
        for name in names:
            found = sorted(p for pattern in NAMES for p in pathlib.Path(folder, name).glob(pattern))
            if found:
                return [p.read_text(encoding="utf-8", errors="replace") for p in found]
    return []


def main():
    texts = {part: texts_of(names) for part, names in PARTS.items()}
    apache = [p for p in map(pathlib.Path, APACHE) if p.is_file()]
    texts[TITLE] = [apache[0].read_text(encoding="utf-8")] if apache else []
    missing = [part for part, found in texts.items() if not found]
    if missing:
        sys.exit(f"no notices of {', '.join(missing)} in {', '.join(FOLDERS)}")
    if len(sys.argv) > 1:
        rule = "\n" + "=" * 100 + "\n"
        body = "".join(f"{rule}{part}{rule}\n" + "\n".join(found) for part, found in texts.items())
        pathlib.Path(sys.argv[1]).write_text(HEAD + body, encoding="utf-8")


main()
