#!/usr/bin/env python3
"""Checks what the compiler does not: layout, spelling, scripts, include directions, file names.

Prints one line per finding and a count; exit status 1 when there is a finding. A tool that is not
installed is named and its check is left out.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".c", ".h", ".cpp", ".cu", ".comp", ".glsl", ".py", ".sh"}
# clang-format keeps code at 100 columns; comments and shaders get a little more.
MAX_LINES, MAX_COLUMNS = 700, 110

# Includes go downwards only: a folder may include itself and folders of a lower layer.
LAYERS = [{"core"}, {"cpu", "vulkan", "shader"}, {"device", "shaderc"}, {"measure", "filter"}, {"graph"},
          {"io"}]
# What is not part of the library names what it may include besides its own folder.
TOOL_MAY = {"io"}
SAME_NAME = {"README.md", "meson.build", "run"}

findings = []


def find(path, line, text):
    findings.append(f"{path}:{line}: {text}" if line else f"{path}: {text}")


def tracked():
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return [p for p in map(pathlib.Path, out.splitlines()) if (ROOT / p).is_file()]


def layer(folder):
    return next((i for i, names in enumerate(LAYERS) if folder in names), None)


def check_includes(path, lines):
    own = path.parts[1] if path.parts[0] == "src" else path.parts[0]
    for number, text in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', text)
        if not match or "/" not in match[1]:
            continue
        other = match[1].split("/")[0]
        if path.parts[0] == "src":
            mine, its = layer(own), layer(other)
            if its is None or mine is None:
                find(path, number, f"{other} or {own} has no place in the layers of scripts/lint.py")
            elif its > mine or (its == mine and other != own and "measure" not in LAYERS[mine]):
                find(path, number, f"{own} may not include {other}: includes go downwards only")
        elif path.parts[0] == "tool" and other not in TOOL_MAY | {"tool"}:
            find(path, number, "the tool uses the public headers only")


def check_text(path, text):
    lines = text.splitlines()
    if text and not text.endswith("\n"):
        find(path, len(lines), "no line end at the end of the file")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            find(path, number, "blanks at the end of the line")
        if re.search(r"(?<![\w.])/(work|home|root)/", line) and path.name != "lint.py":
            find(path, number, "a path of one machine")
        if path.suffix in CODE and "\t" in line:
            find(path, number, "a tab")
        if path.suffix in CODE and len(line) > MAX_COLUMNS:
            find(path, number, f"{len(line)} columns; {MAX_COLUMNS} are allowed")
    if path.suffix in CODE and len(lines) > MAX_LINES:
        find(path, 0, f"{len(lines)} lines; {MAX_LINES} are allowed")
    if path.suffix in {".c", ".h"}:
        check_includes(path, lines)
    if path.suffix == ".c" and "dlopen(" in text and path.name != "module.c":
        find(path, 0, "code is loaded by src/core/module.c alone")


def check_names(paths):
    seen = collections.defaultdict(list)
    for path in paths:
        # A test may be named after the file it tests; every run of the benchmark has the same names.
        data = path.parts[0] == "images" or path.parts[:2] == ("bench", "results")
        if path.name not in SAME_NAME and not data:
            seen[path.parts[0] == "tests", path.name].append(path)
    for where in seen.values():
        if len(where) > 1:
            find(where[0], 0, f"the name is also that of {', '.join(map(str, where[1:]))}")


def tool(name, arguments, paths):
    """Runs a checker over the files; its lines are findings."""
    if not shutil.which(name):
        print(f"lint: {name} is not installed; its check is left out", file=sys.stderr)
        return
    if not paths:
        return
    done = subprocess.run([name, *arguments, *map(str, paths)], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode and name == "clang-format":
        bad = dict.fromkeys(re.findall(r"^([^:\n]+):\d+:\d+: error", done.stdout, re.M))
        findings.extend(f"{name}: {path} is laid out otherwise; ./dev format" for path in bad)
    elif done.returncode:
        findings.extend(f"{name}: {line}" for line in done.stdout.splitlines() if line.strip())


def is_script(path):
    if path.suffix == ".sh":
        return True
    with open(ROOT / path, "rb") as file:
        return re.match(rb"#!.*\b(ba)?sh\b", file.readline(80)) is not None


def main():
    paths = tracked()
    texts = []
    for path in paths:
        data = (ROOT / path).read_bytes()
        if b"\0" in data or path.parts[0] == "images":
            continue
        try:
            texts.append((path, data.decode()))
        except UnicodeDecodeError:
            find(path, 0, "not UTF-8")
    for path, text in texts:
        if path.suffix not in {".exact", ".csv", ".ppm", ".pgm", ".pfm"}:
            check_text(path, text)
    check_names(paths)
    tool("clang-format", ["--dry-run", "--Werror"], [p for p, _ in texts if p.suffix in {".c", ".h"}])
    tool("shellcheck", [], [p for p, _ in texts if is_script(p)])
    tool("codespell", ["--ignore-words-list", "inout"], [p for p, _ in texts])
    print("\n".join(findings) + ("\n" if findings else "") + f"lint: {len(findings)} findings")
    return 1 if findings else 0


sys.exit(main())
