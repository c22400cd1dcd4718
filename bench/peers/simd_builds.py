#!/usr/bin/env python3
"""Times filters of two builds of ours and of the Simd library in turns, in one process, one thread each.
Prints CSV.

usage: simd_builds.py BEFORE.so AFTER.so CONTENT_SHARED.so LIBSIMD.so SIZE SECONDS [TASK]...
(BEFORE and AFTER: plan_shared.c with either build, linked with -Wl,-Bsymbolic; the rest as for simd_turns.py,
whose tasks these are)

For machines with other work on them: medians and least times are the processor's, of the one thread.
"""
import csv
import ctypes
import statistics
import sys
import time

import numpy as np

from simd_turns import NATURAL, TASKS, View, opened

WHO = ["before", "after", "simd"]
FIELDS = ["task", "channels", "width", "height", "calls", *(f"{w}_us" for w in WHO),
          *(f"least_{w}_us" for w in WHO), "after_of_before", "ratio"]


def in_turns(calls, seconds, least=21):
    for call in calls:
        call()
    times = [[] for _ in calls]
    while len(times[0]) < least or sum(map(sum, times)) < seconds:
        for k, call in enumerate(calls):
            start = time.thread_time()
            call()
            times[k].append(time.thread_time() - start)
    return [[t * 1e6 for t in row] for row in times]


def main():
    before, after, content, simd = (ctypes.CDLL(path) for path in sys.argv[1:5])
    width, height = map(int, sys.argv[5].split("x"))
    out = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    out.writeheader()
    for task in TASKS:
        wanted = not sys.argv[7:] or any(part in task.name for part in sys.argv[7:])
        if task.ours.startswith("measure ") or not wanted:
            continue
        shape = (height, width) + ((task.channels,) if task.channels > 1 else ())
        view = View(np.empty(shape, np.uint8))
        if content.bench_fill(view.at, width, height, task.channels, 0, NATURAL):
            sys.exit("simd_builds: memory is used up")
        second = View(np.ascontiguousarray(view.array[::-1])) if task.second else None
        calls = []
        for build in (before, after):
            handle = opened(build.bench_plan_open, task.ours.encode(), width, height, task.channels, 0,
                            view.at, second.at if second else None, 0, 1)
            calls.append(lambda build=build, handle=handle: build.bench_plan_run(handle))
        calls.append(task.make(simd, view, second)[0])
        times = in_turns(calls, float(sys.argv[6]))
        least = [min(t) for t in times]
        row = [task.name, task.channels, width, height, len(times[0]),
               *(f"{statistics.median(t):.0f}" for t in times), *(f"{t:.0f}" for t in least),
               f"{least[1] / least[0]:.3f}", f"{least[2] / least[1]:.2f}"]
        out.writerow(dict(zip(FIELDS, row)))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
