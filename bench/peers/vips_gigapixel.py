#!/usr/bin/env python3
"""Times `lumagraph` and `vips` on TIFF files of gigapixels in turns, each as a process. Prints CSV.

usage: vips_gigapixel.py LUMAGRAPH THREADS ROUNDS FOLDER WORK FILE...

WORK is some of stats,contrast,blur,half,tenth,tiles,deflate, with commas. Outputs are TIFF without
compression in FOLDER; those of tiles and deflate are in tiles with a pyramid, the latter with deflate and no
predictor.
A row has the medians of the rounds: wall time, processor time (user and system, which other work disturbs
less) and the peak of resident memory. Ratios are ours over vips', where the goals are at most 1.0 for times,
1.5 for the memory of stats and 2 for that of the others. GNU time has to be installed.
"""
import csv
import os
import pathlib
import statistics
import subprocess
import sys

WORK = {
    "stats": (None, ["stats", "IN", "OUT"]),
    "contrast": ("contrast:contrast=0.8", ["linear", "IN", "OUT", "0.8", "25.5", "--uchar"]),
    "blur": ("gaussian_blur:sigma=10", ["gaussblur", "IN", "OUT", "10"]),
    "half": ("resize:scale=0.5:method=lanczos3", ["resize", "IN", "OUT", "0.5"]),
    "tiles": ("copy", ["tiffsave", "IN", "OUT"]),
    "deflate": ("copy", ["tiffsave", "IN", "OUT"]),
    "tenth": ("resize:scale=0.1:method=area", ["shrink", "IN", "OUT", "10", "10"]),
}


def once(command, environment):
    """Wall seconds, processor seconds, and the peak of memory in KiB."""
    timed = subprocess.run(["/usr/bin/time", "-f", "%e %U %S %M", *command], env=environment, check=True,
                           capture_output=True, text=True).stderr.splitlines()[-1]
    wall, user, system, memory = map(float, timed.split())
    return wall, user + system, memory


def main():
    tool, threads, rounds, folder, work, *files = sys.argv[1:]
    folder = pathlib.Path(folder)
    environment = {**os.environ, "VIPS_CONCURRENCY": threads}
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["work", "file", "threads", "rounds", "ours_wall_s", "vips_wall_s", "wall_ratio",
                  "ours_processor_s", "vips_processor_s", "processor_ratio", "ours_kib", "vips_kib",
                  "memory_ratio"])
    for name in work.split(","):
        pipeline, words = WORK[name]
        for file in files:
            target = str(folder / ("vips.tif[compression=none]" if pipeline else "vips.v"))
            tiled = name in ("tiles", "deflate")
            packed = "deflate" if name == "deflate" else "none"
            if tiled:
                target = str(folder / "vips.tif")
            ours = [tool, *(["run", pipeline] if pipeline else ["stats"]), file, "--device", "cpu",
                    "--threads", threads]
            if pipeline:
                ours += ["-q", "-o", str(folder / "ours.tif"), "--compression", packed]
                ours += ["--tile", "256", "--pyramid"] if tiled else []
            vips = ["vips", *({"IN": file, "OUT": target}.get(w, w) for w in words)]
            vips += ["--tile", "--tile-width", "256", "--tile-height", "256", "--pyramid", "--compression",
                     packed, "--predictor", "none"] if tiled else []
            runs = []
            for _ in range(int(rounds)):
                runs.append((once(ours, environment), once(vips, environment)))
                for made in "ours.tif", "vips.tif", "vips.v":
                    (folder / made).unlink(missing_ok=True)
            a, b = ([statistics.median(column) for column in zip(*side)] for side in zip(*runs))
            out.writerow([name, pathlib.Path(file).name, threads, rounds,
                          f"{a[0]:.2f}", f"{b[0]:.2f}", f"{a[0] / b[0]:.2f}",
                          f"{a[1]:.2f}", f"{b[1]:.2f}", f"{a[1] / b[1]:.2f}",
                          f"{a[2]:.0f}", f"{b[2]:.0f}", f"{a[2] / b[2]:.2f}"])
            sys.stdout.flush()


main()
