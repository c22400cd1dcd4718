#!/usr/bin/env python3
"""Times `lumagraph run` and `vips` from file to file in turns, each as a process. Prints CSV.

usage: vips_files.py LUMAGRAPH PHOTO THREADS ROUNDS FOLDER [NAME]...

PHOTO is brought to 3840 x 2160 once, as .jpg and as .ppm in FOLDER. Ours gets vips' quality of JPEG.
A row has the least wall time, the least processor time (user and system, which other work disturbs
less) and the greatest memory of the rounds. Ratios are vips' over ours for times and ours over vips'
for memory. GNU time has to be installed.
"""
import csv
import os
import pathlib
import subprocess
import sys

# name, our pipeline, what vips does; each reads one file and writes one.
PIPELINES = [
    ("half the size", "resize:scale=0.5:method=lanczos3", ["resize", "IN", "OUT", "0.5"]),
    ("blur 2", "gaussian_blur:sigma=2", ["gaussblur", "IN", "OUT", "2"]),
    ("blur 10", "gaussian_blur:sigma=10", ["gaussblur", "IN", "OUT", "10"]),
    ("sharpen", "unsharp_mask", ["sharpen", "IN", "OUT"]),
    ("a straight line", "contrast:contrast=0.8", ["linear", "IN", "OUT", "0.8", "25.5", "--uchar"]),
    ("gamma", "gamma:gamma=0.8", ["gamma", "IN", "OUT", "--exponent", "0.8"]),
    ("flip", "flip", ["flip", "IN", "OUT", "horizontal"]),
    ("turn", "rotate", ["rot", "IN", "OUT", "d90"]),
    ("median 3 x 3", "median", ["rank", "IN", "OUT", "3", "3", "4"]),
    ("sobel", "sobel_edge_detection", ["sobel", "IN", "OUT"]),
    ("grey", "grayscale", ["colourspace", "IN", "OUT", "b-w"]),
    ("equalize", "histogram_equalization", ["hist_equal", "IN", "OUT"]),
]


def once(command, environment):
    """Wall seconds, processor seconds, and the greatest memory in KiB."""
    timed = subprocess.run(["/usr/bin/time", "-f", "%e %U %S %M", *command], env=environment, check=True,
                           capture_output=True, text=True).stderr.splitlines()[-1]
    wall, user, system, memory = map(float, timed.split())
    return wall, user + system, memory


def main():
    tool, photo, threads, rounds, folder = sys.argv[1:6]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "VIPS_CONCURRENCY": threads}
    subprocess.run(["vips", "thumbnail", photo, str(folder / "in.ppm"), "3840", "--height", "2160", "--size",
                    "force"], check=True)
    subprocess.run(["vips", "copy", str(folder / "in.ppm"), str(folder / "in.jpg")], check=True)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["name", "files", "pipeline", "vips", "threads", "rounds", "ours_wall_s", "vips_wall_s",
                  "wall_ratio", "ours_processor_s", "vips_processor_s", "processor_ratio", "ours_kib",
                  "vips_kib", "memory_ratio"])
    for name, pipeline, words in PIPELINES:
        if sys.argv[6:] and name not in sys.argv[6:]:
            continue
        for kind in "jpg", "ppm":
            at = {"IN": str(folder / f"in.{kind}"), "OUT": str(folder / f"vips.{kind}")}
            ours = [tool, "run", pipeline, at["IN"], "-o", str(folder / f"ours.{kind}"), "--device", "cpu",
                    "--threads", threads, *(["--quality", "75"] if kind == "jpg" else [])]
            theirs = ["vips", *(at.get(w, w) for w in words)]
            runs = [(once(ours, environment), once(theirs, environment)) for _ in range(int(rounds))]
            a, b = ([f(v) for f, v in zip((min, min, max), zip(*side))] for side in zip(*runs))
            ratios = [b[0] / a[0], b[1] / a[1], a[2] / b[2]]
            out.writerow([name, kind, pipeline, " ".join(words), threads, rounds,
                          f"{a[0]:.2f}", f"{b[0]:.2f}", f"{ratios[0]:.2f}",
                          f"{a[1]:.2f}", f"{b[1]:.2f}", f"{ratios[1]:.2f}",
                          f"{a[2]:.0f}", f"{b[2]:.0f}", f"{ratios[2]:.2f}"])
            sys.stdout.flush()


main()
