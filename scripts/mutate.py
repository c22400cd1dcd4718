#!/usr/bin/env python3
"""Changes one place of src/ at a time and counts which changes the tests notice.

usage: mutate.py [--count N] [--seed S] [--room PREFIX ...] [--list] [--quick]

Each mutant is built in build-mutate/, in a copy of the sources, and the tests of the room that was
touched run, then those of the command line. The same seed draws the same mutants from the same sources.
What does not compile is not counted. A survivor is a hole in the tests, or the change does not matter:
somebody has to look. Results are appended to build-mutate/results.txt.

  --room PREFIX   only files whose path begins with src/PREFIX, e.g. measure/histogram; may be repeated
  --quick         short tests of the room alone, to try things out: survivors mean little
  --list          draws the mutants and prints them, without building anything
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutate"
SOURCE, BUILD = WORK / "source", WORK / "source" / "build"
PATIENCE = 1800  # seconds for one test program: a loop that never ends is noticed, a slow machine is not

# Beginning of a path below src/ -> test programs, the fast ones first. Programs whose sources include a
# header of the file's folder come as well.
ROOMS = {
    "measure/moments": "accumulator moments_accuracy moments vulkan_moments",
    "measure/histogram": "histogram_figures histogram equalization vulkan_histogram",
    "measure/threshold": "otsu_exact threshold vulkan_threshold",
    "measure/areasum":
        "areasum_nodes areasum_shapes areasum_tables areasum vulkan_areasum vulkan_ripmap device_areasum",
    "measure/components": "components_columns components_select label label_figures vulkan_label graph_label",
    "io/": "io cube accumulator",
    "graph/": "graph device_figures graph_chains pipeline_random",
    "filter/native/bilateral": "bilateral bilateral_grid vulkan_bilateral",
    "filter/native/canny": "canny vulkan_canny",
    "filter/native/label": "graph_label",
    "filter/native/local": "local_windows vulkan_natives",
    "filter/native/morphology": "morphology vulkan_natives",
    "filter/native/box_blur": "blur vulkan_blurs",
    "filter/native/gaussian_blur": "blur vulkan_blurs",
    "filter/native/separable": "blur vulkan_blurs",
    "filter/native/": "small_natives fast_corners vulkan_natives",
    "filter/":
        "filters filter_corrections byte_tables filter_places color_space cube filter_pipelines "
        "graph_chains",
    "vulkan/": "vulkan_core vulkan_faults vulkan_cache vulkan_smoke",
    "device/": "moments graph vulkan_core vulkan_faults vulkan_smoke",
    "shader/": "vulkan_moments vulkan_histogram vulkan_areasum vulkan_smoke",
    "cpu/": "moments histogram areasum",
    "core/": "io accumulator threshold histogram graph",
}


def tests_of(path):
    inside = path.relative_to("src")
    names = []
    for prefix, programs in ROOMS.items():
        if str(inside).startswith(prefix):
            names = programs.split()
            break
    folder = f'#include "{inside.parent.as_posix()}/'
    for program in sorted((ROOT / "tests").glob("*.c")):
        if folder in program.read_text() and program.stem not in names:
            names.append(program.stem)
    return [n for n in names if (ROOT / "tests" / f"{n}.c").exists()]


# ---- changes ----------------------------------------------------------------------------------------

# (name, pattern, replacement); a pattern's group 1 and 2 are what surrounds the change.
CHANGES = [
    ("< becomes <=", r"(\w\)?\]? )<( [\w(])", r"\1<=\2"),
    ("<= becomes <", r"(\w\)?\]? )<=( [\w(])", r"\1<\2"),
    ("> becomes >=", r"(\w\)?\]? )>( [\w(])", r"\1>=\2"),
    (">= becomes >", r"(\w\)?\]? )>=( [\w(])", r"\1>\2"),
    ("+ becomes -", r"([\w)\]] )\+( [\w(])", r"\1-\2"),
    ("- becomes +", r"([\w)\]] )-( [\w(])", r"\1+\2"),
    ("off by one: + 1 left out", r"([\w)\]]) \+ 1()(?![\w.])", r"\1\2"),
    ("off by one: - 1 left out", r"([\w)\]]) - 1()(?![\w.])", r"\1\2"),
    ("a constant one too large", r"([=(<>+*/%-] )(\d{1,4})(?=[;,) ])", lambda m: m[1] + str(int(m[2]) + 1)),
    ("&& becomes ||", r"( )&&( )", r"\1||\2"),
    ("|| becomes &&", r"( )\|\|( )", r"\1&&\2"),
    ("== becomes !=", r"( )==( )", r"\1!=\2"),
    ("a channel swapped", r"(\w)\.(r|g|b|x|y|z)(?=[ ;,)])",
     lambda m: m[1] + "." + {"r": "g", "g": "b", "b": "r", "x": "y", "y": "x", "z": "y"}[m[2]]),
    ("an element swapped", r"(\w)\[([012])\]", lambda m: f"{m[1]}[{(int(m[2]) + 1) % 2}]"),
    ("wrong rounding", r"(\+ )0\.5(f?)(?=[ );])", r"\g<1>0.0\2"),
    ("wrong rounding", r"\b(floor|round|ceil|rint|trunc)(f?)\(",
     lambda m: ("ceil" if m[1] == "floor" else "floor") + m[2] + "("),
    ("minimum becomes maximum", r"\b()LG_MIN()\(", r"\1LG_MAX\2("),
    ("maximum becomes minimum", r"\b()LG_MAX()\(", r"\1LG_MIN\2("),
    ("a barrier dropped", r"^(\s*)(lg_vk_barrier\([^;]*\)|barrier\(\)|memoryBarrier\w*\(\));$", r"\1;"),
    ("a statement deleted",
     r"^(\s+)([\w>.\[\]*-]+ [-+*|&^]?= [^;{}]+|"
     r"[\w>.\[\]-]+(\+\+|--)|(?!return|break|continue)\w+\([^;{}]*\));$",
     r"\1;"),
]


def lines_to_change(text):
    """Numbers of lines that are code: no comments, directives, texts of messages, declarations alone."""
    comment = False
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        if comment or bare.startswith("/*"):
            comment = "*/" not in bare
            continue
        if bare and not bare.startswith(("//", "#",
         "*")) and '"' not in bare and "_Static_assert" not in bare:
            yield number


def places(path, text):
    """All (change, line, column) of a file."""
    lines = text.split("\n")
    found = []
    for number in lines_to_change(text):
        code = lines[number].split("//")[0].rstrip()
        for index, (_, pattern, _) in enumerate(CHANGES):
            found += [(index, number, m.start()) for m in re.finditer(pattern, code)]
    return found


def mutate(text, place):
    index, number, column = place
    name, pattern, replacement = CHANGES[index]
    lines = text.split("\n")
    code = lines[number].split("//")[0].rstrip()
    match = next(m for m in re.finditer(pattern, code) if m.start() == column)
    changed = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
    before = lines[number]
    lines[number] = code[:column] + changed + code[match.end():]
    return "\n".join(lines), name, number + 1, before.strip(), lines[number].strip()


def draw(rooms, seed):
    """Mutants without end: a kind of change first, so that rare kinds come up, then a place."""
    random_source = random.Random(seed)
    by_kind = {}
    for path in sorted((ROOT / "src").rglob("*")):
        inside = path.relative_to(ROOT / "src").as_posix()
        if path.suffix not in (".c", ".h", ".comp", ".glsl") or inside.endswith("stubs.c") \
                or (rooms and not any(inside.startswith(r) for r in rooms)):
            continue
        for place in places(path, path.read_text()):
            by_kind.setdefault(CHANGES[place[0]][0], []).append((path.relative_to(ROOT), place))
    kinds = sorted(by_kind)
    if not kinds:
        sys.exit("mutate: nothing to change there")
    while True:
        yield random_source.choice(by_kind[random_source.choice(kinds)])


# ---- building and testing ---------------------------------------------------------------------------

def copy_sources():
    """Only what changed, so that the build folder beside it stays useful."""
    list_files = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(list_files, cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    files = {name for name in files if name and (ROOT / name).is_file()}
    for path in [p for p in SOURCE.rglob("*") if p.is_file() and BUILD not in p.parents]:
        if path.relative_to(SOURCE).as_posix() not in files:
            path.unlink()
    for name in files:
        copy = SOURCE / name
        if not copy.exists() or copy.read_bytes() != (ROOT / name).read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy)
            shutil.copymode(ROOT / name, copy)


def set_up():
    again = ["--reconfigure"] if (BUILD / "build.ninja").exists() else []  # files may have come and gone
    subprocess.run(["meson", "setup", *again, str(BUILD), str(SOURCE), "-Dcpu_levels=v3,neon"], check=True,
                   stdout=subprocess.DEVNULL)


def build(targets):
    return subprocess.run(["ninja", "-C", str(BUILD), "-k", "1", *targets], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def environment(short):
    cache = WORK / "cache"
    set_here = {"LUMAGRAPH_TEST_SHORT": str(int(short)), "LUMAGRAPH_VK_POISON": "1",
                "LUMAGRAPH_VK_BARRIERS": "1", "LUMAGRAPH_VK_TIMEOUT": "100000",
                "LUMAGRAPH": str(BUILD / "lumagraph"),
                "XDG_CACHE_HOME": str(cache), "MESA_SHADER_CACHE_DIR": str(cache)}
    return {**os.environ, **set_here}


def run(command, where, short=False):
    """True if it passes."""
    try:
        done = subprocess.run(command, cwd=where, env=environment(short), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def who_notices(names, path, quick):
    if path.suffix in (".comp", ".glsl") and not run([sys.executable, "scripts/kernel_barriers.py"], SOURCE):
        return "kernel_barriers.py"
    for short in (True,) if quick else (True, False):  # most mutants are noticed soon
        for name in names:
            if not run([f"tests/{name}"], BUILD, short):
                return name
    if not quick and not run([str(SOURCE / "tests/cli/run"), str(BUILD / "lumagraph")], SOURCE):
        return "cli"
    return None


def try_mutant(path, place, quick):
    """(outcome, description)"""
    copy, text = SOURCE / path, (SOURCE / path).read_text()
    changed, name, number, before, after = mutate(text, place)
    description = f"{path}:{number} {name}: `{before}` -> `{after}`"
    names = tests_of(path)
    try:
        copy.write_text(changed)
        if not build([f"tests/{n}" for n in names] + ["lumagraph"]):
            return "does not compile", description
        noticed = who_notices(names, path, quick)
        return ("SURVIVES" if noticed is None else f"noticed by {noticed}"), description
    finally:
        copy.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    mutants = draw(options.room, options.seed)
    if options.list:
        for _ in range(options.count):
            path, place = next(mutants)
            _, name, number, before, after = mutate((ROOT / path).read_text(), place)
            print(f"{path}:{number} {name}: `{before}` -> `{after}`")
        return
    copy_sources()
    set_up()
    if not build(["all"]):
        sys.exit("mutate: the sources do not build as they are")
    counted = survivors = 0
    with open(WORK / "results.txt", "a", encoding="utf-8") as results:
        when = time.strftime("%Y-%m-%d %H:%M")
        results.write(f"seed {options.seed} rooms {options.room or 'all'} {when}\n")
        while counted < options.count:
            outcome, description = try_mutant(*next(mutants), options.quick)
            counted += outcome != "does not compile"
            survivors += outcome == "SURVIVES"
            results.write(f"  {outcome}: {description}\n")
            results.flush()
            print(f"{counted}/{options.count} {outcome}: {description}", flush=True)
        summary = f"{counted} mutants, {counted - survivors} noticed, {survivors} survive"
        results.write(f"  {summary}\n")
    print(summary)


main()
