#!/usr/bin/env python3
"""The Python extension with checks that no wheel has: under the sanitizers of addresses and of
undefined behaviour, and in an interpreter that was built for debugging, which counts references.

usage: python_checked.py TOOL

TOOL is in the folder of a build, whose static library the extension is linked with. A debug build of Python
is found as python3-dbg (Debian's package of that name). What the tests need is fetched with pip.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from environment import environment

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEEDED = ["numpy", "pytest", "hypothesis", "scikit-image", "dask[array]"]
FLAGS = ["-shared", "-fPIC", "-O1", "-g", "-std=gnu11", "-fvisibility=hidden", "-fno-omit-frame-pointer",
         "-DPy_LIMITED_API=0x030b0000", "-Wl,--exclude-libs,ALL"]
# Tests of types and of other programs see nothing of the extension; long counts of blocks are of a release.
TESTS = ["stream", "areas", "arrays", "labels", "states", "run", "measure", "context"]
LEFT_OUT = "not leave_nothing"
counts = {"passed": 0, "failed": 0, "skipped": 0}


def skip(reason):
    print(f"skipped: {reason}")
    counts["skipped"] += 1


def run(command, **more):
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **more)


def package(folder, python, library, flags, more):
    """A folder with the package, whose extension is compiled with these flags. False after a message."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "lumagraph", folder / "lumagraph")
    headers = run([python, "-c", "import sysconfig; print(sysconfig.get_path('include'))"]).stdout.strip()
    core = folder / "lumagraph" / "_core.abi3.so"
    sources = sorted((ROOT / "python" / "_core").glob("*.c"))
    steps = [["cc", *FLAGS, *flags, f"-I{ROOT}/include", f"-I{headers}", *sources, library, "-lm",
              "-lpthread", "-ldl", "-o", core]]
    steps += [[python, ROOT / "python" / "generate.py", core, kind, folder / "lumagraph" / name]
              for kind, name in (("module", "filters.py"), ("stub", "filters.pyi"))]
    for step in steps:
        done = run(step, env={**os.environ, **(more if step[0] == python else {})})
        if done.returncode:
            print(done.stdout[-3000:])
            return False
    return True


def check(name, interpreter, library, flags=(), more=None):
    work = library.parent / "python-checked"
    work.mkdir(exist_ok=True)
    python = environment(interpreter, work / f"{name}-venv", NEEDED)
    if python is None:
        return skip(f"{name}: pip cannot fetch what the tests need")
    # Without Vulkan: drivers have findings of their own.
    more = {"VK_ICD_FILENAMES": os.devnull, "VK_DRIVER_FILES": os.devnull, **(more or {})}
    if not package(work / name, python, library, flags, more):
        counts["failed"] += 1
        return None
    files = [ROOT / "python" / "tests" / f"test_{t}.py" for t in TESTS]
    test = ["-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", LEFT_OUT]
    done = run([python, *test, *files],
               env={**os.environ, **more, "PYTHONPATH": work / name}, cwd=work)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""
    found = {kind: int(n) for n, kind in re.findall(r"(\d+) (passed|failed|error|skipped)", last)}
    failed = found.get("failed", 0) + found.get("error", 0) or int(done.returncode != 0)
    if failed:
        print(done.stdout[-6000:])
    counts["passed"] += found.get("passed", 0)
    counts["failed"] += failed
    counts["skipped"] += found.get("skipped", 0)
    print(f"{name}: {last}")
    return None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library = pathlib.Path(sys.argv[1]).resolve().parent / "liblumagraph.a"
    if not library.exists():
        skip(f"there is no {library.name} beside the tool")
    else:
        preload = [run(["cc", f"-print-file-name=lib{name}.so"]).stdout.strip() for name in ("asan", "ubsan")]
        if all(os.path.isabs(p) for p in preload):
            check("address", sys.executable, library, ["-fsanitize=address,undefined"],
                  {"LD_PRELOAD": " ".join(preload), "PYTHONMALLOC": "malloc",
                   "ASAN_OPTIONS":
                   "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1",
                   "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"})
        else:
            skip("address: the compiler has no sanitizers")
        debug = shutil.which("python3-dbg")
        look = "import os, sysconfig; os.stat(sysconfig.get_path('include') + '/Python.h')"
        if debug and not run([debug, "-c", look]).returncode:
            check("debug", debug, library, more={"PYTHONMALLOC": "debug"})
        else:
            skip("debug: there is no python3-dbg with its headers")
    line = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"python_checked: {line}")
    sys.exit(counts["failed"] > 0)


main()
