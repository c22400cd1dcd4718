#!/usr/bin/env python3
"""Times our area sums and OpenCV's integral images in turns, so that other work on the machine meets both.

usage: areasum_alternate.py build/liblumagraph.so [OPTIONS]    (--help names them)

Prints CSV: medians, the best, medians of processor time (of all threads together), how many times as long as
ours OpenCV's median and best are, and beside how many samples something else ran. Both write into memory that
is there; with --fresh each call gets new memory, freed in between.
"""
import argparse
import ctypes
import statistics
import time

import cv2
import numpy as np

U8, F32 = 0, 4
DIMS = 6


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("dims", ctypes.c_int),
                ("channels", ctypes.c_int), ("extent", ctypes.c_int64 * DIMS),
                ("stride", ctypes.c_int64 * DIMS)]


class Params(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("precision", ctypes.c_int), ("squares", ctypes.c_bool),
                ("extremes", ctypes.c_bool), ("counts_above", ctypes.c_bool),
                ("above", ctypes.c_double), ("bins", ctypes.c_int), ("low", ctypes.c_double),
                ("high", ctypes.c_double), ("nan", ctypes.c_int), ("memory_limit", ctypes.c_size_t),
                ("share_array", ctypes.c_bool)]


class ContextParams(ctypes.Structure):
    _fields_ = [("device", ctypes.c_int), ("device_index", ctypes.c_int), ("threads", ctypes.c_int),
                ("cpu_level", ctypes.c_int), ("log", ctypes.c_void_p),
                ("log_priv", ctypes.c_void_p), ("cache_dir", ctypes.c_char_p),
                ("use_cache", ctypes.c_bool), ("validation", ctypes.c_bool)]


class Ours:
    def __init__(self, path, threads):
        self.library = ctypes.CDLL(path)
        self.context = ctypes.c_void_p()
        params = ContextParams(device=1, device_index=-1, threads=threads, cpu_level=-1)
        if self.library.lg_context_create(ctypes.byref(params), ctypes.byref(self.context), None):
            raise SystemExit("no context")

    def builder(self, image, kind, precision, fresh):
        array = Array(data=image.ctypes.data, type=U8 if image.dtype == np.uint8 else F32, dims=2,
                      channels=1)
        array.extent[0], array.extent[1] = image.shape[1], image.shape[0]
        array.stride[0], array.stride[1] = image.itemsize, image.strides[0]
        params = Params(kind=kind, precision=precision, high=1, memory_limit=16 << 30)
        sums = ctypes.c_void_p()
        library, context = self.library, self.context
        create = lambda: library.lg_areasum_create(context, ctypes.byref(array),
                                                   ctypes.byref(params), ctypes.byref(sums), None)
        destroy = lambda: library.lg_areasum_destroy(ctypes.byref(sums))
        if fresh:
            return lambda: (create(), destroy()), lambda: image is None
        create()
        return lambda: library.lg_areasum_update(context, sums, ctypes.byref(array), None), destroy


def opencv(image, depth, fresh):
    if fresh:
        return lambda: cv2.integral(image, None, depth)
    sums = {cv2.CV_32S: np.int32, cv2.CV_32F: np.float32, cv2.CV_64F: np.float64}[depth]
    out = np.zeros((image.shape[0] + 1, image.shape[1] + 1), sums)
    return lambda: cv2.integral(image, out, depth)


def alone():
    """Whether nothing else runs now."""
    with open("/proc/loadavg") as file:
        return int(file.read().split()[3].split("/")[0]) <= 1


def wait_until_alone(until):
    calm = 0
    while calm < 3 and time.monotonic() < until:
        calm = calm + 1 if alone() else 0
        time.sleep(0.0005 if calm else 0.003)


def in_turns(calls, samples, patience):
    """Samples beside which something else ran are taken again, for so many seconds."""
    taken = [[] for _ in calls]
    until = time.monotonic() + patience
    for call in calls:
        call()
    while len(taken[0]) < samples:
        turn = []
        for call in calls:
            wait_until_alone(until)
            start, busy = time.perf_counter(), time.process_time()
            call()
            turn.append((time.perf_counter() - start, time.process_time() - busy, alone()))
        if all(sample[2] for sample in turn) or time.monotonic() >= until:
            for samples_of, sample in zip(taken, turn):
                samples_of.append(sample)
    disturbed = sum(not all(turn[i][2] for turn in taken) for i in range(samples))
    return [(statistics.median(s[0] for s in of), min(s[0] for s in of),
             statistics.median(s[1] for s in of)) for of in taken], disturbed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--size", default="3840x2160,8192x8192")
    parser.add_argument("--samples", type=int, default=31)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--patience", type=float, default=0,
                        help="seconds a case may wait for a machine on which nothing else runs")
    options = parser.parse_args()
    ours = Ours(options.library, options.threads)
    cv2.setNumThreads(options.threads)
    cases = [("table u8 -> u32", np.uint8, 0, 0, cv2.CV_32S),
             ("table f32 exact -> i64", np.float32, 0, 0, cv2.CV_64F),
             ("table f32 plain -> f32", np.float32, 0, 1, cv2.CV_32F)]
    print("what,width,height,ours_ms,ours_best_ms,ours_cpu_ms,opencv_ms,opencv_best_ms,opencv_cpu_ms,"
          "ratio,ratio_best,disturbed")
    for size in options.size.split(","):
        width, height = map(int, size.split("x"))
        for what, dtype, kind, precision, depth in cases:
            generator = np.random.default_rng(1)
            image = (generator.integers(0, 256, (height, width), dtype=np.uint8)
                     if dtype == np.uint8 else generator.random((height, width), dtype=np.float32))
            build, end = ours.builder(image, kind, precision, options.fresh)
            (a, b), disturbed = in_turns([build, opencv(image, depth, options.fresh)],
                                         options.samples, options.patience)
            end()
            figures = ",".join(f"{seconds * 1e3:.3f}" for seconds in a + b)
            print(f'"{what}",{width},{height},{figures},{b[0] / a[0]:.2f},{b[1] / a[1]:.2f},'
                  f'{disturbed}', flush=True)


main()
