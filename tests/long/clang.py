#!/usr/bin/env python3
"""Clang reads every source of the build as the build compiles it, without a warning.

usage: clang.py TOOL

The sanitizers' builds, which clang compiles in CI, have no Vulkan. Sources are read once; those of kernels
once for the lowest instruction set, and once for one with wide vectors.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

# Passes of gcc's optimiser that clang does not know.
ONLY_GCC = ("-fno-tree-pre", "-fno-thread-jumps")
LENIENT = ["-Werror", "-fsyntax-only", "-Qunused-arguments", "-Wno-unknown-warning-option",
           "-Wno-ignored-optimization-argument"]
LEVELS_LEFT_OUT = ("libcpu_v2", "libcpu_v4", "libfilters_v")


def reading(entry):
    """The command by which clang reads what this entry compiles."""
    words = shlex.split(entry["command"])
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    plus = pathlib.Path(words[0]).name in ("c++", "g++")
    kept, skip = [], False
    for word in words[1:]:
        if skip or word in ("-o", "-MF", "-MQ"):
            skip = not skip
        elif word not in ("-MD", "-c", *ONLY_GCC):
            kept.append(word)
    return ["clang++" if plus else "clang", *kept, *LENIENT]


def check(entry):
    done = subprocess.run(reading(entry), cwd=entry["directory"], capture_output=True, text=True,
                          errors="replace")
    return entry["file"], done.returncode == 0, done.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve().parent
    if not shutil.which("clang"):
        print("skipped: clang is missing\nclang: 0 passed, 0 failed, 1 skipped")
        return 0
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if not entry["output"].startswith(LEVELS_LEFT_OUT):
            entries.setdefault((entry["file"], "libcpu_v3" in entry["output"]), entry)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, good, said in pool.map(check, entries.values()):
            if not good:
                failed += 1
                print(f"FAILED: {file}\n{said[:2000]}")
    print(f"clang: {len(entries) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


sys.exit(main())
