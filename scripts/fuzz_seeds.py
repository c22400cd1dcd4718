#!/usr/bin/env python3
"""Writes the seeds that fuzzing begins with, a folder for each target.

usage: fuzz_seeds.py FOLDER

What once made a target fail belongs here too, in FOUND, so that it is tried in every run.
"""
import json
import pathlib
import struct
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent

# target -> {name: bytes}: inputs that were found to do harm.
FOUND = {
    # The type is cut off by the end of the header.
    "npy": {"cut-type": b"\x93NUMPY\x01\x00\x0b\x00{'descr':'|"},
}


def pnm():
    seeds = {
        "p1": b"P1\n# a comment\n5 2\n1 0 1 0 1 01010",
        "p2": b"P2 3 2 255\n0 1 2 253 254 255\n",
        "p3": b"P3 2 1 65535 0 1 2 65535 3 4\n",
        "p4": b"P4 9 2\n\xaa\x80\x55\x00",
        "p5": b"P5 4 2 255\n" + bytes(range(8)),
        "p5-12bit": b"P5 2 2 4095\n" + struct.pack(">4H", 0, 1, 4094, 4095),
        "p6": b"P6 2 2 255\n" + bytes(range(12)),
        "pages": b"P5 1 1 255\nAP5 1 1 255\nB",
        "p7": b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" + bytes(8),
        "p7-grey": b"P7\nWIDTH 1\nHEIGHT 2\nDEPTH 1\nMAXVAL 65535\nTUPLTYPE GRAYSCALE\nENDHDR\n" + bytes(4),
    }
    return seeds


def frames():
    return {
        "420": b"YUV4MPEG2 W3 H3 F25:1 Ip A1:1 C420mpeg2 XCOLORRANGE=FULL\nFRAME\n" + bytes(range(17)),
        "420p10": b"YUV4MPEG2 W2 H2 C420p10\nFRAME Ip\n" + bytes(12) + b"FRAME\n" + bytes(12),
        "444alpha": b"YUV4MPEG2 W1 H1 C444alpha\nFRAME\n" + bytes(4),
        "mono": b"YUV4MPEG2 H1 W2 It Cmono16\nFRAME\nabcd",
        "pnm": b"P5 1 1 255\nAP6 1 1 255\nrgb",
        "raw": b"2x2:nv12:bt601@25\0" + bytes(12),
    }


def pfm():
    return {
        "grey": b"Pf\n2 2\n-1.0\n" + struct.pack("<4f", 0, 1, -2.5, 1e30),
        "color": b"PF\n1 2\n1.0\n" + struct.pack(">6f", 0, 1, 2, 3, float("nan"), float("inf")),
        "four": b"PF4\n1 1\n-1\n" + struct.pack("<4f", 1, 2, 3, 4),
    }


def npy_file(dtype, shape, data, version=1, fortran=False):
    text = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + data


def npy():
    kinds = ["|u1", "|i1", "|b1", "<u2", ">u2", "<i2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", ">f4", "<f8"]
    seeds = {f"type{i}": npy_file(k, "(2, 3)", bytes(6 * int(k[2:]))) for i, k in enumerate(kinds)}
    seeds["layers"] = npy_file("|u1", "(2, 2, 3)", bytes(12))
    seeds["channels"] = npy_file("<f4", "(1, 2, 2, 4)", bytes(64))
    seeds["version2"] = npy_file("|u1", "(4,)", bytes(4), version=2)
    seeds["fortran"] = npy_file("<u2", "(2, 3)", bytes(12), fortran=True)
    return seeds


def acv():
    line, bent = struct.pack(">5H", 2, 0, 0, 255, 255), struct.pack(">7H", 3, 5, 0, 99, 70, 255, 255)
    return {
        "one": struct.pack(">2H", 4, 1) + bent, "four": struct.pack(">2H", 4, 4) + bent + 3 * line,
        "five": struct.pack(">2H", 1, 5) + 5 * line, "cut": struct.pack(">2H", 4, 2) + line,
    }


def cube():
    three = "".join(f"{r} {g} {b}\n" for b in (0, 1) for g in (0, 1) for r in (0, 1))
    return {
        "three": ('TITLE "a table"\n# comment\nLUT_3D_SIZE 2\n' + three).encode(),
        "domain": ("LUT_3D_SIZE 2\nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 1 1 1\n" + three).encode(),
        "range": ("LUT_3D_INPUT_RANGE 0.0 1.0\nLUT_3D_SIZE 2\r\n" + three.replace("1", "1e0")).encode(),
        "one": b"LUT_1D_SIZE 2\n0 0 0\n1 .5 -1.25e-3\n",
    }


def tiff_file(order, tags, data, big=False):
    """A TIFF of one strip; tags: {number: (type, value)}; 273 becomes the place of the data."""
    count = len(tags) + 1
    if big:
        place = 16 + 8 + 20 * count + 8
        head = struct.pack(order + "HHHQ", 43, 8, 0, 16) + struct.pack(order + "Q", count)
        entry, last = "HHQ", struct.pack(order + "Q", 0)
    else:
        place = 8 + 2 + 12 * count + 4
        head = struct.pack(order + "HI", 42, 8) + struct.pack(order + "H", count)
        entry, last = "HHI", struct.pack(order + "I", 0)
    room = 8 if big else 4
    body = b""
    for number, (kind, values) in sorted({**tags, 273: (4, [place])}.items()):
        code = {1: "B", 2: "B", 3: "H", 4: "I", 16: "Q"}[kind]
        packed = struct.pack(order + code * len(values), *values)
        if len(packed) > room:  # behind the pixels
            where = place + len(data)
            data += packed
            packed = struct.pack(order + ("Q" if big else "I"), where)
        body += struct.pack(order + entry, number, kind, len(values)) + packed.ljust(room, b"\0")
    mark = b"II" if order == "<" else b"MM"
    return mark + head + body + last + data


def tiff_tags(width, height, bits, samples, photometric, **more):
    tags = {256: (4, [width]), 257: (4, [height]), 258: (3, [bits] * samples), 259: (3, [1]),
            262: (3, [photometric]), 277: (3, [samples]), 278: (3, [height]),
            279: (4, [width * height * samples * bits // 8])}
    tags.update({int(k[1:]): v for k, v in more.items()})
    return tags


def tiff():
    seeds = {}
    for name, order, bits, samples, photometric, more in [
            ("grey8", "<", 8, 1, 1, {}), ("white8", ">", 8, 1, 0, {}), ("rgb8", "<", 8, 3, 2, {}),
            ("grey16", ">", 16, 1, 1, {}), ("rgba16", "<", 16, 4, 2, {"t338": (3, [2])}),
            ("associated", "<", 8, 4, 2, {"t338": (3, [1])}), ("float32", "<", 32, 1, 1, {"t339": (3, [3])}),
            ("float64", "<", 64, 1, 1, {"t339": (3, [3])}), ("int16", "<", 16, 1, 1, {"t339": (3, [2])}),
            ("planes", "<", 8, 3, 2, {"t284": (3, [2])}), ("page", "<", 8, 1, 1, {"t254": (4, [2])}),
            ("palette", "<", 8, 1, 3, {"t320": (3, [i * 85 for i in range(768)])}),
            ("metadata", ">", 8, 1, 1, {"t700": (1, b"<xmp/>"), "t33723": (4, [0x1c020000, 0x00020004])}),
            ("lzw", "<", 8, 1, 1, {"t259": (3, [5])}), ("deflate", "<", 8, 1, 1, {"t259": (3, [8])})]:
        data = bytes(i * 37 % 256 for i in range(6 * samples * bits // 8))
        seeds[name] = tiff_file(order, tiff_tags(3, 2, bits, samples, photometric, **more), data)
    seeds["big"] = tiff_file("<", tiff_tags(3, 2, 8, 1, 1), bytes(6), big=True)
    seeds["bits1"] = tiff_file("<", {**tiff_tags(8, 2, 1, 1, 1), 279: (4, [2])}, b"\xa5\x5a")
    tiles = tiff_tags(16, 16, 8, 1, 1, t322=(4, [16]), t323=(4, [16]))
    seeds["tiles"] = tiff_file("<", {**tiles, 324: (4, [8 + 2 + 12 * 13 + 4]), 325: (4, [256])}, bytes(256))
    return seeds


def zarr():
    """Files behind each other: names, a line's end, contents, two bytes 255."""
    def folder(files):
        return b"\xff\xff".join(name.encode() + b"\n" + data for name, data in files.items())

    def array(shape, chunks, dtype, compressor=None, fill=0, separator="/"):
        packed = compressor and {"id": compressor, "level": 1}
        return json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype,
                           "fill_value": fill, "compressor": packed, "order": "C", "filters": None,
                           "dimension_separator": separator}).encode()

    def group(names, **more):
        scale = [{"type": "scale", "scale": [0.5] * len(names)}]
        levels = [{"path": level, "coordinateTransformations": scale} for level in ("0", "1")]
        axes = [{"name": n, "type": "space", "unit": "micrometer"} for n in names]
        scales = {"version": "0.4", "axes": axes, "datasets": levels}
        return json.dumps({"multiscales": [scales], **more}).encode()

    mark = b'{"zarr_format": 2}'
    colors = {"channels": 3, "alpha": "none"}
    zstd = b"\x28\xb5\x2f\xfd\x20\x0c\x61\0\0abcdefghijkl"
    files = {
        "flat": {".zarray": array([3, 5], [2, 4], "|u1", separator="."), "0.0": bytes(8),
                 "1.1": bytes(range(8))},
        "level": {".zgroup": mark, ".zattrs": group("yx"), "0/.zarray": array([4, 4], [4, 4], "<u2", "zlib"),
                  "0/0/0": zlib.compress(bytes(32)), "1/.zarray": array([2, 2], [2, 2], "<u2")},
        "colors": {".zgroup": mark, ".zattrs": group("czyx", lumagraph=colors), "0/1/0/0/0": bytes(16),
                   "0/.zarray": array([3, 2, 2, 2], [1, 1, 2, 2], ">f4", fill="NaN")},
        "axes": {".zgroup": mark, ".zattrs": group("tczyx"), "0/0/0/0/0/1": bytes(128),
                 "0/.zarray": array([2, 2, 2, 2, 3], [2, 1, 2, 2, 2], "<i8", fill=-7)},
        "zstd": {".zarray": array([2, 2, 3], [2, 2, 3], "|u1", "zstd", separator="."), "0.0.0": zstd},
        "large-fill": {".zarray": array([2, 2], [2, 2], "<u8", fill=(1 << 64) - 1)},
        "a-folder": {".zarray": array([2, 2], [2, 2], "<f2", fill="-Infinity"), "0/0/": b""},
        "third": {".zattrs": b"{}", ".zgroup": b'{"zarr_format": 3, "shape": [1]}'},
        # Chunks of 4 MiB that are not there, a layer each.
        "far-chunks": {".zarray": array([9999, 1, 1], [1, 2048, 2048], "|u1", fill=3)},
    }
    return {name: folder(some) for name, some in files.items()}


def filter_names():
    folder = ROOT / "src" / "filter"
    return sorted(p.stem for kind in ("point", "blend", "warp", "window", "generate", "pipeline")
                  for p in (folder / kind).glob("*.c"))


def exr_header():
    def attribute(name, kind, data):
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(data)) + data

    def head(channels, flags=0):
        listed = b"".join(name.encode() + b"\0" + struct.pack("<iBxxxii", kind, 0, 1, 1)
                          for name, kind in channels)
        return (b"v/1\1" + struct.pack("<i", 2 | flags) +
                attribute("compression", "compression", b"\0") +
                attribute("channels", "chlist", listed + b"\0") +
                attribute("dataWindow", "box2i", struct.pack("<4i", 0, 0, 3, 1)) + b"\0")

    return {
        "rgba": head([("A", 1), ("B", 1), ("G", 1), ("R", 1)]),
        "luma": head([("BY", 1), ("RY", 1), ("Y", 2)]),
        "layers": head([(f"light.{i}.R", 0) for i in range(12)], 0x1000),
        "long": head([("n" * 255, 1), ("R", 1)], 0x400),
        "none": head([]),
        "negative": b"v/1\1\2\0\0\0channels\0chlist\0" + struct.pack("<i", -1) + bytes(20),
    }


def pipeline():
    seeds = {f"filter-{name}": name.encode() for name in filter_names()}
    texts = ["levels:min=@p1:max=@p99 | gamma:gamma=0.8 #a", "gaussian_blur:sigma=2 | threshold:level=@otsu",
             "grayscale #g | normal_blend:below=#g", "box_blur:radius=3:border=wrap",
             "crop:x=1:y=0:width=2:height=2",
             "solid_color:color=#ff8000", "canny_edge_detection | dilation:radius=2",
             "median #a | add_blend:other=#a",
             "label:connectivity=4", "luminance_threshold:threshold=@mean", "auto_levels | sharpen | emboss",
             "bilateral:sigma_color=0.1:method=grid", "bilateral_grid:sigma_space=7",
             "convolution_3x3:matrix=0,-1,0,-1,5,-1,0,-1,0",
             "tone_curve:points=0,0,0.5,0.7,1,1", "poisson_blend:mix=0.5:num_iterations=3"]
    seeds.update({f"text{i}": t.encode() for i, t in enumerate(texts)})
    return seeds


def graph_json():
    texts = [
        '{"inputs": ["in", "paper"], "nodes": [{"name": "soft", "filter": "box_blur", "in": "in", '
        '"params": {"radius": 4}},'
        ' {"name": "lines", "filter": "luminance_threshold", "in": "soft", "params": {"threshold": '
        '"@soft.luma.mean"}},'
        ' {"name": "print", "filter": "multiply_blend", "in": "lines", "over": "paper"}], "outputs": '
        '["print", "soft"]}',
        '{"inputs": ["a"], "nodes": [{"name": "c", "filter": "convolution_3x3", "in": "a", "params":'
        ' {"matrix": [0, -1, 0, -1, 5, -1, 0, -1, 0]}}], "outputs": ["c"]}',
        '{"inputs": ["a"], "nodes": [{"name": "y", "filter": "gamma", "in": "x"}, {"name": "x", "filter":'
        ' "solid_color", "in": "a", "params": {"color": "#ff800080"}, "comment": "later"}], "outputs": '
        '["y"]}',
        '{"inputs": ["a"], "nodes": [{"name": "x", "filter": "gamma", "in": "y"}, {"name": "y", "filter": '
        '"gamma",'
        ' "in": "x"}], "outputs": ["x"]}',
        '{"inputs": [], "nodes": [], "outputs": []}', '[1, -2.5e300, "\\u00e9", null, true, {"a": {}}]']
    return {f"graph{i}": t.encode() for i, t in enumerate(texts)}


def label_expression():
    texts = ["area >= 50 && circularity > 0.8", "!(area < 2) || x + y * 2 - 1 / z != -3e2", "mean == max",
             "((((area))))", "eccentricity <= .5 && orientation > -1.5 && euler_number == 1",
             "- - area > --1",
             "stddev_sample > variance", "label == 2"]
    return {f"text{i}": t.encode() for i, t in enumerate(texts)}


def shapes():
    boxes = ["x,y,width,height\n1,2,3,4\n5,6,7,8\n", "id,x,y,width,height\r\na,0,0,1,1\r\n",
     "0,0,10,10\n\n 1 , 2 ,3,4\n",
             "x,y,z,width,height,depth\n0,0,0,1,1,1\n", "# comment\n\"1\",\"2\",\"3\",\"4\"\n",
             "x0,y0,x1,y1\n1,1,5,5\n"]
    polygons = ["polygon,x,y\na,0,0\na,10,0\na,0,10.5\nb,1e3,-2\nb,3,4\nb,5,6\n", "1,0,0\n1,1,0\n1,1,1\n",
                "polygon,ring,x,y\n1,0,0,0\n1,0,9,0\n1,0,9,9\n1,1,2,2\n1,1,3,2\n1,1,3,3\n"]
    seeds = {f"boxes{i}": b"0" + t.encode() for i, t in enumerate(boxes)}
    seeds.update({f"polygons{i}": b"1" + t.encode() for i, t in enumerate(polygons)})
    return seeds


def cache_files():
    choice = b"a key".ljust(64, b"\0") + struct.pack("<i", 3)
    return {
        "choices": b"\0" + choice * 2,
        "pipelines": b"\x02" + struct.pack("<QQ", 1, 7) + struct.pack("<IIII", 32, 1, 0,
        0) + bytes(16) + b"data",
        "texts": b"\x04" + struct.pack("<QQ", 5, 20) + struct.pack("<IIIII", 0x07230203, 0x10500, 0, 1, 0),
        "raw": b"\x01lumagrph" + struct.pack("<6I", 1, 256, 0, 0, 0, 0) + bytes(32) + b"choices".ljust(16,
        b"\0"),
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    kinds = [pnm, frames, pfm, npy, acv, cube, tiff, zarr, exr_header, pipeline, graph_json, label_expression,
             shapes, cache_files]
    for make in kinds:
        place = folder / make.__name__
        place.mkdir(parents=True, exist_ok=True)
        for name, data in {**make(), **FOUND.get(make.__name__, {})}.items():
            (place / name).write_bytes(data)
    for name in FOUND.keys() - {k.__name__ for k in kinds} | {"saved_states"}:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for seed, data in FOUND.get(name, {}).items():
            (folder / name / seed).write_bytes(data)


main()
