#!/usr/bin/env python3
"""Times `lumagraph run` and `vips` from file to file in turns, each as a process. Prints CSV.

usage: vips_files.py LUMAGRAPH PHOTO THREADS ROUNDS FOLDER [large] [NAME]...

PHOTO is brought to 3840 x 2160 once, as .jpg, .png, .tif and .ppm in FOLDER. With `large` there is one
.tif instead, of 20000 x 20000 grey pixels (400 MB), and the figures of `stats` besides. Encoders are the
same on both sides: JPEG of quality 75, PNG of level 6, TIFF without compression. A row has the least wall
time, the least processor time (user and system, which other work disturbs less) and the greatest memory
of the rounds. Ratios are vips' over ours for times and ours over vips' for memory. GNU time has to be
installed.
"""
import csv
import os
import pathlib
import subprocess
import sys
import time

GREY = "channel:of=luminance"
# name, our pipeline, what vips does; each reads one file and writes one.
PIPELINES = [
    ("half the size", "resize:scale=0.5:method=lanczos3", ["resize", "IN", "OUT", "0.5"]),
    ("blur 2", "gaussian_blur:sigma=2", ["gaussblur", "IN", "OUT", "2"]),
    ("blur 10", "gaussian_blur:sigma=10", ["gaussblur", "IN", "OUT", "10"]),
    ("sharpen", "unsharp_mask", ["sharpen", "IN", "OUT"]),
    ("a straight line", "contrast:contrast=0.8", ["linear", "IN", "OUT", "0.8", "25.5", "--uchar"]),
    ("gamma", "gamma:gamma=0.8", ["gamma", "IN", "OUT", "--exponent", "1.25"]),
    ("flip", "flip", ["flip", "IN", "OUT", "horizontal"]),
    ("turn", "rotate", ["rot", "IN", "OUT", "d90"]),
    ("median 3 x 3", "median", ["rank", "IN", "OUT", "3", "3", "4"]),
    ("sobel", "sobel_edge_detection", ["sobel", "IN", "OUT"]),
    ("grey", GREY, ["colourspace", "IN", "OUT", "b-w"]),
    ("equalize", "histogram_equalization", ["hist_equal", "IN", "OUT"]),
]
STATS = ("stats", None, ["stats", "IN", "OUT"])
KINDS = {"jpg": ["--quality", "75"], "png": [], "tif": ["--compression", "none"], "ppm": []}
ENCODERS = {"jpg": "[Q=75]", "png": "[compression=6]", "tif": "[compression=none]", "ppm": ""}
LARGE = 20000


def once(command, environment):
    """Wall seconds, processor seconds, and the greatest memory in KiB."""
    # GNU time has steps of 0.01 s for times; memory that this process asked for would count as that of the
    # program if it started that itself.
    start = time.perf_counter()
    timed = subprocess.Popen(["/usr/bin/time", "-f", "%M", *command], env=environment, text=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = timed.stderr.read()
    _, status, used = os.wait4(timed.pid, 0)
    wall = time.perf_counter() - start
    if status:
        sys.exit(f"vips_files: {command}: {said}")
    return wall, used.ru_utime + used.ru_stime, float(said.splitlines()[-1])


def make_inputs(photo, folder, large):
    """The kinds of files."""
    folder.mkdir(parents=True, exist_ok=True)
    base = folder / "base.ppm"

    def vips(*words):
        subprocess.run(["vips", *map(str, words)], check=True)

    vips("thumbnail", photo, base, "3840", "--height", "2160", "--size", "force")
    if not large:
        for kind in KINDS:
            vips("copy", base, folder / f"in.{kind}")
        return list(KINDS)
    vips("extract_band", base, folder / "one.v", "1")
    vips("replicate", folder / "one.v", folder / "many.v", -(-LARGE // 3840), -(-LARGE // 2160))
    vips("crop", folder / "many.v", folder / "in.tif", "0", "0", LARGE, LARGE)
    for name in "one.v", "many.v":
        (folder / name).unlink()
    return ["tif"]


def commands(tool, threads, folder, kind, pipeline, words):
    """Ours and vips'."""
    options = ["--device", "cpu", "--threads", threads]
    source = str(folder / f"in.{kind}")
    target = str(folder / f"vips.{kind}{ENCODERS[kind]}") if pipeline else str(folder / "vips.v")
    made = "pgm" if kind == "ppm" and pipeline == GREY else kind  # vips writes that into a .ppm
    ours = ([tool, "run", pipeline, source, "-o", str(folder / f"ours.{made}"), *options, *KINDS[kind]]
            if pipeline else [tool, "stats", source, *options])
    return ours, ["vips", *({"IN": source, "OUT": target}.get(w, w) for w in words)]


def main():
    tool, photo, threads, rounds, folder = sys.argv[1:6]
    names = sys.argv[6:]
    large = names[:1] == ["large"]
    names = names[large:]
    folder = pathlib.Path(folder)
    environment = {**os.environ, "VIPS_CONCURRENCY": threads}
    kinds = make_inputs(photo, folder, large)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["name", "files", "pipeline", "vips", "threads", "rounds", "ours_wall_s", "vips_wall_s",
                  "wall_ratio", "ours_processor_s", "vips_processor_s", "processor_ratio", "ours_kib",
                  "vips_kib", "memory_ratio"])
    for name, pipeline, words in [*PIPELINES, *([STATS] if large else [])]:
        if names and name not in names:
            continue
        for kind in kinds:
            ours, theirs = commands(tool, threads, folder, kind, pipeline, words)
            runs = [(once(ours, environment), once(theirs, environment)) for _ in range(int(rounds))]
            a, b = ([f(v) for f, v in zip((min, min, max), zip(*side))] for side in zip(*runs))
            ratios = [b[0] / a[0], b[1] / a[1], a[2] / b[2]]
            out.writerow([name, kind, pipeline or "", " ".join(words), threads, rounds,
                          f"{a[0]:.4f}", f"{b[0]:.4f}", f"{ratios[0]:.2f}",
                          f"{a[1]:.4f}", f"{b[1]:.4f}", f"{ratios[1]:.2f}",
                          f"{a[2]:.0f}", f"{b[2]:.0f}", f"{ratios[2]:.2f}"])
            sys.stdout.flush()


main()
