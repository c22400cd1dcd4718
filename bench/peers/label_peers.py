#!/usr/bin/env python3
"""Times labels of this library and of OpenCV in turns, on the same images. Prints CSV.

usage: label_peers.py LIBRARY [--threads N] [--rounds N] [--size WxH]... [--photo FILE] [--new]

LIBRARY is liblumagraph.so. Each round runs ours and every algorithm of OpenCV once, all into labels that
are there already; --new has everybody allocate. A row has the medians of the rounds, the median of the
rounds' ratios to the best algorithm of the same round, and the quartiles of these ratios; then the shortest
times, and the least processor time of all threads, which other work on the machine disturbs less. The labels
are compared with those of SAUF, whose numbers are in raster order too.
"""
import argparse
import ctypes
import pathlib
import sys
import time

import cv2
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ALGORITHMS = {"SAUF": cv2.CCL_SAUF, "BBDT": cv2.CCL_BBDT, "Spaghetti": cv2.CCL_SPAGHETTI}


class ImageParams(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int32) for n in ("width", "height", "layers", "channels", "type", "alpha")] + [
        ("row_stride", ctypes.c_size_t), ("layer_stride", ctypes.c_size_t)]


class ContextParams(ctypes.Structure):
    _fields_ = [("device", ctypes.c_int), ("device_index", ctypes.c_int), ("threads", ctypes.c_int),
                ("cpu_level", ctypes.c_int), ("log", ctypes.c_void_p), ("log_priv", ctypes.c_void_p),
                ("cache_dir", ctypes.c_char_p), ("use_cache", ctypes.c_bool), ("validation", ctypes.c_bool)]


class LabelParams(ctypes.Structure):
    _fields_ = [("foreground", ctypes.c_int), ("level", ctypes.c_double), ("connectivity", ctypes.c_int),
                ("fill_holes", ctypes.c_bool), ("figures", ctypes.c_bool), ("moments", ctypes.c_bool),
                ("shape", ctypes.c_bool), ("memory_limit", ctypes.c_size_t)]


class Labels(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int32), ("height", ctypes.c_int32), ("layers", ctypes.c_int32),
                ("count", ctypes.c_uint32), ("row_stride", ctypes.c_size_t),
                ("layer_stride", ctypes.c_size_t), ("data", ctypes.c_void_p)]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 480)]


class Ours:
    def __init__(self, path, threads):
        self.lib = ctypes.CDLL(path)
        self.context, self.error = ctypes.c_void_p(), Error()
        params = ContextParams(1, -1, threads, -1, None, None, None, False, False)
        self.check(self.lib.lg_context_create(ctypes.byref(params), ctypes.byref(self.context),
                                              ctypes.byref(self.error)))

    def check(self, status):
        if status:
            sys.exit("label_peers.py: " + self.error.message.decode())

    def wrap(self, array):
        height, width = array.shape
        shape = ImageParams(width, height, 1, 1, 0, 0, width, width * height)
        image = ctypes.c_void_p()
        data = array.ctypes.data_as(ctypes.c_void_p)
        self.check(self.lib.lg_image_wrap(self.context, ctypes.byref(shape), data, ctypes.byref(image),
                                          ctypes.byref(self.error)))
        return image

    def label(self, image, labels, connectivity, stats, new=False):
        """Labels again, or with `new` from nothing. The count."""
        params = LabelParams(0, 0.0, connectivity, False, stats, False, False, 1 << 36)
        components = ctypes.c_void_p()
        want = ctypes.byref(components) if stats else None
        if new and labels:
            self.lib.lg_labels_destroy(ctypes.byref(labels))
        if labels:
            self.check(self.lib.lg_label_update(self.context, image, ctypes.byref(params), None, labels, want,
                                               ctypes.byref(self.error)))
        else:
            self.check(self.lib.lg_label_image(self.context, image, ctypes.byref(params), None,
                                               ctypes.byref(labels), want, ctypes.byref(self.error)))
        if stats:
            self.lib.lg_components_destroy(ctypes.byref(components))
        return labels.contents.count

    @staticmethod
    def array(labels):
        c = labels.contents
        size = c.row_stride // 4 * c.height
        flat = np.ctypeslib.as_array(ctypes.cast(c.data, ctypes.POINTER(ctypes.c_int32)), (size,))
        return flat.reshape(c.height, -1)[:, :c.width]


def natural(width, height, photo):
    """A photograph, scaled to the height and mirrored across the width, above Otsu's level."""
    grey = cv2.imread(str(photo), cv2.IMREAD_GRAYSCALE)
    scale = height / grey.shape[0] if height <= 2400 else 2400 / grey.shape[0]
    grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    down, across = -(-height // grey.shape[0]), -(-width // grey.shape[1])
    grey = np.vstack([grey if i % 2 == 0 else grey[::-1] for i in range(down)])
    grey = np.hstack([grey if i % 2 == 0 else grey[:, ::-1] for i in range(across)])
    grey = np.ascontiguousarray(grey[:height, :width])
    return cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1]


def noise(width, height, percent, grain=1):
    cells = np.random.default_rng(1).random((-(-height // grain), -(-width // grain)), dtype=np.float32)
    cells = (cells < percent / 100).astype(np.uint8) * 255
    return np.ascontiguousarray(np.repeat(np.repeat(cells, grain, 0), grain, 1)[:height, :width])


def time_of(call):
    """Wall time and processor time."""
    start, used = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - start, time.process_time() - used


def compare(ours, name, array, connectivity, stats, rounds, new):
    image, labels = ours.wrap(array), ctypes.POINTER(Labels)()
    count = ours.label(image, labels, connectivity, stats)
    peer = np.zeros(array.shape, np.int32)
    number, _ = cv2.connectedComponentsWithAlgorithm(array, connectivity, cv2.CV_32S, cv2.CCL_SAUF, peer)
    if number - 1 != count or not np.array_equal(peer, ours.array(labels)):
        sys.exit(f"label_peers.py: {name}: the labels differ")
    peer = None if new else peer

    def theirs(algorithm):
        if stats:
            cv2.connectedComponentsWithStatsWithAlgorithm(array, connectivity, cv2.CV_32S, algorithm,
                                                          labels=peer)
        else:
            cv2.connectedComponentsWithAlgorithm(array, connectivity, cv2.CV_32S, algorithm, peer)

    algorithms = ALGORITHMS if connectivity == 8 else {"SAUF": cv2.CCL_SAUF}
    times = {what: [] for what in ["ours", *algorithms]}
    for _ in range(rounds + 2):
        times["ours"].append(time_of(lambda: ours.label(image, labels, connectivity, stats, new)))
        for what, algorithm in algorithms.items():
            times[what].append(time_of(lambda a=algorithm: theirs(a)))
    used = {what: np.min([t[1] for t in times[what][2:]]) for what in times}
    times = {what: np.array([t[0] for t in times[what][2:]]) for what in times}
    best = np.min([times[a] for a in algorithms], axis=0)
    ratios = best / times["ours"]
    medians = ",".join(f"{np.median(times[w]) * 1e3:.2f}" if w in times else ""
                       for w in ["ours", *ALGORITHMS])
    print(f'"{name}",{connectivity},{"labels and figures" if stats else "labels"},{count},{medians},'
          f'{np.median(ratios):.2f},{np.quantile(ratios, 0.25):.2f},{np.quantile(ratios, 0.75):.2f},'
          f'{np.min(times["ours"]) * 1e3:.2f},{np.min(best) * 1e3:.2f},'
          f'{used["ours"] * 1e3:.2f},{min(used[a] for a in algorithms) * 1e3:.2f}', flush=True)
    ours.lib.lg_labels_destroy(ctypes.byref(labels))
    ours.lib.lg_image_destroy(ctypes.byref(image))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--size", action="append")
    parser.add_argument("--photo", default=HERE.parent.parent / "images" / "coffee.png")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--only", help="rows whose name has this")
    options = parser.parse_args()
    cv2.setNumThreads(options.threads)
    ours = Ours(options.library, options.threads)
    print("image,connectivity,what,components,ours ms,SAUF ms,BBDT ms,Spaghetti ms,ratio,low quartile,"
          "high quartile,ours least ms,OpenCV least ms,ours processor ms,OpenCV processor ms")
    for size in options.size or ["3840x2160"]:
        width, height = map(int, size.split("x"))
        cases = {"natural": lambda: natural(width, height, options.photo)}
        for percent in (10, 45, 60, 90):
            cases[f"random {percent} %"] = lambda p=percent: noise(width, height, p)
        cases["random 50 %, cells of 4"] = lambda: noise(width, height, 50, 4)
        for name, make in cases.items():
            if options.only and options.only not in name:
                continue
            array = make()
            for connectivity, stats in ((8, False), (8, True), (4, False)):
                compare(ours, f"{name} {size}", array, connectivity, stats, options.rounds, options.new)


if __name__ == "__main__":
    main()
