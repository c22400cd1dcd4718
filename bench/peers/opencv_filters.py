#!/usr/bin/env python3
"""Times filters of ours and of OpenCV in turn, on the same pixels. Writes CSV and a table.

usage: opencv_filters.py LUMAGRAPH-BENCH CONTENT_SHARED.so THREADS SIZE ROUNDS FOLDER   (size: 3840x2160)

A round times every task, ours and then OpenCV's, so that both see the same state of the machine.
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

CHAIN = [("contrast", 1.2), ("contrast", 0.9), ("contrast", 1.1), ("contrast", 1.3)]
AFFINE = "brightness:brightness=0.1 | contrast:contrast=1.5 | color_invert | exposure:exposure=0.3"
CURVES = "gamma:gamma=0.8 | brightness:brightness=0.05 | levels:min=0.1:gamma=1.2:max=0.9 | color_invert"
MIXED = "brightness:brightness=0.1 | contrast:contrast=1.5 | saturation:saturation=1.4 | color_invert"
CANNY = {"sigma": 2, "low": 0.1, "high": 0.4}


def buffers(image, count):
    return [np.empty_like(image) for _ in range(count)]


def convert_chain(image):
    """One convertTo per filter: c' = (c - 127.5) k + 127.5."""
    out = buffers(image, 2)

    def run(source, _):
        for i, (_, k) in enumerate(CHAIN):
            source = cv2.convertScaleAbs(source, out[i % 2], k, 127.5 * (1 - k))
        return source
    return run


def lut_chain(image):
    """One LUT per filter, tables made beforehand."""
    out = buffers(image, 2)
    steps = [np.clip(np.rint((np.arange(256) - 127.5) * k + 127.5), 0, 255).astype(np.uint8)
             for _, k in CHAIN]

    def run(source, _):
        for i, table in enumerate(steps):
            source = cv2.LUT(source, table, out[i % 2])
        return source
    return run


def lut_once(image):
    """What a careful user writes: one LUT for all four."""
    out = buffers(image, 1)[0]
    values = np.arange(256.0)
    for _, k in CHAIN:
        values = (values - 127.5) * k + 127.5
    table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return lambda source, _: cv2.LUT(source, table, out)


def box(image):
    out = buffers(image, 1)[0]
    return lambda source, _: cv2.blur(source, (31, 31), out, borderType=cv2.BORDER_REPLICATE)


def gaussian(size):
    def make(image):
        out = buffers(image, 1)[0]
        return lambda source, _: cv2.GaussianBlur(source, (size, size), 10, out,
                                                  borderType=cv2.BORDER_REPLICATE)
    return make


def dilate(image):
    out, window = buffers(image, 1)[0], np.ones((31, 31), np.uint8)
    return lambda source, _: cv2.dilate(source, window, out, borderType=cv2.BORDER_REPLICATE)


def bilateral(image):
    out = buffers(image, 1)[0]
    return lambda source, _: cv2.bilateralFilter(source, 11, 25.5, 3, out,
                                                 borderType=cv2.BORDER_REPLICATE)


def canny(blurred):
    # Sobel's sums of bytes: 4 * 255 is what we call 1.
    low, high = (4 * 255 * CANNY[k] for k in ("low", "high"))

    def make(image):
        smooth, out = buffers(image, 2)

        def run(source, _):
            if blurred:
                cv2.GaussianBlur(source, (0, 0), CANNY["sigma"], smooth, borderType=cv2.BORDER_REPLICATE)
                source = smooth
            return cv2.Canny(source, low, high, out, 3, True)
        return run
    return make


def contrasts():
    return " | ".join(f"{name}:{name}={k}" for name, k in CHAIN)


# name, our pipeline, channels, goal, {OpenCV's variant: how to make its call}
TASKS = [
    ("four contrasts", contrasts(), 4, "0.7 of a copy",
     {"4 x convertScaleAbs": convert_chain, "4 x LUT": lut_chain, "1 x LUT": lut_once}),
    ("four affine filters", AFFINE, 4, "0.7 of a copy", {}),
    ("four curves", CURVES, 4, "0.7 of a copy", {}),
    ("four, one mixes channels", MIXED, 4, "0.7 of a copy", {}),
    ("box 31 x 31", "box_blur:radius=15", 4, "6", {"blur": box}),
    ("Gaussian, sigma 10", "gaussian_blur:sigma=10", 1, "6",
     {"GaussianBlur, its own size": gaussian(0), "GaussianBlur, 61 taps": gaussian(61)}),
    ("dilation 31 x 31", "dilation:radius=15", 1, "4", {"dilate": dilate}),
    ("bilateral, d = 11", "bilateral:radius=5:sigma_space=3:sigma_color=0.1", 1, "3",
     {"bilateralFilter": bilateral}),
    ("Canny, sigma 2", "canny_edge_detection", 1, "4", {"GaussianBlur + Canny": canny(True)}),
    ("Canny, no blur", "canny_edge_detection:sigma=0", 1, "4", {"Canny": canny(False)}),
]


def ours(bench, task, threads, width, height):
    _, pipeline, channels, _, _ = task
    command = [bench, "filter", "--device", "cpu", "--threads", str(threads), "--size", f"{width}x{height}",
               "--type", "u8", "--channels", str(channels), "--content", "natural", "--regime", "warm",
               "--pipeline", pipeline, "--csv"]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return next(csv.DictReader(text.splitlines()))


def theirs(library, task, make, variant, width, height):
    name, _, channels, _, _ = task
    image = picture(library, width, height, channels, "u8", "natural")
    times, _ = measure(make(image), [image], 256)
    return dict(peer=f"OpenCV {cv2.__version__}", bench=name, variant=variant, type="u8", channels=channels,
                content="natural", width=width, height=height, regime="warm", samples=len(times),
                call_median_us=f"{statistics.median(times) * 1e6:.3f}",
                call_min_us=f"{min(times) * 1e6:.3f}")


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def medians(rows):
    values = [float(r["call_median_us"]) for r in rows]
    return statistics.median(values), min(values)


def report(mine, peers, out):
    print(f"{'task':26} {'u8 x':>4} {'goal':>13} {'ours us':>9} {'quietest':>9}  {'peer':34} {'us':>10} "
          f"{'quietest':>10} {'ratio':>6} {'quietest':>9}", file=out)
    for name, _, channels, goal, variants in TASKS:
        rows = [r for r in mine if r["task"] == name]
        median, least = medians(rows)
        start = f"{name:26} {channels:4} {goal:>13} {median:9.0f} {least:9.0f} "
        if channels == 4:
            # Of the copies too, the fastest; each round has its own beside it.
            part = [float(r["of_ceiling"]) for r in rows]
            copy = max(float(r["ceiling_gb_per_s"]) for r in rows)
            moved = float(rows[0]["bytes_read"]) + float(rows[0]["bytes_written"])
            print(f"{start} {'copy, in the same call / fastest':34} {moved / copy / 1e3:10.0f} {'':10} "
                  f"{statistics.median(part):6.2f} {moved / copy / 1e3 / least:9.2f}", file=out)
        for variant in variants:
            theirs_median, theirs_least = medians([r for r in peers if r["variant"] == variant])
            print(f"{start} {variant:34} {theirs_median:10.0f} {theirs_least:10.0f} "
                  f"{theirs_median / median:6.1f} {theirs_least / least:9.1f}", file=out)


def main():
    bench, content, threads, size, rounds, folder = sys.argv[1:7]
    library = ctypes.CDLL(content)
    cv2.setNumThreads(int(threads))
    width, height = map(int, size.split("x"))
    mine, peers = [], []
    for number in range(int(rounds)):
        for task in TASKS:
            mine.append({"round": number, "task": task[0], **ours(bench, task, threads, width, height)})
            for variant, make in task[4].items():
                row = theirs(library, task, make, variant, width, height)
                peers.append({"round": number, **{k: row.get(k, "") for k in FIELDS}})
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "filters_ours.csv", mine)
    write(folder / "filters_opencv.csv", peers)
    with open(folder / "filters.txt", "w") as file:
        report(mine, peers, file)
    report(mine, peers, sys.stdout)


main()
