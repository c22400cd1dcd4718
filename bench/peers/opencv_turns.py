#!/usr/bin/env python3
"""Times filters of ours and of OpenCV call by call in turns, in one process. Prints CSV.

usage: opencv_turns.py PLAN_SHARED.so CONTENT_SHARED.so THREADS SIZE SECONDS [TASK]...
(size: 3840x2160; SECONDS a task at least; a task of opencv_tasks.py is named by a part of its name)

For machines with other work on them: the least wall time of the calls, and the least time that processors
spent on a call, of all threads, which other work disturbs less. A ratio is OpenCV's time over ours.
"""
import csv
import ctypes
import sys
import time

import cv2
import numpy as np

from opencv_peer import TYPES, picture
from opencv_tasks import TASKS

FIELDS = ["task", "variant", "peer", "type", "channels", "width", "height", "threads", "calls",
          "ours_wall_us", "peer_wall_us", "wall_ratio", "ours_processor_us", "peer_processor_us",
          "processor_ratio"]


def library(path):
    plans = ctypes.CDLL(path)
    plans.bench_plan_open.restype = ctypes.c_void_p
    plans.bench_plan_run.argtypes = [ctypes.c_void_p]
    return plans


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def timed(call):
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - processor


def in_turns(calls, seconds, least=5):
    """The least wall and processor time of each call, and how often each was made."""
    for call in calls:
        call()
    times, end = [[] for _ in calls], time.perf_counter() + seconds
    while len(times[0]) < least or time.perf_counter() < end:
        for k, call in enumerate(calls):
            times[k].append(timed(call))
    return [[min(t) * 1e6 for t in zip(*rows)] for rows in times], len(times[0])


def main():
    plans, content = library(sys.argv[1]), ctypes.CDLL(sys.argv[2])
    threads, seconds = int(sys.argv[3]), float(sys.argv[5])
    width, height = map(int, sys.argv[4].split("x"))
    cv2.setNumThreads(threads)
    out = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    out.writeheader()
    for task in TASKS:
        if sys.argv[6:] and not any(part in task.name for part in sys.argv[6:]):
            continue
        image = picture(content, width, height, task.channels, task.type, "natural")
        seen = np.ascontiguousarray(image[:, :, :3]) if task.channels == 4 else image
        plan = plans.bench_plan_open(task.pipeline.encode(), width, height, task.channels,
                                     TYPES[task.type][0], pointer(image), None, 0, threads)
        if not plan:
            sys.exit(1)
        calls = [lambda: plans.bench_plan_run(plan)]
        calls += [lambda call=make(seen): call(seen, 256) for make in task.variants.values()]
        (ours, *theirs), count = in_turns(calls, seconds)
        for variant, peer in zip(task.variants, theirs):
            row = [task.name, variant, f"OpenCV {cv2.__version__}", task.type, task.channels, width, height,
                   threads, count, f"{ours[0]:.0f}", f"{peer[0]:.0f}", f"{peer[0] / ours[0]:.2f}",
                   f"{ours[1]:.0f}", f"{peer[1]:.0f}", f"{peer[1] / ours[1]:.2f}"]
            out.writerow(dict(zip(FIELDS, row)))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
