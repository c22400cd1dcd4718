#!/usr/bin/env python3
"""Times the Python package and scikit-image, SciPy and NumPy in turns, on the same images. Prints CSV.

usage: python_peers.py [--rounds N] [--size WxH] [--only NAME]...

The package, scikit-image and SciPy have to be installed. Each round runs ours and the peer once. A row has
the medians of the rounds, and the median and the quartiles of the ratios of the rounds. The last rows are
what a call costs beside the work: the time of a call less what the library says of its own computing, and
calls on one pixel beside numpy.mean of one.
"""

import argparse
import sys
import time

import numpy as np
import scipy.ndimage as ndimage
import skimage.filters
import skimage.measure
import skimage.transform

import lumagraph as lg

PROPERTIES = (
    "label",
    "area",
    "bbox",
    "centroid",
    "equivalent_diameter_area",
    "extent",
    "axis_major_length",
    "axis_minor_length",
    "eccentricity",
    "orientation",
    "intensity_mean",
    "intensity_max",
)
SLOW = {"regionprops_table"}


def picture(width, height):
    rng = np.random.default_rng(0)
    smooth = ndimage.gaussian_filter(rng.random((height, width)), 3)
    smooth -= smooth.min()
    return (smooth / smooth.max() * 255).astype(np.uint8)


def tasks(image):
    mask = image > np.percentile(image, 60)
    labels, floats = lg.label(mask), image.astype(np.float32)
    rgb = np.repeat(image[..., None], 3, 2)
    return {
        "stats": (lambda: lg.stats(image), lambda: (image.mean(), image.var(), image.min(), image.max())),
        "stats, 3 channels": (
            lambda: lg.stats(rgb, channel_axis=-1),
            lambda: (rgb.mean((0, 1)), rgb.var((0, 1))),
        ),
        "histogram": (lambda: lg.histogram(image), lambda: np.histogram(image, 256)),
        "threshold_otsu": (lambda: lg.threshold_otsu(image), lambda: skimage.filters.threshold_otsu(image)),
        "label": (lambda: lg.label(mask), lambda: skimage.measure.label(mask)),
        "regionprops_table": (
            lambda: lg.regionprops_table(labels, image, PROPERTIES),
            lambda: skimage.measure.regionprops_table(labels, image, properties=PROPERTIES),
        ),
        "gaussian, float32": (lambda: lg.gaussian(floats, 2), lambda: skimage.filters.gaussian(floats, 2)),
        "gaussian, uint8": (
            lambda: lg.gaussian(image, 2),
            lambda: ndimage.gaussian_filter(image, 2, mode="nearest"),
        ),
        "median 3 x 3": (lambda: lg.median(image), lambda: ndimage.median_filter(image, 3)),
        "integral_image": (
            lambda: lg.integral_image(image),
            lambda: skimage.transform.integral_image(image),
        ),
    }


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def row(name, ours, theirs, unit=1e3):
    ratios = np.array(theirs) / np.array(ours)
    low, middle, high = np.percentile(ratios, (25, 50, 75))
    print(
        f'"{name}",{np.median(ours) * unit:.4g},{np.median(theirs) * unit:.4g},{middle:.4g},{low:.4g},'
        f"{high:.4g}",
        flush=True,
    )


def overhead(image, rounds):
    """Microseconds of a call on the whole image that the library does not compute in."""
    with lg.Context("cpu") as context:

        def call():
            return lg.stats(image)

        call()
        return [seconds(call) - context.report()["compute"] for _ in range(rounds)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    image = picture(*map(int, options.size.split("x")))
    print(
        f"# lumagraph {lg.__version__}, NumPy {np.__version__}, scikit-image {skimage.__version__}, "
        f"{options.size}, {lg.devices()[0]['driver']}",
        file=sys.stderr,
    )
    print("task,ours ms,peer ms,ratio,lower quartile,upper quartile")
    for name, (ours, theirs) in tasks(image).items():
        if options.only and name not in options.only:
            continue
        ours()
        pairs = [(seconds(ours), seconds(theirs)) for _ in range(3 if name in SLOW else options.rounds)]
        row(name, *zip(*pairs))
    one = image[:1, :1]
    beside = overhead(image, 50)
    print(
        f"# a call beside its computing: {np.median(beside) * 1e6:.1f} us, at best {min(beside) * 1e6:.1f} us"
    )
    calls = [(seconds(lambda: lg.stats(one)), seconds(lambda: np.mean(one))) for _ in range(2000)]
    ours, theirs = map(np.median, zip(*calls))
    print(
        f"# one pixel: stats {ours * 1e6:.1f} us, numpy.mean {theirs * 1e6:.1f} us, {ours / theirs:.2f} times"
    )


main()
