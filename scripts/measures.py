#!/usr/bin/env python3
"""Counts how the house is kept: what a new piece of work costs, what stands twice, how long things are.

usage: measures.py

Prints one row for each measure: its value, and what is wanted. The figures are there to be watched; a
figure that is met in a way nobody can read is no gain.
"""
import collections
import pathlib
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
WINDOW = 6  # lines that two places share, at least
# Words for a part of an image. A block and a group have a definition (docs/design.md), and a step is none.
WORDS = "span strip stripe band slab piece part chunk tile leaf".split()


def tracked():
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return [p for p in map(pathlib.Path, out.splitlines()) if (ROOT / p).is_file()]


PATHS = tracked()
TEXT = {p: (ROOT / p).read_text(errors="replace") for p in PATHS
        if p.suffix in {".c", ".h", ".glsl", ".comp", ".md"}}


def texts(folder, *suffixes):
    return {p: t for p, t in TEXT.items() if str(p).startswith(folder) and p.suffix in suffixes}


def plain(text):
    """Code without comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


# ---- what a new thing costs --------------------------------------------------------------------------

def figure_places():
    """Files of the library and the tool that name one figure of a graph, the deviation."""
    name = re.compile(r'\bLG_(FIGURE|RULE)_(STDDEV|DEVIATION)\b|"stddev"|\bstddev, ')
    rooms = ("src/graph/", "src/figure/", "src/io/graph", "tool/cmd_completion", "include/lumagraph/graph.h")
    return sum(1 for p, t in TEXT.items() if str(p).startswith(rooms) and p.suffix != ".md"
               and name.search(plain(t)))


def window_files():
    """Files of each native filter that has a folder of its own, at the median and at most."""
    folders = collections.Counter(p.parts[3] for p in PATHS
                                  if p.parts[:3] == ("src", "filter", "native") and len(p.parts) == 5)
    return f"{statistics.median(folders.values()):.0f}, at most {max(folders.values())}"


def is_kernel(path, users):
    """A text of kernels, a plain reference, or a header that only they include, or both sides compile."""
    if path.suffix in {".glsl", ".comp"} or path.stem.endswith(("_cpu", "_ref")):
        return True
    by = users[path] if path.suffix == ".h" else ()
    return (any(u.suffix in {".glsl", ".comp"} for u in by) or
            bool(by) and all(is_kernel(u, users) for u in by))


def native_host_lines():
    """Lines of a native filter, at the mean, that are neither its kernels nor its plain reference.

    Kernels grow with the speed of a filter, references with what is tested. What a filter brings along
    to be planned, split and started is the rest; there, repetition shows.
    """
    users = collections.defaultdict(set)
    for path, text in texts("src", ".c", ".h", ".glsl", ".comp").items():
        for found in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            users[pathlib.Path("src") / found].add(path)
    files = texts("src/filter/native", ".c", ".h", ".glsl")
    lines = sum(len(t.splitlines()) for p, t in files.items() if not is_kernel(p, users))
    filters = sum(len(re.findall(r"^LG_NATIVE_FILTER(?:_[A-Z]+)?\(", t, re.M)) for t in files.values())
    return f"{lines / filters:.0f}"


def figure_host_lines():
    """Lines of the figures of a graph that are not kernels, for each source of figures that a device has."""
    rooms = {**texts("src/graph/figure", ".c", ".h"), **texts("src/figure", ".c", ".h")}
    sources = len(re.findall(r"\[LG_SOURCE_\w+\] = \{", TEXT[pathlib.Path("src/graph/figure_vulkan.c")]))
    return f"{sum(t.count(chr(10)) for t in rooms.values()) / sources:.0f}"


# ---- what stands twice -------------------------------------------------------------------------------

def mirrored_structs():
    """Push constants whose members stand in a kernel instead of a header that the host includes."""
    blocks = [body for t in texts("src", ".glsl", ".comp").values()
              for body in re.findall(r"layout\(push_constant, scalar\)[^{]*\{(.*?)\}", plain(t), re.S)]
    return sum(1 for body in blocks if body.count(";") > 1)


def duplicate_pairs():
    """Pairs of files that share lines of code. What a language asks for at the top of a file is none."""
    places = collections.defaultdict(set)
    for path, text in {**texts("src", ".c", ".h", ".glsl", ".comp"), **texts("tool", ".c"),
                       **texts("tests", ".c", ".h"), **texts("bench", ".c")}.items():
        lines = [re.sub(r"\s+", " ", l.strip()) for l in plain(text).splitlines()]
        lines = [l for l in lines if len(l) > 3 and not re.match("#(include|version|extension)", l)]
        for i in range(len(lines) - WINDOW + 1):
            run = lines[i:i + WINDOW]
            if sum(map(len, run)) > 120:
                places[tuple(run)].add(path)
    pairs = set()
    for paths in places.values():
        if 1 < len(paths) <= 8:
            ordered = sorted(paths)
            pairs |= {(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1:]}
    return len(pairs)


# ---- how rooms hang together ---------------------------------------------------------------------------

def folder_cycles():
    uses = collections.defaultdict(set)
    for path, text in texts("src", ".c", ".h", ".glsl", ".comp").items():
        for found in re.findall(r'^\s*#\s*include\s+"(\w+)/', text, re.M):
            if found != path.parts[1]:
                uses[path.parts[1]].add(found)
    return sum(1 for a in uses for b in uses[a] if a < b and a in uses.get(b, ()))


def pool_drivers():
    return sum(len(re.findall(r"\blg_pool_run\(", plain(t))) for t in texts("src", ".c").values())


def words_of_parts():
    """Words for a part of an image that name functions, types or files."""
    found = set()
    for path, text in texts("src", ".c", ".h").items():
        names = re.findall(r"\b[a-z]\w+(?= *\()|\btypedef struct (\w+)", plain(text))
        for name in {*names, path.stem}:
            found |= set(re.split(r"_|s\b", name)) & set(WORDS)
    return len(found)


# ---- how long things are ---------------------------------------------------------------------------------

def functions():
    lengths = []
    for text in texts("src", ".c", ".h").values():
        start = None
        for number, line in enumerate(text.splitlines()):
            if line == "{":
                start = number
            elif line.startswith("}") and start is not None:
                lengths.append(number - start + 1)
                start = None
    lengths.sort()
    return f"{lengths[len(lengths) // 2]}, {lengths[len(lengths) * 9 // 10]}, {lengths[-1]}"


def includes_per_file():
    counts = [len(re.findall(r'^\s*#\s*include\s+"', t, re.M)) for t in texts("src", ".c").values()]
    return f"{statistics.mean(counts):.2f}"


def long_document_lines():
    """Of prose: code and output in fences have the widths of code."""
    prose = (re.sub(r"^ *```.*?^ *```", "", t, flags=re.S | re.M) for t in texts("", ".md").values())
    return sum(1 for text in prose for line in text.splitlines()
               if len(line) > 100 and not line.lstrip().startswith("|"))


def main():
    rows = [
        ("files that name one figure of a graph", figure_places(), "2"),
        ("files of a native filter", window_files(), "2 for a window"),
        ("push constants written in a kernel", mirrored_structs(), "0"),
        (f"pairs of files that share {WINDOW} lines", duplicate_pairs(), "fewer than 15"),
        ("folders that include each other", folder_cycles(), "0"),
        ("calls of lg_pool_run", pool_drivers(), "about 10"),
        ("words for a part of an image in names", words_of_parts(), "4"),
        ("lines around the kernels of a native filter, mean", native_host_lines(), "not more"),
        ("lines around the kernels of a source of figures", figure_host_lines(), "not more"),
        ("lines of a function: median, of ten nine, longest", functions(), "11, 27, 80"),
        ("headers of ours that a source includes, mean", includes_per_file(), "not more"),
        ("lines of documents over 100 characters", long_document_lines(), "0"),
    ]
    for name, value, wanted in rows:
        print(f"{name:52} {value!s:>14}   wanted: {wanted}")


main()
