#!/usr/bin/env python3
"""Times filters and measurements of ours and of the Simd library call by call in turns, in one process, one
thread each. Prints CSV.

usage: simd_turns.py PLAN_SHARED.so MEASURE_SHARED.so CONTENT_SHARED.so LIBSIMD.so SIZE SECONDS [TASK]...
(size: 3840x2160; SECONDS a task at least; a task is named by a part of its name)

Simd's functions are called from one thread. The least wall time of the calls; a ratio is Simd's time over
ours. Natural bytes of one or four channels without padding. Some results differ: the column `differs` says
in what.
"""
import collections
import csv
import ctypes
import sys
import time

import numpy as np

FIELDS = ["task", "differs", "peer", "channels", "width", "height", "calls", "ours_us", "simd_us", "ratio"]
NATURAL = 1

# name, our pipeline or measurement, channels, how to make Simd's call from (simd, image, second image), what
# is not the same; second: whether there are two images
Task = collections.namedtuple("Task", "name ours channels make differs second", defaults=("", False))


def size_t(*values):
    return [ctypes.c_size_t(v) for v in values]


class View:
    """Pixels, as Simd's functions take them."""
    def __init__(self, array):
        self.array = array
        self.at = array.ctypes.data_as(ctypes.c_void_p)
        self.height, self.width = array.shape[:2]
        self.channels = array.shape[2] if array.ndim == 3 else 1
        self.stride = array.strides[0]


def like(view, height=0, width=0, kind=np.uint8, channels=0):
    shape = (height or view.height, width or view.width)
    count = channels or view.channels
    return View(np.empty(shape + ((count,) if count > 1 else ()), kind))


def plain(name, *middle, kind=np.uint8):
    """NAME(src, stride, width, height, ..., dst, stride)."""
    def make(simd, image, _):
        out = like(image, kind=kind)
        values = [channels_of(image) if v == "channels" else v for v in middle]
        head = [image.at, *size_t(image.stride, image.width, image.height), *values, out.at,
                *size_t(out.stride)]
        return lambda: getattr(simd, name)(*head), out
    return make


def channels_of(image):
    return ctypes.c_size_t(image.channels)


def gaussian(sigma):
    def make(simd, image, _):
        out = like(image)
        value, epsilon = ctypes.c_float(sigma), ctypes.c_float(0.001)
        simd.SimdGaussianBlurInit.restype = ctypes.c_void_p
        context = ctypes.c_void_p(simd.SimdGaussianBlurInit(
            *size_t(image.width, image.height, image.channels), ctypes.byref(value), ctypes.byref(epsilon)))
        return lambda: simd.SimdGaussianBlurRun(
            context, image.at, ctypes.c_size_t(image.stride), out.at, ctypes.c_size_t(out.stride)), out
    return make


BILINEAR, BICUBIC, AREA = 2, 6, 7


def resize(factor, method):
    def make(simd, image, _):
        out = like(image, int(image.height * factor), int(image.width * factor))
        simd.SimdResizerInit.restype = ctypes.c_void_p
        context = ctypes.c_void_p(simd.SimdResizerInit(
            *size_t(image.width, image.height, out.width, out.height, image.channels), 0, method))
        return lambda: simd.SimdResizerRun(
            context, image.at, ctypes.c_size_t(image.stride), out.at, ctypes.c_size_t(out.stride)), out
    return make


def reduce2(simd, image, _):
    out = like(image, image.height // 2, image.width // 2)
    both = [image.at, *size_t(image.width, image.height, image.stride), out.at,
            *size_t(out.width, out.height, out.stride)]
    if image.channels == 1:
        return lambda: simd.SimdReduceGray2x2(*both), out
    return lambda: simd.SimdReduceColor2x2(*both, channels_of(image)), out


ROTATE_90, ROTATE_180, TRANSPOSE, MIRROR = 1, 2, 4, 5


def transform(kind):
    def make(simd, image, _):
        turned = kind in (ROTATE_90, TRANSPOSE)
        out = like(image, *((image.width, image.height) if turned else ()))
        return lambda: simd.SimdTransformImage(
            image.at, *size_t(image.stride, image.width, image.height, image.channels), kind, out.at,
            ctypes.c_size_t(out.stride)), out
    return make


def affine(simd, image, _):
    out = like(image)
    matrix = (ctypes.c_float * 6)(0.9, -0.4, 700, 0.4, 0.9, -500)
    bilinear = 2
    simd.SimdWarpAffineInit.restype = ctypes.c_void_p
    context = ctypes.c_void_p(simd.SimdWarpAffineInit(
        *size_t(image.width, image.height, image.stride, out.width, out.height, out.stride, image.channels),
        matrix, bilinear, None))
    return lambda: simd.SimdWarpAffineRun(context, image.at, out.at), out


GREATER_OR_EQUAL, INT32 = 3, 12


def binarize(simd, image, _):
    out = like(image)
    return lambda: simd.SimdBinarization(
        image.at, *size_t(image.stride, image.width, image.height), 128, 255, 0, out.at,
        ctypes.c_size_t(out.stride), GREATER_OR_EQUAL), out


def local_mean_level(simd, image, _):
    out = like(image)
    return lambda: simd.SimdAveragingBinarizationV2(
        image.at, *size_t(image.stride, image.width, image.height, 15), -5, 255, 0, out.at,
        ctypes.c_size_t(out.stride)), out


def table_of_bytes(simd, image, _):
    out, table = like(image), (ctypes.c_uint8 * 256)(*range(255, -1, -1))
    return lambda: simd.SimdChangeColors(
        image.at, *size_t(image.stride, image.width, image.height), table, out.at,
        ctypes.c_size_t(out.stride)), out


def difference(simd, image, second):
    out = like(image)
    return lambda: simd.SimdAbsDifference(
        image.at, ctypes.c_size_t(image.stride), second.at, ctypes.c_size_t(second.stride), out.at,
        *size_t(out.stride, image.width, image.height)), out


def to_grey(simd, image, _):
    out = like(image, channels=1)
    return lambda: simd.SimdRgbaToGray(image.at, *size_t(image.width, image.height, image.stride), out.at,
                                       ctypes.c_size_t(out.stride)), out


def histogram(simd, image, _):
    counts = np.zeros(256, np.uint32)
    return lambda: simd.SimdHistogram(image.at, *size_t(image.width, image.height, image.stride),
                                      counts.ctypes.data_as(ctypes.c_void_p)), View(counts.reshape(1, 256))


def extremes_and_sums(simd, image, _):
    """Least, largest and mean, then sums and squares."""
    low, high, mean = (ctypes.c_uint8() for _ in range(3))
    sums, squares = ctypes.c_uint64(), ctypes.c_uint64()
    at = [image.at, *size_t(image.stride, image.width, image.height)]

    def run():
        simd.SimdGetStatistic(*at, ctypes.byref(low), ctypes.byref(high), ctypes.byref(mean))
        simd.SimdValueSquareSum(*at, ctypes.byref(sums), ctypes.byref(squares))
    return run, image


def integral(simd, image, _):
    out = View(np.empty((image.height + 1, image.width + 1), np.uint32))
    return lambda: simd.SimdIntegral(
        image.at, *size_t(image.stride, image.width, image.height), out.at, ctypes.c_size_t(out.stride), None,
        ctypes.c_size_t(0), None, ctypes.c_size_t(0), INT32, 0), out


TURN = "0.9,-0.4,700,0.4,0.9,-500,0,0,1"
BINOMIAL = ",".join(str(v / 16) for v in (1, 2, 1, 2, 4, 2, 1, 2, 1))
TASKS = [
    *(task for channels in (1, 4) for task in [
        Task("median 3 x 3", "median", channels, plain("SimdMedianFilterSquare3x3", "channels")),
        Task("median 5 x 5", "median:radius=2", channels, plain("SimdMedianFilterSquare5x5", "channels")),
        Task("mean 3 x 3", "box_blur:radius=1", channels, plain("SimdMeanFilter3x3", "channels")),
        Task("Gauss 3 x 3", f"convolution_3x3:kernel={BINOMIAL}", channels,
             plain("SimdGaussianBlur3x3", "channels")),
        Task("Gauss, sigma 2", "gaussian_blur:sigma=2", channels, gaussian(2)),
        Task("Gauss, sigma 10", "gaussian_blur:sigma=10", channels, gaussian(10)),
        Task("resize 1/2, mean of 2 x 2", "resize:scale=0.5:method=area", channels, reduce2),
        Task("resize 1/2, bilinear", "resize:scale=0.5:method=bilinear:antialias=0", channels,
             resize(0.5, BILINEAR)),
        Task("resize 2, bilinear", "resize:scale=2:method=bilinear", channels, resize(2, BILINEAR)),
        Task("resize 0.37, area", "resize:scale=0.37:method=area", channels, resize(0.37, AREA)),
        Task("resize 2, bicubic", "resize:scale=2:method=bicubic", channels, resize(2, BICUBIC)),
        Task("mirror", "flip", channels, transform(MIRROR)),
        Task("transpose", "transpose", channels, transform(TRANSPOSE)),
        Task("rotate by 180", "rotate:angle=180", channels, transform(ROTATE_180)),
        Task("affine, bilinear", f"transform:matrix={TURN}", channels, affine,
             "the direction of the matrix"),
    ]),
    Task("dilation 3 x 3", "dilation:radius=1", 1, plain("SimdMaxFilterSquare3x3", "channels")),
    Task("dilation 5 x 5", "dilation:radius=2", 1, plain("SimdMaxFilterSquare5x5", "channels")),
    Task("absolute difference", "absolute_difference:over=#look", 1, difference, "", True),
    Task("a table of bytes", "color_invert", 1, table_of_bytes),
    Task("equalization", "histogram_equalization", 1, plain("SimdNormalizeHistogram")),
    Task("threshold", "luminance_threshold:threshold=0.5", 1, binarize),
    Task("threshold by the mean of 31 x 31", "adaptive_threshold:radius=15:offset=0.02", 1,
         local_mean_level),
    Task("RGBA to grey", "grayscale", 4, to_grey, "ours keeps four channels"),
    Task("RGBA to one channel of grey", "channel:of=luminance", 4, to_grey),
    Task("histogram", "measure histogram", 1, histogram),
    Task("moments", "measure moments", 1, extremes_and_sums, "Simd in two passes"),
    Task("table of sums", "measure table", 1, integral),
]


def least(calls, seconds, count=5):
    """The least wall time of each call in us, and how often each was made."""
    for call in calls:
        call()
    times, end = [[] for _ in calls], time.perf_counter() + seconds
    while len(times[0]) < count or time.perf_counter() < end:
        for k, call in enumerate(calls):
            start = time.perf_counter()
            call()
            times[k].append((time.perf_counter() - start) * 1e6)
    return [min(t) for t in times], len(times[0])


def opened(function, *arguments):
    function.restype = ctypes.c_void_p
    found = function(*arguments)
    return ctypes.c_void_p(found) if found else sys.exit(1)


def main():
    plans, measures, content, simd = (ctypes.CDLL(path) for path in sys.argv[1:5])
    width, height = map(int, sys.argv[5].split("x"))
    simd.SimdVersion.restype = ctypes.c_char_p
    peer = f"Simd {simd.SimdVersion().decode()}"
    out = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    out.writeheader()
    for task in TASKS:
        if sys.argv[7:] and not any(part in task.name for part in sys.argv[7:]):
            continue
        shape = (height, width) + ((task.channels,) if task.channels > 1 else ())
        image, second = np.empty(shape, np.uint8), None
        view = View(image)
        if content.bench_fill(view.at, width, height, task.channels, 0, NATURAL):
            sys.exit("simd_turns: memory is used up")
        if task.second:
            second = View(np.ascontiguousarray(image[::-1]))
        if task.ours.startswith("measure "):
            handle = opened(measures.bench_measure_open, task.ours.split()[1].encode(), width, height,
                            task.channels, view.at, 1)
            ours = lambda: measures.bench_measure_run(handle)
        else:
            handle = opened(plans.bench_plan_open, task.ours.encode(), width, height, task.channels, 0,
                            view.at, second.at if second else None, 0, 1)
            ours = lambda: plans.bench_plan_run(handle)
        theirs, _ = task.make(simd, view, second)
        (a, b), count = least([ours, theirs], float(sys.argv[6]))
        row = [task.name, task.differs, peer, task.channels, width, height, count, f"{a:.0f}", f"{b:.0f}",
               f"{b / a:.2f}"]
        out.writerow(dict(zip(FIELDS, row)))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
