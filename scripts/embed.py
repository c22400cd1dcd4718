#!/usr/bin/env python3
"""Embeds the texts that kernels are put together from at run time.

usage: embed.py OUTPUT.c DEPFILE SOURCE_ROOT

`lg_glsl_stage` is src/filter/stage.glsl with what it includes, which other texts do not have again;
`lg_glsl_common` holds the texts that C and GLSL share (src/kernel/*_math.h, src/kernel/space/*.h,
src/kernel/pixel_rule.h and what they include), each once; every *.glsl of src/filter and src/graph
becomes `lg_glsl_NAME`, with what it includes beyond those texts. Comments are left out.
"""
import pathlib
import re
import sys


def strip(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def common(root, paths, used, seen):
    def expand(path):
        if path in seen:
            return ""
        seen.add(path)
        used.add(path)
        lines = []
        for line in path.read_text().splitlines():
            match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
            if not match:
                lines.append(line)
            elif match[1] == '"' and not match[2].endswith("table.h"):
                lines.append(expand(root / "src" / match[2]))
        return "\n".join(lines)

    return strip("\n".join(expand(path) for path in paths))


def literal(name, text):
    lines = [f"const char lg_glsl_{name}[] ="]
    lines += ['    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'
              for line in text.splitlines()]
    return "\n".join(lines) + ";\n"


def main():
    output, depfile, root = (pathlib.Path(a) for a in sys.argv[1:4])
    folder = root / "src" / "kernel"
    used = set()
    paths = sorted(folder.glob("*_math.h")) + sorted((folder / "space").glob("*.h"))
    paths.append(folder / "pixel_rule.h")
    # What stands before the common texts brings what it includes.
    seen = set()
    first = root / "src" / "filter" / "stage.glsl"
    parts = ["// Generated.\n", literal("stage", common(root, [first], used, seen)),
             literal("common", common(root, paths, used, seen))]
    texts = sorted((root / "src" / "filter").rglob("*.glsl"))
    texts += sorted((root / "src" / "graph").glob("*.glsl"))
    texts.remove(first)
    for path in texts:
        parts.append(literal(path.stem, common(root, [path], used, set(seen))))
    header = [f"extern const char lg_glsl_{n}[];" for n in
              ["stage", "common"] + [p.stem for p in texts]]
    output.write_text(parts[0] + "\n".join(header) + "\n\n" + "\n".join(parts[1:]))
    depfile.write_text(f"{output}: {' '.join(sorted(map(str, used)))}\n")


main()
