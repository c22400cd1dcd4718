#!/usr/bin/env python3
"""Checks what the compiler does not: layout, spelling, scripts, include directions, file names, names of
parameters, barriers in kernels, and that documents speak of files that are there.

Prints one line per finding and a count; exit status 1 when there is a finding. A tool that is not
installed is named and its check is left out.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import figures
import kernel_barriers

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".c", ".h", ".cpp", ".cu", ".comp", ".glsl", ".py", ".sh"}
# clang-format keeps code at 100 columns; comments and shaders get a little more.
MAX_LINES, MAX_COLUMNS = 700, 110

# Includes go downwards: a folder may include itself and folders of a lower layer.
LAYERS = [["kernel"], ["core"], ["cpu", "cuda", "vulkan", "windows"], ["device", "shaderc"], ["engine"],
          ["measure"], ["filter"], ["graph"], ["io"]]
# The documents that state this rule, in these words.
RULE = " < ".join(", ".join(names) for names in LAYERS)
RULE_STANDS_IN = {"CONTRIBUTING.md", "docs/architecture.md", "docs/design.md"}
DOCUMENT_COLUMNS = 100  # outside of tables and of blocks of code
SAME_NAME = {"conanfile.py", "README.md", "meson.build", "run"}

findings = []


def find(path, line, text):
    findings.append(f"{path}:{line}: {text}" if line else f"{path}: {text}")


def tracked():
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return [p for p in map(pathlib.Path, out.splitlines()) if (ROOT / p).is_file()]


def layer(folder):
    return next((i for i, names in enumerate(LAYERS) if folder in names), None)


# Outside src/ the tool and the extension of Python are checked: they are users of the libraries.
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
            elif its > mine or (its == mine and other != own):
                find(path, number, f"{own} may not include {other}: includes go downwards only")
        elif path.parts[0] == "tool" and other != "tool":
            find(path, number, "the tool uses the public headers only")
        elif path.parts[:2] == ("python", "_core"):
            find(path, number, "the extension uses the public headers only")


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
    if path.suffix in {".c", ".h", ".comp", ".glsl"}:
        check_includes(path, lines)
    modules = {"module.c", "windows_module.c", "system.c", "faults_module.c"}
    if path.suffix == ".c" and "dlopen(" in text and path.name not in modules:
        find(path, 0, "code is loaded by src/core/module.c and its counterpart of Windows alone")


# ---- documents -----------------------------------------------------------------------------------

# A name in a document: all that stands between two backticks, or a file of docs/ anywhere.
NAMED = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:md|c|h|py|sh|comp|glsl))`|\b(docs/(?:[\w-]+/)*[\w-]+\.md)\b")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
# What stands for files of the reader's, or of any filter and measurement.
PLACEHOLDER = re.compile(r"NAME|^example\.c$")
SHOWN = re.compile(r"<!-- file: (\S+) -->")  # a page's examples, which no file of ours is


def without_code(text):
    """Blocks of code become empty lines: what is written there is the reader's."""
    return re.sub(r"^( *)```.*?^ *```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)


def is_there(name, folder, paths):
    """A path from the root, from src/, include/ or the document's folder; a bare name is one of a file."""
    known = {str(p) for p in paths}
    if "/" in name:
        return any(str(pathlib.Path(base) / name) in known or (ROOT / base / name).exists()
                   for base in (".", "src", "include", folder))
    return any(p.name == name for p in paths)


def check_document(path, text, paths):
    shown = [pathlib.Path(name) for name in SHOWN.findall(text)]
    for number, line in enumerate(without_code(text).splitlines(), 1):
        for found in LINK.findall(line):
            if "://" not in found and not (ROOT / path.parent / found).exists():
                find(path, number, f"a link to {found}, which is not there")
        for pair in NAMED.findall(line):
            name = pair[0] or pair[1]
            if not PLACEHOLDER.search(name) and not is_there(name, path.parent, paths + shown):
                find(path, number, f"{name} is named, and there is no such file")
        if len(line) > DOCUMENT_COLUMNS and not line.lstrip().startswith("|"):
            find(path, number, f"{len(line)} columns; {DOCUMENT_COLUMNS} are allowed but in tables")
    if str(path) in RULE_STANDS_IN and RULE not in " ".join(text.split()):
        find(path, 0, f"the rule of includes is not there as it is checked: {RULE}")


# Comments and messages that send the reader to a document.
def check_pointers(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        for found in re.findall(r"\bdocs/(?:[\w-]+/)*[\w-]+\.md\b", line):
            if not (ROOT / found).exists():
                find(path, number, f"{found} is named, and there is no such file")


# A native filter asks for its parameters by name, and gets 0 for one that it does not have.
def check_parameters(texts):
    declared, asked = collections.defaultdict(set), []
    shared = (ROOT / "src/filter/parameters.h").read_text().replace("\\\n", " ")
    for path, text in texts:
        if path.parts[:3] != ("src", "filter", "native") or path.suffix not in {".c", ".h"}:
            continue
        folder = declared[path.parent]
        folder.update(name for kind, name in re.findall(r"\bX\((\w+), (\w+)", text) if kind != "ALIAS")
        folder.update(name.lower() for name in re.findall(r"\bLG_(\w+)_PARAMETER\(X\)", text))
        for macro in re.findall(r"\b(LG_\w+_PARAMETERS)\(X\)", text):
            for line in re.findall(rf"#define {macro}\(X\)(.*)", shared):
                folder.update(re.findall(r"\bX\(\w+, (\w+)", line))
        for found in re.finditer(r"(?:\blg_native_(?:value|index)\([^()\";]*|\bVALUE\(|"
                                 r"\.recorded = )\"([\w ]+)\"", text):
            line = text.count("\n", 0, found.start()) + 1
            asked.extend((path, line, name) for name in found[1].split())
    for path, line, name in asked:
        if name not in declared[path.parent]:
            find(path, line, f"no filter here has the parameter {name}")


# A source that includes both headers would not compile.
def check_types(texts):
    seen = collections.defaultdict(set)
    for path, text in texts:
        if path.suffix == ".h" and path.parts[0] in {"include", "src"}:
            for name in re.findall(r"^(?:typedef (?:struct|enum|union) |\} )(lg_\w+)(?: \{|;)", text, re.M):
                seen[name].add(path)
    for name, where in seen.items():
        first, *others = sorted(where)
        if others:
            find(first, 0, f"{name} is also a type of {', '.join(map(str, others))}")


def check_names(paths):
    seen = collections.defaultdict(list)
    for path in paths:
        # A test may be named after the file it tests; every run of the benchmark has the same names.
        data = path.parts[0] == "images" or path.parts[:2] == ("bench", "results")
        if path.name not in SAME_NAME and not data:
            seen[path.parts[0] == "tests", path.name].append(path)
        if path.name.endswith("stubs.c") and path.parent != pathlib.Path("src/vulkan"):
            find(path, 0, "a stand-in for a build without Vulkan; use LG_VULKAN (device/dispatch.h)")
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


# ---- the headers as Doxygen reads them --------------------------------------------------------------

def check_headers():
    if not shutil.which("doxygen"):
        print("lint: doxygen is not installed; the headers are not read as pages")
        return
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / "docs/Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {folder}\n"
        done = subprocess.run(["doxygen", "-"], cwd=ROOT, input=text, capture_output=True, text=True,
                              check=False)
        for line in done.stderr.splitlines():
            find("docs/Doxyfile", 0, line.replace(f"{ROOT}/", ""))
        if done.returncode and not done.stderr:
            find("docs/Doxyfile", 0, f"doxygen ended with {done.returncode}")


def main():
    paths = tracked()
    texts = []
    for path in paths:
        data = (ROOT / path).read_bytes()
        if b"\0" in data or path.parts[0] == "images" or path.suffix == ".jpg":
            continue
        try:
            texts.append((path, data.decode()))
        except UnicodeDecodeError:
            find(path, 0, "not UTF-8")
    for path, text in texts:
        if path.suffix not in {".exact", ".csv", ".ppm", ".pgm", ".pfm"}:
            check_text(path, text)
        if path.suffix == ".md":
            check_document(path, text, paths)
        elif path.suffix in CODE and path.name != "lint.py":
            check_pointers(path, text)
    check_names(paths)
    check_parameters(texts)
    check_types(texts)
    check_headers()
    findings.extend(kernel_barriers.findings() + figures.findings())
    tool("clang-format", ["--dry-run", "--Werror"], [p for p, _ in texts if p.suffix in {".c", ".h"}])
    tool("shellcheck", [], [p for p, _ in texts if is_script(p)])
    tool("codespell", ["--ignore-words-list", "inout,hald,hart,alls"], [p for p, _ in texts])
    print("\n".join(findings) + ("\n" if findings else "") + f"lint: {len(findings)} findings")
    return 1 if findings else 0


sys.exit(main())
