#!/usr/bin/env python3
"""Times `lookup` on bytes beside Pillow's and OpenColorIO's three-dimensional tables. Prints CSV.

usage: lookup_peers.py PLAN_SHARED.so CONTENT_SHARED.so THREADS SIZE SECONDS

All take calls in turns in one process and know a table of 64 entries an axis (a curve per channel, mixed).
Pillow interpolates trilinearly, on RGB of three bytes; OpenColorIO's processor takes RGBA of bytes, either
way. Columns and their reasons are those of opencv_turns.py. Peers use one thread.
"""
import ctypes
import csv
import sys

import numpy as np
import PIL
import PyOpenColorIO as ocio
from PIL import Image, ImageFilter

from opencv_peer import picture
from opencv_turns import in_turns, library, pointer

SIDE = 64
FIELDS = ["method", "peer", "content", "width", "height", "threads", "calls", "ours_wall_us", "peer_wall_us",
          "wall_ratio", "ours_processor_us", "peer_processor_us", "processor_ratio"]


def table():
    """[blue][green][red] to colours in 0 .. 1."""
    b, g, r = np.meshgrid(*[np.arange(SIDE) / (SIDE - 1)] * 3, indexing="ij")
    return np.stack([r ** 0.8 * 0.9 + 0.1 * g, g ** 1.2, b * 0.8 + 0.2 * r * g], -1).astype(np.float32)


def tiles(colours):
    """The picture of 512 x 512 pixels: blue b is the tile at column b mod 8, row b div 8."""
    out = np.full((512, 512, 4), 255, np.uint8)
    for k in range(SIDE):
        y, x = k // 8 * SIDE, k % 8 * SIDE
        out[y:y + SIDE, x:x + SIDE, :3] = np.rint(colours[k] * 255)
    return out


def processor(colours, method):
    lut = ocio.Lut3DTransform(SIDE)
    lut.setInterpolation(method)
    # Blue changes fastest there.
    lut.setData(np.ascontiguousarray(colours.transpose(2, 1, 0, 3)).reshape(-1))
    made = ocio.Config.CreateRaw().getProcessor(lut)
    return made.getOptimizedCPUProcessor(ocio.BIT_DEPTH_UINT8, ocio.BIT_DEPTH_UINT8,
                                         ocio.OPTIMIZATION_DEFAULT)


def main():
    plans, content = library(sys.argv[1]), ctypes.CDLL(sys.argv[2])
    threads, seconds = int(sys.argv[3]), float(sys.argv[5])
    width, height = map(int, sys.argv[4].split("x"))
    colours = table()
    look = tiles(colours)
    out = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    out.writeheader()
    for kind in "natural", "random":
        image = picture(content, width, height, 4, "u8", kind)
        rgb = Image.fromarray(np.ascontiguousarray(image[:, :, :3]))
        pillow = ImageFilter.Color3DLUT(SIDE, colours.reshape(-1).tolist())
        result = np.empty_like(image)
        strides = dict(chanStrideBytes=1, xStrideBytes=4, yStrideBytes=4 * width)
        source = ocio.PackedImageDesc(image, width, height, 4, ocio.BIT_DEPTH_UINT8, **strides)
        target = ocio.PackedImageDesc(result, width, height, 4, ocio.BIT_DEPTH_UINT8, **strides)
        for method, way in ("trilinear", ocio.INTERP_LINEAR), ("tetrahedral", ocio.INTERP_TETRAHEDRAL):
            plan = plans.bench_plan_open(f"lookup:interpolation={method}".encode(), width, height, 4, 0,
                                         pointer(image), pointer(look), 512, threads)
            if not plan:
                sys.exit(1)
            apply = processor(colours, way)
            peers = {f"OpenColorIO {ocio.__version__}": lambda: apply.apply(source, target)}
            if method == "trilinear":
                peers[f"Pillow {PIL.__version__}"] = lambda: rgb.filter(pillow)
            (ours, *theirs), count = in_turns([lambda: plans.bench_plan_run(plan), *peers.values()], seconds)
            for name, peer in zip(peers, theirs):
                row = [method, name, kind, width, height, threads, count, f"{ours[0]:.0f}", f"{peer[0]:.0f}",
                       f"{peer[0] / ours[0]:.2f}", f"{ours[1]:.0f}", f"{peer[1]:.0f}",
                       f"{peer[1] / ours[1]:.2f}"]
                out.writerow(dict(zip(FIELDS, row)))
                sys.stdout.flush()


main()
