#!/usr/bin/env python3
"""Lists the source files of one kind, so that a new file needs no entry in any build list.

usage: sources.py KIND   (core, core-windows, library, vulkan, stubs, io, vips, av, archive, mpi, cpu,
                          shaders, texts, tool, tool-windows, tests, support, fuzz, bench, python-core,
                          python-package)
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def find(folder, pattern):
    return sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / folder).rglob(pattern))


def main():
    kind = sys.argv[1]
    # Filters with a kernel are collected by filters.py.
    sources = [s for s in find("src", "*.c")
               if not s.startswith(("src/shaderc/", "src/windows/"))
               and (not s.startswith("src/filter/") or s.count("/") == 2 or "/native/" in s)]
    if kind == "core":
        names = [s for s in sources if s.startswith("src/core/")]
    elif kind == "core-windows":  # a source of the same name as one of the core takes its place
        own = [s for s in find("src/windows", "*.c") if s != "src/windows/windows_program.c"]
        names = [s for s in sources if s.startswith("src/core/")
                 and s.replace("/core/", "/windows/windows_") not in own] + own
    elif kind == "library":
        names = [s for s in sources if not s.endswith("_cpu.c") and "/vulkan/" not in s
                 and not s.endswith(("_vulkan.c", "stubs.c"))
                 and not s.startswith(("src/core/", "src/io/"))]
    elif kind == "vulkan":
        names = [s for s in sources if ("/vulkan/" in s or s.endswith("_vulkan.c"))
                 and not s.endswith("stubs.c")]
    elif kind == "stubs":
        names = [s for s in sources if s.endswith("stubs.c")]
    elif kind == "io":
        names = [s for s in sources if s.startswith("src/io/")
                 and not s.startswith(("src/io/vips/", "src/io/av/", "src/io/archive/", "src/io/mpi/"))]
    elif kind == "vips":
        names = [s for s in sources if s.startswith("src/io/vips/")]
    elif kind == "av":
        names = [s for s in sources if s.startswith("src/io/av/")]
    elif kind == "archive":
        names = [s for s in sources if s.startswith("src/io/archive/")]
    elif kind == "mpi":
        names = [s for s in sources if s.startswith("src/io/mpi/")]
    elif kind == "cpu":
        names = [s for s in sources if s.endswith("_cpu.c")]
    elif kind == "shaders":
        names = find("src", "*.comp")
    elif kind == "texts":
        names = find("src/filter", "*.glsl") + find("src/graph", "*.glsl")
    elif kind == "support":
        names = find("tests/support", "*.c")
    elif kind == "fuzz":
        names = find("tests/fuzz", "fuzz_*.c")
    elif kind in ("tool", "tests", "bench"):
        names = [p for p in find(kind, "*.c") if p.count("/") == 1 and
                 p not in ("tool/program_windows.c", "tool/team_link_windows.c")]
    elif kind == "tool-windows":
        names = [p for p in find("tool", "*.c") if p not in ("tool/program.c", "tool/team_link.c")]
    elif kind == "python-core":
        names = [p.removeprefix("python/") for p in find("python/_core", "*.c")]
    elif kind == "python-package":
        names = [p.removeprefix("python/") for pattern in ("*.py", "*.pyi", "py.typed")
                 for p in find("python/lumagraph", pattern) if p.count("/") == 2]
    else:
        sys.exit(f"sources.py: unknown kind {kind}")
    print("\n".join(names))


main()
