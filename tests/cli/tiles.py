"""What a tiled TIFF or a folder of Zarr holds, compared with its source in NumPy.

usage: tiles.py <<<"TIFF-OR-ZARR SOURCE.npy TILE LEVELS KIND"

Such lines come from standard input. The source is y, x or z, y, x, or has a last axis of 2 to 4 channels
(KIND color). KIND labels: levels have the first pixel of four instead of the mean. Prints what is wrong;
nothing is fine.
"""
import importlib.util
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy as np


def half(a, labels):
    """The next level of y, x, c: each pixel from those of 2 x 2 that there are."""
    if labels:
        return a[::2, ::2]
    h, w, c = a.shape
    out = np.zeros(((h + 1) // 2, (w + 1) // 2, c), a.dtype)
    for y, x in itertools.product((0, 1), (0, 1)):  # odd edges have fewer pixels, each case by itself
        rows = slice(0, h // 2 * 2) if y else slice(h // 2 * 2, h)
        columns = slice(0, w // 2 * 2) if x else slice(w // 2 * 2, w)
        part = a[rows, columns]
        if part.size == 0:
            continue
        n = (2 if y else 1) * (2 if x else 1)
        quads = [part[i::2 if y else 1, k::2 if x else 1] for i in range(2 if y else 1)
                 for k in range(2 if x else 1)]
        if a.dtype.kind == "u":
            total = sum(q.astype(np.int64) for q in quads)
            mean = ((2 * total + n) // (2 * n)).astype(a.dtype)  # halves up
        else:
            q = [v.astype(np.float64) for v in quads]
            total = (q[0] + q[1]) + (q[2] + q[3]) if n == 4 else q[0] + q[1] if n == 2 else q[0]
            mean = (total / n).astype(np.float32).astype(a.dtype)
        to_y = slice(0, h // 2) if y else slice(h // 2, None)
        to_x = slice(0, w // 2) if x else slice(w // 2, None)
        out[to_y, to_x] = mean
    return out


def pyramid(a, tile, levels, labels):
    out = [a]
    while levels and (out[-1].shape[0] > tile[1] or out[-1].shape[1] > tile[0]):
        out.append(half(out[-1], labels))
    return out


def read_vips(name, option, shape, dtype):
    with tempfile.NamedTemporaryFile(suffix=".raw") as raw:
        done = subprocess.run(["vips", "rawsave", f"{name}[{option}]", raw.name], capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stderr
        return np.fromfile(raw.name, dtype).reshape(shape)


def field(name, key):
    done = subprocess.run(["vipsheader", "-f", key, name], capture_output=True, text=True)
    return done.stdout.strip()


def check_tiff(name, layers, tile, levels, labels):
    wrong = []
    below = int(field(name, "n-subifds") or 0)
    for z, layer in enumerate(layers):
        wanted = pyramid(layer, tile, levels, labels)
        for k, a in enumerate(wanted):
            option = f"page={z if len(layers) > 1 or below else k}"
            if k and (below or len(layers) > 1):
                option += f",subifd={k - 1}"
            got = read_vips(name, option, a.shape, a.dtype)
            if not np.array_equal(got, a, equal_nan=a.dtype.kind == "f"):
                wrong.append(f"{name}[{option}]")
    pages = int(field(name, "n-pages") or 1)
    if pages != (len(layers) if below or len(layers) > 1 else len(wanted)):
        wrong.append(f"{name}: {pages} pages")
    if (below or len(layers) > 1) and levels and below != len(wanted) - 1:
        wrong.append(f"{name}: {below} SubIFDs")
    return wrong


def read_array(folder):
    """Zarr 2 by its text, for what Python unpacks; None: not that."""
    about = json.loads((folder / ".zarray").read_text())
    packed = about["compressor"]
    if packed and packed["id"] != "zlib":
        return None
    shape, chunks = about["shape"], about["chunks"]
    out = np.full(shape, 99, about["dtype"])
    for at in itertools.product(*(range(-(-s // c)) for s, c in zip(shape, chunks))):
        data = folder.joinpath(*map(str, at)).read_bytes()
        block = np.frombuffer(zlib.decompress(data) if packed else data, about["dtype"]).reshape(chunks)
        place = tuple(slice(i * c, min((i + 1) * c, s)) for i, c, s in zip(at, chunks, shape))
        out[place] = block[tuple(slice(0, p.stop - p.start) for p in place)]
        rest = block.copy()
        rest[tuple(slice(0, p.stop - p.start) for p in place)] = 0
        assert not rest.any(), f"{folder}: what is behind the image is not 0"
    return out


def check_zarr(name, layers, tile, levels, labels):
    wrong = []
    folder = pathlib.Path(name)
    scales = json.loads((folder / ".zattrs").read_text())["multiscales"][0]
    stacks = [pyramid(a, tile, levels, labels) for a in layers]
    names = [a["name"] for a in scales["axes"]]
    axes = ["c"] * (layers[0].shape[2] > 1) + ["z"] * (len(layers) > 1) + ["y", "x"]
    if names != axes or scales["version"] != "0.4" or len(scales["datasets"]) != len(stacks[0]):
        wrong.append(f"{name}: {scales}")
    group = None
    if importlib.util.find_spec("zarr"):
        import zarr
        group = zarr.open_group(name, mode="r")
    for k, dataset in enumerate(scales["datasets"]):
        a = np.stack([s[k] for s in stacks])  # z, y, x, c
        a = np.moveaxis(a, 3, 0)  # c, z, y, x
        a = a[0] if len(a) == 1 else a
        a = a.squeeze(-3) if len(layers) == 1 else a
        for got in (read_array(folder / dataset["path"]), group[dataset["path"]][:] if group else None):
            if got is not None and not (got.dtype == a.dtype and
                                        np.array_equal(got, a, equal_nan=a.dtype.kind == "f")):
                wrong.append(f"{name}/{k}")
        scale = dataset["coordinateTransformations"][0]["scale"]
        if scale[-2:] != [2.0**k, 2.0**k] or len(scale) != len(axes):
            wrong.append(f"{name}: scale {scale}")
    return wrong


def main():
    for line in sys.stdin:
        name, source, tile, levels, kind = line.split()
        a = np.load(source)
        if kind != "color":
            a = a[..., None]
        layers = list(a) if a.ndim == 4 else [a]
        sides = tuple(map(int, tile.split("x")))
        check = check_zarr if name.endswith(".zarr") else check_tiff
        for wrong in check(name, layers, sides, levels == "1", kind == "labels"):
            print(wrong)


main()
