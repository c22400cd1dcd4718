#!/usr/bin/env python3
"""Times integral images of OpenCV, and two cumulative sums of CuPy where there is a GPU. Prints CSV.

usage: areasum_peers.py [THREADS [SIZES]]   (sizes: 1920x1080,3840x2160)

OpenCV writes into memory that is there already, as lg_areasum_update does.
"""
import statistics
import sys
import time

import numpy as np


def row(peer, what, width, height, seconds, bytes_per_pixel):
    rate = bytes_per_pixel * width * height / seconds / 1e9
    print(f'{peer},"{what}",{width},{height},{seconds * 1e6:.2f},{rate:.2f}', flush=True)


def noise(width, height, dtype):
    generator = np.random.default_rng(1)
    if dtype == np.uint8:
        return generator.integers(0, 256, (height, width), dtype=np.uint8)
    return generator.random((height, width), dtype=np.float32)


def median(call, samples=15):
    times = []
    for _ in range(samples + 3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times[3:])


def opencv(threads, sizes):
    try:
        import cv2
    except ImportError:
        print("left out: OpenCV", file=sys.stderr)
        return
    cv2.setNumThreads(threads)
    cases = [("integral u8 -> i32", np.uint8, np.int32, cv2.CV_32S, 5),
             ("integral f32 -> f64", np.float32, np.float64, cv2.CV_64F, 12),
             ("integral f32 -> f32", np.float32, np.float32, cv2.CV_32F, 8)]
    for width, height in sizes:
        for what, dtype, sums, depth, bytes_per_pixel in cases:
            image, out = noise(width, height, dtype), np.empty((height + 1, width + 1), sums)
            seconds = median(lambda: cv2.integral(image, out, depth))
            row(f"opencv {cv2.__version__}", what, width, height, seconds, bytes_per_pixel)


def cupy(sizes):
    try:
        import cupy as cp
        cp.cuda.Device(0).use()
    except Exception:  # what a missing driver raises is CuPy's own
        print("left out: CuPy", file=sys.stderr)
        return
    for width, height in sizes:
        image = cp.asarray(noise(width, height, np.float32))
        times = []
        for _ in range(13):
            start, stop = cp.cuda.Event(), cp.cuda.Event()
            start.record()
            cp.cumsum(cp.cumsum(image, axis=1), axis=0)
            stop.record()
            stop.synchronize()
            times.append(cp.cuda.get_elapsed_time(start, stop) / 1e3)
        row("cupy", "two cumsums f32", width, height, statistics.median(times[3:]), 8)


def main():
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    sizes = sys.argv[2] if len(sys.argv) > 2 else "3840x2160,8192x8192"
    sizes = [tuple(map(int, size.split("x"))) for size in sizes.split(",")]
    print("peer,what,width,height,us,gb_per_s")
    opencv(threads, sizes)
    cupy(sizes)


if __name__ == "__main__":
    main()
