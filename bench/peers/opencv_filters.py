#!/usr/bin/env python3
"""Times filters of ours and of OpenCV in turn, on the same pixels. Writes CSV and a table.

usage: opencv_filters.py LUMAGRAPH-BENCH CONTENT_SHARED.so THREADS SIZE ROUNDS FOLDER [TASK]...
(size: 3840x2160; a task is named by a part of its name, none: all)

A round times every task (opencv_tasks.py), ours and then OpenCV's, so that both see the same state of the
machine.
FOLDER/filters_ours.csv: the rows of our benchmark, FOLDER/filters_opencv.csv: OpenCV's, both with their
round; FOLDER/filters.txt: per task the median of the rounds' medians, the quietest round, and the ratio
(OpenCV's time over ours) of each. A chain of point filters is also set beside the copy ceiling.
"""
import csv
import ctypes
import pathlib
import statistics
import subprocess
import sys

import cv2
import numpy as np

from opencv_peer import FIELDS, measure, picture
from opencv_tasks import TASKS

def ours(bench, task, threads, width, height):
    command = [bench, "filter", "--device", "cpu", "--threads", str(threads), "--size", f"{width}x{height}",
               "--type", task.type, "--channels", str(task.channels), "--content", "natural", "--regime",
               "warm", "--pipeline", task.pipeline, "--csv"]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    row = next(csv.DictReader(text.splitlines()))
    if row["unavailable"]:
        sys.exit(f"{task.name}: {row['unavailable']}")
    return row


def theirs(library, task, make, variant, width, height):
    image = picture(library, width, height, task.channels, task.type, "natural")
    if task.channels == 4:
        image = np.ascontiguousarray(image[:, :, :3])
    times, _ = measure(make(image), [image], 256)
    return dict(peer=f"OpenCV {cv2.__version__}", bench=task.name, variant=variant, type=task.type,
                channels=image.ndim == 3 and 3 or 1, content="natural", width=width, height=height,
                regime="warm", samples=len(times), call_median_us=f"{statistics.median(times) * 1e6:.3f}",
                call_min_us=f"{min(times) * 1e6:.3f}")


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def medians(rows):
    values = [float(r["call_median_us"]) for r in rows]
    return statistics.median(values), min(values)


def report(tasks, mine, peers, out):
    print(f"{'task':26} {'':6} {'ours us':>9} {'quietest':>9}  {'peer':34} {'us':>10} {'quietest':>10} "
          f"{'ratio':>6} {'quietest':>9}", file=out)
    for task in tasks:
        rows = [r for r in mine if r["task"] == task.name]
        median, least = medians(rows)
        start = f"{task.name:26} {task.type:>3} x{task.channels} {median:9.0f} {least:9.0f} "
        if "," in task.pipeline or task.name.startswith("four"):
            # Of the copies too, the fastest; each round has its own beside it.
            part = [float(r["of_ceiling"]) for r in rows]
            copy = max(float(r["ceiling_gb_per_s"]) for r in rows)
            moved = float(rows[0]["bytes_read"]) + float(rows[0]["bytes_written"])
            print(f"{start} {'copy, in the same call / fastest':34} {moved / copy / 1e3:10.0f} {'':10} "
                  f"{statistics.median(part):6.2f} {moved / copy / 1e3 / least:9.2f}", file=out)
        for variant in task.variants:
            theirs_median, theirs_least = medians(
                [r for r in peers if r["bench"] == task.name and r["variant"] == variant])
            print(f"{start} {variant:34} {theirs_median:10.0f} {theirs_least:10.0f} "
                  f"{theirs_median / median:6.2f} {theirs_least / least:9.2f}", file=out)


def main():
    bench, content, threads, size, rounds, folder = sys.argv[1:7]
    library = ctypes.CDLL(content)
    cv2.setNumThreads(int(threads))
    width, height = map(int, size.split("x"))
    tasks = [t for t in TASKS if not sys.argv[7:] or any(part in t.name for part in sys.argv[7:])]
    mine, peers = [], []
    for number in range(int(rounds)):
        for task in tasks:
            mine.append({"round": number, "task": task.name, **ours(bench, task, threads, width, height)})
            for variant, make in task.variants.items():
                row = theirs(library, task, make, variant, width, height)
                peers.append({"round": number, **{k: row.get(k, "") for k in FIELDS}})
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "filters_ours.csv", mine)
    write(folder / "filters_opencv.csv", peers)
    with open(folder / "filters.txt", "w") as file:
        report(tasks, mine, peers, file)
    report(tasks, mine, peers, sys.stdout)


main()
