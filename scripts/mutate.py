#!/usr/bin/env python3
"""Changes one place of src/ at a time and counts which changes the tests notice.

usage: mutate.py [--count N] [--skip N] [--seed S] [--room PREFIX ...] [--list] [--quick | --whole]

Each mutant is built in build-mutate/, in a copy of the sources. The tests of the room that was touched
run, until one fails: every program of the room in its short form (LUMAGRAPH_TEST_SHORT=1), the first
three in their usual form too, and the parts of the command-line tests that use the room (PARTS below).
The same seed draws the same mutants from the same sources. What does not compile is not counted. A
survivor is a hole in the tests, or the change does not matter: somebody has to look. In the end the
programs and parts that noticed something run once on the sources as they are: what fails there too has
noticed nothing, and is named. Results are appended to build-mutate/results.txt.

  --room PREFIX   only files whose path begins with src/PREFIX, e.g. measure/histogram; may be repeated
  --skip N        leaves out the first N mutants of the seed, to go on after an interruption
  --quick         short tests of the room alone, to try things out: survivors mean little
  --whole         every program of the room in its usual form, and the whole command-line tests
  --list          draws the mutants and prints them, without building anything
"""
import argparse
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutate"
SOURCE, BUILD = WORK / "source", WORK / "source" / "build"
PATIENCE = 900  # seconds for one test program: a loop that never ends is noticed, a slow machine is not
SIDE_BY_SIDE = 2  # test programs that run at the same time

# Beginning of a path below src/ -> test programs, the fast ones first. Programs whose sources include a
# header of the file's folder come as well.
ROOMS = {
    "measure/moments": "accumulator moments_accuracy moments vulkan_moments faults_measure",
    "measure/histogram": "histogram_figures histogram equalization vulkan_histogram faults_measure",
    "measure/threshold": "otsu_exact threshold vulkan_threshold faults_measure",
    "measure/areasum":
        "areasum_nodes areasum_shapes areasum_tables areasum vulkan_areasum vulkan_ripmap device_areasum "
        "faults_measure",
    "measure/components":
        "components_columns components_select label label_figures vulkan_label graph_label faults_label",
    "io/": "io cube accumulator core_rules pipeline_random tiff tiff_tags faults_tool",
    "graph/": "graph filter_pipelines device_figures graph_chains pipeline_random",
    "filter/native/bilateral": "bilateral bilateral_grid vulkan_bilateral",
    "filter/native/canny": "canny vulkan_canny",
    "filter/native/label": "graph_label",
    "filter/native/local": "local_windows vulkan_natives",
    "filter/native/morphology": "morphology vulkan_natives",
    "filter/native/box_blur": "blur vulkan_blurs",
    "filter/native/gaussian_blur": "blur vulkan_blurs",
    "filter/native/separable": "blur vulkan_blurs",
    "filter/native.": "small_natives graph_label vulkan_natives vulkan_bilateral vulkan_blurs",
    "filter/native/": "small_natives fast_corners vulkan_natives",
    "filter/device_": "graph_chains vulkan_natives vulkan_bilateral vulkan_blurs",
    "filter/":
        "filters filter_corrections byte_tables byte_filters filter_places color_space cube filter_pipelines "
        "graph_chains",
    "vulkan/": "vulkan_core vulkan_faults vulkan_cache vulkan_smoke",
    "device/": "moments graph vulkan_core vulkan_faults vulkan_smoke",
    "kernel/": "filters byte_tables color_space vulkan_moments vulkan_histogram vulkan_areasum vulkan_smoke",
    "cpu/": "moments histogram areasum",
    "core/": "io accumulator threshold histogram graph",
}

# Likewise -> the parts of tests/cli that use it.
PARTS = {
    "measure/areasum": "part_6_areasum",
    "measure/components": "part_7_label",
    "measure/": "part_1_reports part_8_figures",
    "io/": "part_3_formats part_2_failures part_1_reports part_5_run",
    "graph/": "part_5_run part_8_figures part_8_manners",
    "filter/": "part_5_run part_8_figures",
    "vulkan/": "part_8_devices part_1_reports",
    "device/": "part_8_devices part_1_reports part_2_failures",
    "kernel/": "part_5_run part_8_devices part_1_reports part_6_areasum",
    "": "part_1_reports part_2_failures part_5_run",
}


def room_of(path, table):
    inside = path.relative_to("src").as_posix()
    return next((words.split() for prefix, words in table.items() if inside.startswith(prefix)), [])


def tests_of(path):
    inside = path.relative_to("src")
    names = room_of(path, ROOMS)
    folder = f'#include "{inside.parent.as_posix()}/'
    for program in sorted((SOURCE / "tests").glob("*.c")):
        if folder in program.read_text() and program.stem not in names:
            names.append(program.stem)
    return [n for n in names if (SOURCE / "tests" / f"{n}.c").exists()]


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


def start(job):
    """Starts (kind, name) in a group of its own, so that it can be ended as a whole."""
    kind, name = job
    command = [str(BUILD / "tests" / name)]
    if kind == "script":
        command = [sys.executable, str(SOURCE / "scripts" / name)]
    if kind == "cli":
        command = [str(SOURCE / "tests/cli/run"), str(BUILD / "lumagraph")]
        command += [str(SOURCE / "tests/cli" / f"{name}.sh")] if name != "all" else []
    return subprocess.Popen(command, cwd=BUILD, env=environment(kind == "short"), start_new_session=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop(process):
    """Ends a job with all that it started; first so that it can clean up."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(timeout=5)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def first_to_fail(jobs):
    """The job that fails first, with how it did; None when all pass. The others are then ended."""
    jobs, running = list(jobs), {}
    try:
        while jobs or running:
            while jobs and len(running) < SIDE_BY_SIDE:
                running[jobs[0]] = start(jobs[0]), time.monotonic()
                jobs.pop(0)
            for job, (process, begun) in list(running.items()):
                status = process.poll()
                if status == 0:
                    del running[job]
                elif status is not None:
                    return job, f"exit status {status}"
                elif time.monotonic() - begun > PATIENCE:
                    return job, f"no end after {PATIENCE} s"
            time.sleep(0.05)
    finally:
        for process, _ in running.values():
            stop(process)
    return None


def jobs_for(names, path, options):
    jobs = [("script", "kernel_barriers.py")] if path.suffix in (".comp", ".glsl") else []
    jobs += [("short", name) for name in names]  # most mutants are noticed soon
    if options.whole:
        return jobs + [("usual", name) for name in names] + [("cli", "all")]
    if options.quick:
        return jobs
    return jobs + [("usual", name) for name in names[:3]] + [("cli", part) for part in room_of(path, PARTS)]


def has_vulkan():
    """Without a device its tests are skipped, and every mutant of a kernel would survive."""
    done = subprocess.run([str(BUILD / "lumagraph"), "devices"], env=environment(True), check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return "vulkan:0" in done.stdout


def try_mutant(path, place, options):
    """(outcome, the job that noticed it, description)"""
    copy, text = SOURCE / path, (SOURCE / path).read_text()
    changed, name, number, before, after = mutate(text, place)
    description = f"{path}:{number} {name}: `{before}` -> `{after}`"
    names = tests_of(path)
    try:
        copy.write_text(changed)
        modules = [made.name for made in BUILD.glob("*-of-tests")]
        if not build([f"tests/{n}" for n in names] + ["lumagraph"] + modules):
            return "does not compile", None, description
        noticed = first_to_fail(jobs_for(names, path, options))
        if noticed is None:
            return "SURVIVES", None, description
        (kind, name), how = noticed
        return f"noticed by {name} ({kind}: {how})", (kind, name), description
    finally:
        copy.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    mutants = itertools.islice(draw(options.room, options.seed), options.skip, None)
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
    if not has_vulkan():
        sys.exit("mutate: there is no Vulkan device, and its tests would be skipped")
    counted = survivors = 0
    noticing = set()
    with open(WORK / "results.txt", "a", encoding="utf-8") as results:
        when = time.strftime("%Y-%m-%d %H:%M")

        def say(line):
            results.write(f"  {line}\n")
            results.flush()
            print(line, flush=True)

        say(f"seed {options.seed} from {options.skip} rooms {options.room or 'all'} {when}")
        while counted < options.count:
            begun = time.monotonic()
            outcome, job, description = try_mutant(*next(mutants), options)
            counted += outcome != "does not compile"
            survivors += outcome == "SURVIVES"
            noticing |= {job} if job else set()
            say(f"{counted}/{options.count} {outcome}: {description} [{time.monotonic() - begun:.0f} s]")
        say(f"{counted} mutants, {counted - survivors} noticed, {survivors} survive")
        build(["all"])
        for job in sorted(noticing):
            if first_to_fail([job]):
                say(f"{job[1]} ({job[0]}) fails without any change too, so that it noticed nothing")


main()
