#!/usr/bin/env python3
"""Prints a digest of every result on parts of the photographs in images/: each filter of the catalogue
with its defaults and with other values of its parameters, each measurement with its options, on grey and
colour images of every sample type.

usage: digests.py TOOL [--device DEVICE] [--cpu LEVEL] [--short] [--only WORD] [--fold] [--check FILE]
                  [--photos TOOL]

Two programs whose digests are equal make the same pixels and the same figures. The digests are those
of the samples and of the printed figures; they depend on no machine, device, or instruction set.
--short takes the smallest images and fewer values: for Vulkan in software. --fold prints one digest
for each filter and measurement. --check compares those with a file that --fold made, and names what
differs; exit status 1 when something does. --photos names a tool that reads the photographs where the
first one is built without libvips.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

PHOTOS = ("astronaut.png", "coffee.png", "coins.png")
IMAGES = pathlib.Path(__file__).resolve().parent.parent / "images"
CUBE = "".join(f"{r / 2} {1 - g / 2} {b * b / 4}\n" for b in range(3) for g in range(3) for r in range(3))
SECOND = {"lookup": ["LUT.cube", "table-u8.npy"]}  # floats and bytes
# Values of parameters that are no single numbers, where the default does nothing or little.
OTHER_VALUES = {
    ("canvas", "width"): ["300:height=40", "31:height=299", "301:height=200:outside=tile"],
    ("color_matrix", "matrix"): ["0.3,0.6,0.1,0,0.2,0.7,0.1,0.01,0,0.4,0.5,0,0,0,0,1"],
    ("convolution_3x3", "kernel"): ["-1,0.5,0.25,1,2,-1,0.5,-0.5,0.125"],
    ("levels", "min"): ["0.1,0.2,0.05"], ("levels", "gamma"): ["1.5,0.7,1"], ("levels", "max"): ["0.9"],
    ("monochrome", "color"): ["0.1,0.9,0.4"], ("neutral_balance", "neutral"): ["0.9,1,0.8"],
    ("resize", "width"): ["100:height=50:fit=cover:method=area", "150:height=150:fit=inside:method=bilinear"],
    ("resize", "method"): [f"{m}:scale={s}" for m in ("bilinear", "lanczos3", "area") for s in (0.3, 1.6)],
    ("resize", "light"): ["linear:scale=0.4"], ("pad", "border"): ["mirror:left=9:bottom=70", "wrap:top=5"],
    ("transform", "matrix"): ["0.8,-0.6,9,0.6,0.8,0,0,0,1:size=fit", "1.1,0.2,0,0.1,0.9,5,0.003,0.001,1"],
    ("transform", "matrix3d"): ["0.8,0,-0.6,0.3,0,1,0,0,0.6,0,0.8,0,0,0,0,1"],
    ("swirl", "center"): ["0.3,0.6"], ("bulge_distortion", "center"): ["0.7,0.2"],
    ("tone_curve", "red"): ["0,0.1;0.3,0.2;0.6,0.9;1,1"], ("tone_curve", "composite"): ["0,0;0.25,0.4;1,0.8"],
    ("vignette", "vignette_center"): ["0.2,0.8"],
}


# Parameters that came later: digests of their own, so that those of the filter stay.
LATER = {("gaussian_blur", "blur_passes"), ("box_blur", "blur_passes"), ("solid_color", "use_existing_alpha"),
         ("sharpen", "offset"), ("histogram_strip", "scale"), ("histogram_picture", "scale"),
         ("gaussian_blur", "texel_spacing_multiplier"), ("resize", "scale_x"), ("resize", "scale_y"),
         ("hough_transform", "coordinates"),
         *(("transform", name) for name in ("matrix3d", "ignore_aspect_ratio", "anchor_top_left")),
         *((name, "downsampling_factor") for name in (
             "measured_curve", "histogram_strip", "histogram_picture", "histogram_equalization")),
         ("canny_edge_detection", "blur_texel_spacing_multiplier"),
         ("single_component_gaussian_blur", "texel_spacing_multiplier"),
         *((name, side) for side in ("width", "height")
           for name in ("box_blur", "morphology", *(f"{color}{word}" for color in ("", "rgb_") for word in (
               "dilation", "erosion", "opening", "closing", "top_hat", "black_hat"))))}

LATER_CHOICES = {("watershed", "connectivity"): ("6", "18", "26")}


def call(arguments):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


# ---- inputs ----------------------------------------------------------------------------------------

def photo(tool, name, folder):
    """The samples of a photograph, rows x columns or rows x columns x 3."""
    path = folder / f"{name}.npy"
    done = call([tool, "run", "-q", "--device", "cpu", "brightness:brightness=0", IMAGES / name, "-o", path])
    if done.returncode:
        sys.exit(f"digests: {done.stderr.decode()}")
    return np.load(path)


def make_inputs(tool, folder, short):
    """Images named by content and type; odd sides, so that nothing ends where vectors do."""
    height, width = (37, 61) if short else (131, 217)
    photos = {name: photo(tool, name, folder) for name in PHOTOS}
    color = photos["coffee.png"][90:90 + height, 150:150 + width, :3]
    other = photos["astronaut.png"][60:60 + height, 120:120 + width, :3]
    grey = photos["coins.png"][40:40 + height, 50:50 + width]
    alpha = (np.add.outer(np.arange(height), np.arange(width)) * 3 % 256).astype("u1")
    images = {
        "grey-u8": grey, "color-u8": color, "second-u8": other,
        "alpha-u8": np.dstack([color, alpha]),
        "grey-u16": grey.astype("u2") * 201 + 7, "color-u16": color.astype("u2") * 257 ^ 5,
        "color-f16": (color / np.float32(255)).astype("f2"),
        "grey-f32": (grey.astype("f4") - 100) * np.float32(0.0123),
        "color-f32": color.astype("f4") * np.float32(1 / 255),
        "mask": (other[..., 1] > 90).astype("u1") * 255,
        "labels": grey // 40,
        "tall-u8": np.dstack([color, alpha])[:, :29],
    }
    down, right = np.mgrid[:512, :512]
    red, green, blue = right % 64, down % 64, down // 64 * 8 + right // 64
    images["table-u8"] = np.stack([red * red // 16, 255 - green * 4, red * green + 99 * blue], 2).astype("u1")
    for name, samples in images.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(samples))
    (folder / "LUT.cube").write_text(f"LUT_3D_SIZE 3\n{CUBE}")
    (folder / "range.cube").write_text(f"LUT_3D_SIZE 3\nDOMAIN_MIN 0.1 -0.5 0\nDOMAIN_MAX 0.9 1 2\n{CUBE}")
    (folder / "row.cube").write_text("LUT_1D_SIZE 4\n0 1 0.5\n0.5 0.75 0.25\n0.625 0.5 1\n1 0 0\n")
    (folder / "curves.acv").write_bytes(struct.pack(
        ">21H", 4, 4, 3, 0, 0, 90, 128, 255, 255, 2, 20, 0, 240, 255, 2, 255, 0, 0, 255, 2, 0) +
        struct.pack(">3H", 9, 200, 255))
    entries = np.arange(27 * 27 * 3).reshape(27, 27, 3)
    np.save(folder / "hald.npy", (entries * entries // 7 % 256).astype("u1"))
    np.save(folder / "hald-f32.npy", (entries % 101 / np.float32(100)).astype("f4"))


# ---- what is asked for ------------------------------------------------------------------------------

# One filter on an image of the folder, perhaps with a second image, and the type of the result.
Run = collections.namedtuple("Run", "name text image second type", defaults=(None, None))
# A command that prints, or leaves an image in OUT.
Command = collections.namedtuple("Command", "name arguments")


def values_of(param, short):
    """Values of a parameter besides its default."""
    if param["kind"] == "choice":
        return param["choices"]
    if param["kind"] == "flag":
        return ["no" if param["default"] else "yes"]
    if param["kind"] not in ("number", "integer"):
        return []
    if param["name"] in ("texel_width", "texel_height"):
        return ["2"]  # BETWEEN has others
    usual = param["default"]
    if not isinstance(usual, (int, float)):
        return []
    low = -1e9 if param["min"] is None else param["min"]
    high = 1e9 if param["max"] is None else param["max"]
    reach = max(1.0, 2 * abs(usual))
    found = {max(low, usual - 0.37 * reach), min(high, usual + 0.61 * reach)}
    if param["kind"] == "integer":
        found = {round(v) for v in found}
    found = sorted(v for v in found if v != usual)
    return [f"{v:.6g}" for v in (found[-1:] if short else found)]


BETWEEN = "texel_width=2.22:texel_height=0.26"


def later(text):
    """Whether a call has a parameter of LATER or a choice of LATER_CHOICES."""
    parts = text.split(":")
    param, _, value = (parts[1] if parts[1:] else "").partition("=")
    return (param in ("alpha_mode", "texel_width", "texel_height") or (parts[0], param) in LATER
            or value in LATER_CHOICES.get((parts[0], param), ()))


def calls_of(entry, short):
    """Calls of a filter: its defaults, then one parameter changed at a time."""
    yield entry["name"]
    for param in entry["params"]:
        if entry["inputs"] == 2 and param["name"] == "fit":
            continue  # images have one size; others are those of fit_cases
        if param["name"] == "picture_layout":
            continue  # table_cases
        for value in [*values_of(param, short), *OTHER_VALUES.get((entry["name"], param["name"]), [])]:
            yield f"{entry['name']}:{param['name']}={value}"
    if any(param["name"] == "texel_width" for param in entry["params"]):
        yield f"{entry['name']}:{BETWEEN}"


def filter_cases(tool, short):
    types = ["color-u8", "grey-f32"] if short else [
        "grey-u8", "color-u8", "alpha-u8", "color-u16", "color-f16", "grey-f32", "color-f32"]
    catalogue = json.loads(call([tool, "filters", "--json"]).stdout)["filters"]
    for entry in (e for e in catalogue if e["kind"] != "command"):
        for text in calls_of(entry, short):
            for kind in types if entry["inputs"] else types[:1]:
                seconds = SECOND.get(entry["name"], ["second-u8.npy"]) if entry["inputs"] == 2 else [None]
                for number, second in enumerate(seconds):
                    name = f"run {text} {kind}" + f" {second}" * (number > 0)
                    if BETWEEN in text:
                        name = f"{entry['name']}.texel_between {name}"
                    elif later(text):
                        name = f"{entry['name']}.{text.split(':')[1].split('=')[0]} {name}"
                    yield Run(name, text, f"{kind}.npy", second)


def fit_cases(short):
    """Second images of another size than the first."""
    for fit in ["stretch", "none", "cover", "contain", "tile"]:
        for name in ["overlay_blend", "mask", "dissolve_blend", "variable_box_blur"][:1 if short else 4]:
            for kind, second in [("grey-u8", "tall-u8"), ("color-u8", "table-u8"), ("color-f32", "tall-u8")]:
                text = f"{name}:fit={fit}"
                yield Run(f"fit {text} {kind} {second}", text, f"{kind}.npy", f"{second}.npy")


def table_cases(short):
    """Tables of lookup by their kinds."""
    for table in ["hald.npy", "hald-f32.npy", "row.cube", "range.cube", "curves.acv"][::2 if short else 1]:
        for text in ["lookup", "lookup:intensity=0.3:interpolation=tetrahedral"]:
            for kind in ["color-u8", "grey-u8", "alpha-u8", "color-u16", "color-f32"][:1 if short else 5]:
                yield Run(f"table {text} {kind} {table}", text, f"{kind}.npy", table)
    text = "lookup:layout=hald"
    yield Run(f"table {text} table-u8", text, "color-u8.npy", "table-u8.npy")


FIGURES = ("mean", "min", "max", "stddev", "variance", "otsu", "p1", "p50", "p99.9", "luma.mean",
           "luma.p50", "components", "largest.area", "largest.x")


def figure_cases(short):
    for kind in ["color-u8"] if short else ["grey-u8", "color-u8", "color-u16", "grey-f32", "color-f32"]:
        for figure in FIGURES:
            text = f"brightness:brightness=@{figure}*0.001-0.01"
            yield Run(f"figure @{figure} {kind}", text, f"{kind}.npy", type="f32")


def measurement_cases(short):
    kinds = ["grey-u8", "color-f32"] if short else [
        "grey-u8", "color-u8", "alpha-u8", "grey-u16", "color-u16", "color-f16", "grey-f32", "color-f32"]
    options = {
        "stats": ["", "--mask mask.npy", "--step 3", "--region 31x17+5+9"],
        "histogram": ["-p 1,50,99", "--bins 33 --range auto", "--space luma", "--space hsv", "--space hsl",
                      "--space lab", "--space linear", "--space rgbl", "--mask mask.npy --step 2"],
        "threshold": ["-m " + m for m in "otsu mean triangle li yen isodata moments multi-otsu:3".split()],
        "areasum": ["-b 9x8+3+4 -b 20x20+1+0 -f sum,mean,variance,min,max,count",
                    "-b 30x30+2+2 -f histogram --bins 7", "-b 30x30+2+2 -f sum --kind ripmap"],
        # the second of every two short forms is one that devices have too
        "label": ["-t otsu --columns all --intensity self", "-t mean -c 4 --no-edge",
                  "-t mean -c 4 --fill-holes --no-edge"],
    }
    for command, forms in options.items():
        for kind in kinds:
            for form in forms[:2] if short else forms:
                yield Command(f"{command} {form} {kind}", [command, "--csv", *form.split(), f"{kind}.npy"])
    for kind in kinds:
        yield Command(f"threshold image {kind}", ["threshold", f"{kind}.npy", "-o", "OUT"])
        yield Command(f"label image {kind}", ["label", "-t", "otsu", f"{kind}.npy", "-o", "OUT"])
    yield Command("label --values", ["label", "--csv", "--values", "--columns", "all", "labels.npy"])


# ---- digests ----------------------------------------------------------------------------------------

REFUSALS = (2, 3)  # statuses of docs/cli.md: usage and limits; others are failures of the machine
REFUSED = "refused"  # what cannot be done has no digest; that it is refused is part of the result
LONGEST = 16  # filters in one start: the outputs of a graph


def in_one_start(cases):
    """Lists of numbered cases: runs of the same images in lists of LONGEST, each other one alone."""
    waiting = {}
    for number, case in cases:
        if not isinstance(case, Run):
            yield [(number, case)]
            continue
        key = case[2:]
        waiting.setdefault(key, []).append((number, case))
        if len(waiting[key]) == LONGEST:
            yield waiting.pop(key)
    yield from waiting.values()


def start(tool, options, folder, arguments, alone=True):
    done = subprocess.run([tool, arguments[0], "-q", *options, *arguments[1:]], cwd=folder, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode in (0, *REFUSALS):
        return REFUSED if done.returncode else "", done.stdout
    if alone:
        said = done.stderr.decode(errors="replace").strip()
        print(f"{arguments}: exit status {done.returncode}: {said[-300:]}", file=sys.stderr)
    return "crashed", b""


def digest_of_samples(path):
    samples = np.load(path)
    path.unlink()
    return hashlib.sha256(f"{samples.dtype.str} {samples.shape} ".encode() +
                          np.ascontiguousarray(samples).tobytes()).hexdigest()[:16]


def digest_of(tool, options, folder, number, case):
    out = folder / f"out-{number}.npy"
    if isinstance(case, Run):
        arguments = ["run", *(["-i", f"b={case.second}"] if case.second else []), case.text, case.image,
                     *(["-t", case.type] if case.type else []), "-o", out]
    else:
        arguments = [out if a == "OUT" else a for a in case.arguments]
    failure, printed = start(tool, options, folder, arguments)
    if failure:
        return failure
    return digest_of_samples(out) if out in arguments else hashlib.sha256(printed).hexdigest()[:16]


def digests_of(tool, options, folder, cases):
    """Numbers and digests of a list of cases. A graph that is refused is halved until one filter is left."""
    if len(cases) > 1:
        first = cases[0][1]
        nodes = []
        for number, case in cases:
            name, *params = case.text.split(":")
            nodes.append({"name": f"n{number}", "filter": name, "in": "in",
                          **({"over": "b"} if case.second else {}),
                          "params": dict(p.split("=", 1) for p in params)})
        graph = folder / f"graph-{cases[0][0]}.json"
        graph.write_text(json.dumps({"inputs": ["in", *(["b"] if first.second else [])], "nodes": nodes,
                                     "outputs": [n["name"] for n in nodes]}))
        outs = [folder / f"out-{number}.npy" for number, _ in cases]
        failure, _ = start(tool, options, folder, [
            "run", "-g", graph, *(["-i", f"b={first.second}"] if first.second else []), first.image,
            *(["-t", first.type] if first.type else []),
            *(word for (number, _), out in zip(cases, outs) for word in ("-o", f"n{number}={out}"))],
            alone=False)
        graph.unlink()
        if not failure:
            return [(number, digest_of_samples(out)) for (number, _), out in zip(cases, outs)]
        half = len(cases) // 2
        return [pair for part in (cases[:half], cases[half:])
                for pair in digests_of(tool, options, folder, part)]
    return [(number, digest_of(tool, options, folder, number, case)) for number, case in cases]


def fold(lines):
    """One digest for each filter or command: of its lines, in their order."""
    groups = {}
    for line in lines:
        words = line.split()
        name = words[2].split(":")[0] if words[1] == "run" else words[1]
        groups.setdefault(name, hashlib.sha256()).update(line.encode())
    return [f"{digest.hexdigest()[:16]} {name}" for name, digest in sorted(groups.items())]


def check(folded, path):
    """Prints what is not as in the file; the number of such names."""
    expected = dict(reversed(line.split()) for line in path.read_text().splitlines())
    found = dict(reversed(line.split()) for line in folded)
    wrong = [n for n in sorted(expected | found) if expected.get(n) != found.get(n)]
    for name in wrong:
        state = "differs" if name in found and name in expected else \
            "has no digest" if name in found else "is not there"
        print(f"{name} {state}")
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cpu", default="best")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--fold", action="store_true")
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--photos", type=pathlib.Path)
    asked = parser.parse_args()
    tool = asked.tool.resolve()
    options = ["--device", asked.device, "--cpu", asked.cpu, "--strict"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        make_inputs((asked.photos or tool).resolve(), folder, asked.short)
        cases = [*filter_cases(tool, asked.short), *fit_cases(asked.short), *table_cases(asked.short),
                 *figure_cases(asked.short), *measurement_cases(asked.short)]
        cases = [(i, c) for i, c in enumerate(cases) if asked.only in c.name]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = dict(pair for pairs in pool.map(lambda c: digests_of(tool, options, folder, c),
                                                    in_one_start(cases)) for pair in pairs)
        lines = [f"{found[number]:16} {case.name.strip()}" for number, case in cases]
    if asked.check:
        sys.exit(check(fold(lines), asked.check) > 0)
    print("\n".join(fold(lines) if asked.fold else lines))


main()
