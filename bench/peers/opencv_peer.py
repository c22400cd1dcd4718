#!/usr/bin/env python3
"""Times OpenCV on the benchmark's pixels. Prints CSV.

usage: opencv_peer.py CONTENT_SHARED.so THREADS SIZES REGIMES   (sizes: 1920x1080,3840x2160)
"""
import ctypes
import csv
import statistics
import sys
import time

import cv2
import numpy as np

TYPES = {"u8": (0, np.uint8, 256), "u16": (1, np.uint16, 65536), "f32": (3, np.float32, 1)}
CONTENTS = {"random": 0, "natural": 1, "constant": 2}
COLD_BYTES = 256 << 20
FIELDS = ["peer", "bench", "variant", "type", "channels", "content", "width", "height", "regime",
          "samples", "call_median_us", "call_min_us", "device_median_us", "figure"]


def picture(library, width, height, channels, kind, content):
    code, dtype, _ = TYPES[kind]
    image = np.empty((height, width, channels), dtype)
    if library.bench_fill(image.ctypes.data_as(ctypes.c_void_p), width, height, channels, code,
                          CONTENTS[content]):
        sys.exit("opencv_peer: memory is used up")
    return image if channels > 1 else image[:, :, 0]


def histogram(image, top):
    channels = image.shape[2] if image.ndim == 3 else 1
    return [cv2.calcHist([image], [c], None, [256], [0, top]) for c in range(channels)]


def moments(image, _):
    result = cv2.meanStdDev(image)
    return result, cv2.minMaxLoc(image.reshape(image.shape[0], -1))


def threshold(image, _):
    return cv2.threshold(image, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[0]


def figure(bench, image, result):
    """The figure that our own rows carry: of the first channel."""
    if bench == "histogram":
        return float(np.dot(result[0][:, 0].astype(np.float64), np.arange(256)))
    if bench == "moments":
        return float(result[0][0][0, 0]) * image.shape[0] * image.shape[1]
    return float(result)


def measure(call, images, top, samples=15, seconds=0.2):
    for image in (images * 3)[:max(3, min(len(images), 32))]:
        result = call(image, top)
    times = []
    while len(times) < samples or (sum(times) < seconds and len(times) < 500):
        image = images[len(times) % len(images)]
        start = time.perf_counter()
        result = call(image, top)
        times.append(time.perf_counter() - start)
    return times, result


def main():
    library = ctypes.CDLL(sys.argv[1])
    cv2.setNumThreads(int(sys.argv[2]))
    regimes = sys.argv[4].split(",")
    out = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    out.writeheader()
    cases = [("histogram", histogram, t, c, x) for t, c in (("u8", 1), ("u8", 4), ("u16", 1), ("f32", 1))
             for x in CONTENTS]
    cases += [("moments", moments, t, c, "natural") for t, c in
              (("u8", 1), ("u8", 4), ("u16", 1), ("f32", 1), ("f32", 4))]
    cases += [("threshold", threshold, t, 1, "natural") for t in ("u8", "u16")]
    for size in sys.argv[3].split(","):
        width, height = map(int, size.split("x"))
        for bench, call, kind, channels, content in cases:
            first = picture(library, width, height, channels, kind, content)
            for regime in regimes:
                count = COLD_BYTES // first.nbytes + 1 if regime == "cold" else 1
                images = [first] + [first.copy() for _ in range(count - 1)]
                try:
                    times, result = measure(call, images, TYPES[kind][2])
                except cv2.error as error:
                    print(f"opencv_peer: {bench} {kind}x{channels}: {error}".strip(), file=sys.stderr)
                    continue
                name = {"histogram": "calcHist", "moments": "meanStdDev+minMaxLoc",
                        "threshold": "threshold OTSU"}[bench]
                out.writerow(dict(peer=f"OpenCV {cv2.__version__}", bench=bench, variant=name,
                                  type=kind, channels=channels, content=content, width=width,
                                  height=height, regime=regime, samples=len(times),
                                  call_median_us=f"{statistics.median(times) * 1e6:.3f}",
                                  call_min_us=f"{min(times) * 1e6:.3f}",
                                  figure=repr(figure(bench, first, result))))


if __name__ == "__main__":
    main()
