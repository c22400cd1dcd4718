#!/usr/bin/env python3
"""Compares functions of lumagraph with those of NumPy, scikit-image, SciPy and OpenCV.

usage: compare.py explore          the worst difference of each row
       compare.py write DOC.md     writes the table between the marks of a document

A row of ROWS claims something: the same bits, at most so much of a difference, or another definition.
tests/test_compare.py measures every claim where the other library is installed, and that the document has
the table of these rows.
"""

import functools
import importlib
import pathlib
import sys

import numpy as np

import lumagraph as lg

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MARKS = "<!-- table of python/tests/compare.py -->", "<!-- end of the table -->"
EQUAL, OTHER = 0.0, None  # a claim is a number: the largest difference; or OTHER


@functools.cache
def images():
    """Grey and colour images of 8 bits: a photograph and noise of odd sizes."""
    from PIL import Image

    coins = np.asarray(Image.open(ROOT / "images" / "coins.png").convert("L"))
    coffee = np.asarray(Image.open(ROOT / "images" / "coffee.png").convert("RGB"))[:200, :301]
    rng = np.random.default_rng(1)
    return {
        "grey": [coins, rng.integers(0, 256, (61, 47), dtype=np.uint8)],
        "rgb": [coffee, rng.integers(0, 256, (41, 53, 3), dtype=np.uint8)],
    }


def data(kind):
    """Images of a kind: u8, f32 (0 to 1), rgb, rgb32, mask, volume."""
    grey, rgb = images()["grey"], images()["rgb"]
    if kind == "u8":
        return grey
    if kind == "f32":
        return [(g / np.float32(255)).astype(np.float32) for g in grey]
    if kind == "rgb":
        return rgb
    if kind == "rgb32":
        return [(c / np.float32(255)).astype(np.float32) for c in rgb]
    if kind == "mask":
        return [g > 107 for g in grey]
    if kind == "volume":  # layers that shift
        return [np.stack([g[i : i + 40, i : i + 40] for i in range(6)]) for g in grey]
    raise ValueError(kind)


ROWS = []  # (ours, module, other, kind, claim, why, function of an image that gives both results)


def row(ours, module, other, kind, claim, why=""):
    def add(both):
        ROWS.append((ours, module, other, kind, claim, why, both))
        return both

    return add


def module(name):
    return importlib.import_module(name)


def worst(entry):
    """The largest difference over all images, of all results."""
    largest = 0.0
    for image in data(entry[3]):
        for one, two in pairs(*entry[6](image)):
            one, two = np.asarray(one), np.asarray(two)
            if one.shape != two.shape:
                return float("inf")
            gap = np.abs(one.astype(np.float64) - two.astype(np.float64))
            gap = gap[~(np.isnan(one.astype(np.float64)) & np.isnan(two.astype(np.float64)))]
            largest = max(largest, gap.max(initial=0.0))
    return largest


def pairs(one, two):
    return zip(one, two, strict=True) if isinstance(one, (tuple, list)) else [(one, two)]


# ---- measurements -------------------------------------------------------------------------------

for name, of in (
    ("min", np.min),
    ("max", np.max),
    ("mean", np.mean),
    ("variance", np.var),
    ("std", np.std),
):
    row(
        f"stats().{name}",
        "numpy",
        of.__name__,
        "u8",
        EQUAL if name != "variance" and name != "std" else 1e-11,
        "NumPy rounds every addition" if name in ("variance", "std") else "",
    )(lambda image, name=name, of=of: (getattr(lg.stats(image), name), of(image)))
row(
    "stats().mean",
    "numpy",
    "mean",
    "f32",
    1e-5,
    "NumPy adds in float32; ours is the exact sum, rounded once",
)(lambda image: (lg.stats(image).mean, np.mean(image)))
row("histogram", "numpy", "histogram", "u8", EQUAL)(
    lambda image: (lg.histogram(image, 37), np.histogram(image, 37))
)
row("histogram", "numpy", "histogram", "f32", 0)(
    lambda image: (lg.histogram(image, 256, (0, 1))[0], np.histogram(image, 256, (0, 1))[0])
)
row("histogram", "cv2", "calcHist", "u8", EQUAL)(
    lambda image: (
        lg.histogram(image, 256, (0, 256))[0],
        module("cv2").calcHist([image], [0], None, [256], [0, 256]).ravel(),
    )
)
LEVELS = {
    "otsu": "",
    "yen": "",
    "triangle": "",
    "isodata": "",
    "mean": "",
    "li": "ours tries every level of the histogram, scikit-image goes from one to a near minimum",
    "minimum": "as in ImageJ the table of counts is 0 beyond its ends while it is smoothed; "
    "scikit-image repeats the ends",
}
for name, other in LEVELS.items():
    row(
        f"threshold_{name}", "skimage.filters", f"threshold_{name}", "u8", OTHER if other else EQUAL, other
    )(
        lambda image, name=name: (
            getattr(lg, f"threshold_{name}")(image),
            getattr(module("skimage.filters"), f"threshold_{name}")(image),
        )
    )
row("threshold_multiotsu", "skimage.filters", "threshold_multiotsu", "u8", EQUAL)(
    lambda image: (
        lg.threshold_multiotsu(image, 3),
        module("skimage.filters").threshold_multiotsu(image, 3),
    )
)
row("threshold_otsu", "cv2", "threshold(THRESH_OTSU)", "u8", EQUAL)(
    lambda image: (lg.threshold_otsu(image), module("cv2").threshold(image, 0, 255, 8)[0])
)
for k in (1, 2):
    row(f"label(connectivity={k})", "skimage.measure", f"label(connectivity={k})", "mask", EQUAL)(
        lambda image, k=k: (lg.label(image, k), module("skimage.measure").label(image, connectivity=k))
    )
row("label(connectivity=1)", "scipy.ndimage", "label", "mask", EQUAL)(
    lambda image: (lg.label(image, 1), module("scipy.ndimage").label(image)[0])
)
row(
    "label(connectivity=2)",
    "cv2",
    "connectedComponents",
    "mask",
    OTHER,
    "the same components; OpenCV numbers them in another order",
)(lambda image: (lg.label(image, 2), module("cv2").connectedComponents(image.astype(np.uint8))[1]))

ROUNDED = 1e-10
PROPERTIES = {
    "area": 0,
    "bbox": 0,
    "area_bbox": 0,
    "centroid": 0,
    "extent": 0,
    "equivalent_diameter_area": 0,
    "perimeter": ROUNDED,
    "perimeter_crofton": ROUNDED,
    "euler_number": 0,
    "axis_major_length": ROUNDED,
    "axis_minor_length": ROUNDED,
    "eccentricity": ROUNDED,
    "orientation": ROUNDED,
    "intensity_mean": 0,
    "intensity_min": 0,
    "intensity_max": 0,
    "intensity_std": ROUNDED,
    "centroid_weighted": ROUNDED,
}


def region(name):
    def both(image):
        skimage = module("skimage.measure")
        labels = skimage.label(image > 107)
        one = lg.regionprops_table(labels, image, (name,))
        two = skimage.regionprops_table(labels, image, (name,))
        assert list(one) == list(two)
        return list(one.values()), list(two.values())

    return both


for name, claim in PROPERTIES.items():
    row(
        f"regionprops_table: {name}",
        "skimage.measure",
        "regionprops_table",
        "u8",
        claim,
        "scikit-image rounds every addition" if claim else "",
    )(region(name))
for name in ("area", "bbox", "centroid", "euler_number", "axis_major_length", "axis_minor_length"):
    row(
        f"regionprops_table: {name}",
        "skimage.measure",
        "regionprops_table",
        "volume",
        PROPERTIES[name],
        "scikit-image rounds every addition" if PROPERTIES[name] else "",
    )(region(name))
row("integrate", "skimage.transform", "integrate", "u8", EQUAL)(
    lambda image: (
        lg.integrate(lg.integral_image(image), (3, 5), (20, 30)),
        module("skimage.transform").integrate(
            module("skimage.transform").integral_image(image), (3, 5), (20, 30)
        ),
    )
)

# ---- filters ------------------------------------------------------------------------------------

F = lg.filters


def scipy(name, **arguments):
    return lambda image: getattr(module("scipy.ndimage"), name)(image, mode="nearest", **arguments)


def inside(image):
    return image[12:-12, 12:-12]


def both(ours, other):
    return lambda image: (ours(image), other(image))


row("gaussian", "skimage.filters", "gaussian(truncate=3)", "f32", 1e-6, "float32")(
    both(lambda i: lg.gaussian(i, 2), lambda i: module("skimage.filters").gaussian(i, 2, truncate=3))
)
row(
    "filters.gaussian_blur(rule='exact')",
    "scipy.ndimage",
    "gaussian_filter(truncate=3)",
    "f32",
    1e-6,
    "float32",
)(both(lambda i: F.gaussian_blur(i, sigma=2, rule="exact"), scipy("gaussian_filter", sigma=2, truncate=3)))
row("filters.gaussian_blur(rule='exact')", "cv2", "GaussianBlur", "f32", 1e-6, "float32")(
    both(
        lambda i: F.gaussian_blur(i, sigma=2, rule="exact"),
        lambda i: module("cv2").GaussianBlur(i, (13, 13), 2, borderType=1),
    )
)
row("median", "scipy.ndimage", "median_filter(size=3)", "u8", EQUAL)(
    both(lg.median, scipy("median_filter", size=3))
)
row("median(radius=3)", "scipy.ndimage", "median_filter(size=7)", "f32", EQUAL)(
    both(lambda i: lg.median(i, 3), scipy("median_filter", size=7))
)
row("median", "skimage.filters", "median(footprint of 3 x 3)", "u8", EQUAL)(
    both(lg.median, lambda i: module("skimage.filters").median(i, np.ones((3, 3))))
)
row("median(radius=2)", "cv2", "medianBlur", "u8", EQUAL)(
    both(lambda i: lg.median(i, 2), lambda i: module("cv2").medianBlur(i, 5))
)
row(
    "canny",
    "skimage.feature",
    "canny",
    "f32",
    OTHER,
    "the same thresholds; scikit-image interpolates magnitudes along the gradient",
)(
    both(
        lambda i: lg.canny(i, 1.0, 0.4, 0.8),
        lambda i: module("skimage.feature").canny(i, 1.0, 0.4, 0.8, mode="nearest"),
    )
)
row("filters.box_blur", "scipy.ndimage", "uniform_filter", "f32", 1e-6, "float32")(
    both(lambda i: F.box_blur(i, radius=3), scipy("uniform_filter", size=7))
)
row("filters.box_blur", "cv2", "blur", "u8", 1, "OpenCV may round 0.5 to the other side")(
    both(lambda i: F.box_blur(i, radius=3), lambda i: module("cv2").blur(i, (7, 7), borderType=1))
)
for name, other, code in (
    ("erosion", "grey_erosion", 0),
    ("dilation", "grey_dilation", 1),
    ("opening", "grey_opening", 2),
    ("closing", "grey_closing", 3),
):
    row(f"filters.{name}", "scipy.ndimage", other, "u8", EQUAL)(
        both(lambda i, name=name: getattr(F, name)(i, radius=2), scipy(other, size=5))
    )
    row(f"filters.{name}", "skimage.morphology", name, "u8", EQUAL)(
        both(
            lambda i, name=name: getattr(F, name)(i, radius=2),
            lambda i, name=name: getattr(module("skimage.morphology"), name)(i, np.ones((5, 5))),
        )
    )
    row(f"filters.{name}", "cv2", "morphologyEx", "u8", EQUAL)(
        both(
            lambda i, name=name: getattr(F, name)(i, radius=2),
            lambda i, code=code: module("cv2").morphologyEx(i, code, np.ones((5, 5), np.uint8)),
        )
    )
row("filters.distance_transform", "scipy.ndimage", "distance_transform_edt", "mask", EQUAL)(
    both(
        F.distance_transform,
        lambda m: module("scipy.ndimage").distance_transform_edt(m).astype(np.float32),
    )
)


def _floods(image):
    """Heights of which no two are equal, and markers."""
    random = np.random.default_rng(7)
    heights = random.permutation(image.size).reshape(image.shape)
    markers = np.where(random.random(heights.shape) < 0.01, np.arange(heights.size).reshape(heights.shape), 0)
    return heights.astype(np.float32), markers.astype(np.float32)


row(
    "filters.watershed",
    "skimage.segmentation",
    "watershed(connectivity=2)",
    "u8",
    EQUAL,
    "",
)(
    lambda image: (
        F.watershed(_floods(image)[0], over=_floods(image)[1], type="f32"),
        module("skimage.segmentation").watershed(
            _floods(image)[0], _floods(image)[1].astype(int), connectivity=2
        ).astype(np.float32),
    )
)
row(
    "filters.watershed(connectivity=26)",
    "skimage.segmentation",
    "watershed(connectivity=3)",
    "volume",
    EQUAL,
)(
    lambda v: (
        F.watershed(_floods(v)[0], over=_floods(v)[1], connectivity=26, type="f32", layer_axis=0),
        module("skimage.segmentation").watershed(
            _floods(v)[0], _floods(v)[1].astype(int), connectivity=3
        ).astype(np.float32),
    )
)
row("filters.gaussian_blur_3d", "scipy.ndimage", "gaussian_filter(radius)", "volume", 1e-6, "float32")(
    both(
        lambda v: F.gaussian_blur_3d(v / np.float32(255), sigma=2, sigma_z=1, layer_axis=0),
        lambda v: module("scipy.ndimage").gaussian_filter(
            v / 255.0, (1, 2, 2), mode="nearest", radius=(3, 6, 6)
        ),
    )
)
row("filters.median_3d", "scipy.ndimage", "median_filter(size=3)", "volume", EQUAL)(
    both(
        lambda v: F.median_3d(v, layer_axis=0),
        lambda v: module("scipy.ndimage").median_filter(v, size=3, mode="nearest"),
    )
)
for name, figure in {"max": np.max, "min": np.min}.items():
    row(f"filters.project(figure='{name}')", "numpy", f"{name}(axis=0, keepdims=True)", "volume", EQUAL)(
        both(
            lambda v, name=name: F.project(v, figure=name, layer_axis=0),
            lambda v, figure=figure: figure(v, axis=0, keepdims=True),
        )
    )


def _ball(radius):
    """Where a ball is, and its heights in units of samples."""
    steps = np.arange(-radius, radius + 1)
    rest = radius**2 - (steps[:, None] ** 2 + steps[None] ** 2)
    return rest >= 0, (np.sqrt(np.maximum(rest, 0)) / 255).astype(np.float32).astype(np.float64)


def _opened(image, radius):
    scipy, (there, heights) = module("scipy.ndimage"), _ball(radius)
    below = scipy.grey_erosion(image, footprint=there, structure=heights, mode="constant", cval=np.inf)
    return scipy.grey_dilation(below, footprint=there, structure=heights, mode="constant", cval=-np.inf)


row("filters.rolling_ball(output='background')", "scipy.ndimage", "grey_opening(structure)", "f32", EQUAL)(
    both(
        lambda i: F.rolling_ball(i, radius=9, output="background"),
        lambda i: np.minimum(_opened(i, 9), i),
    )
)
row("filters.top_hat", "skimage.morphology", "white_tophat", "u8", EQUAL)(
    both(
        lambda i: F.top_hat(i, radius=3),
        lambda i: module("skimage.morphology").white_tophat(i, np.ones((7, 7))),
    )
)
row("filters.black_hat", "skimage.morphology", "black_tophat", "u8", EQUAL)(
    both(
        lambda i: F.black_hat(i, radius=3),
        lambda i: module("skimage.morphology").black_tophat(i, np.ones((7, 7))),
    )
)
row(
    "filters.sobel_edge_detection / 4 / sqrt(2)",
    "skimage.filters",
    "sobel(mode='nearest')",
    "f32",
    1e-6,
    "scikit-image divides by the sum of the weights",
)(
    both(
        lambda i: F.sobel_edge_detection(i) / 4 / np.sqrt(2),
        lambda i: module("skimage.filters").sobel(i, mode="nearest"),
    )
)
row(
    "filters.prewitt_edge_detection / 3 / sqrt(2)",
    "skimage.filters",
    "prewitt(mode='nearest')",
    "f32",
    1e-6,
    "scikit-image divides by the sum of the weights",
)(
    both(
        lambda i: F.prewitt_edge_detection(i) / 3 / np.sqrt(2),
        lambda i: module("skimage.filters").prewitt(i, mode="nearest"),
    )
)
row("filters.laplacian", "cv2", "Laplacian", "f32", OTHER, "GPUImage's weights, on mid grey")(
    both(F.laplacian, lambda i: module("cv2").Laplacian(i, 5, borderType=1))
)
row("filters.convolution_3x3", "scipy.ndimage", "correlate", "f32", 2e-6, "float32")(
    both(
        lambda i: F.convolution_3x3(i, kernel=[[1, 2, -1], [0, 3, 1], [-2, 1, 0]]),
        scipy("correlate", weights=np.array([[1, 2, -1], [0, 3, 1], [-2, 1, 0.0]])),
    )
)
row("filters.linear_filter(factor=1)", "cv2", "filter2D", "f32", 2e-6, "float32")(
    both(
        lambda i: F.linear_filter(i, factor=1, kernel=[[1, 2, -1], [0, 3, 1], [-2, 1, 0]]),
        lambda i: module("cv2").filter2D(
            i, -1, np.array([[1, 2, -1], [0, 3, 1], [-2, 1, 0.0]]), borderType=1
        ),
    )
)
row(
    "filters.difference_of_gaussians",
    "skimage.filters",
    "difference_of_gaussians",
    "f32",
    1e-3,
    "our window ends at 3 sigma, theirs at 4",
)(both(F.difference_of_gaussians, lambda i: module("skimage.filters").difference_of_gaussians(i, 1, 1.6)))
row(
    "filters.unsharp_mask(intensity=2), inside",
    "skimage.filters",
    "unsharp_mask(amount=1)",
    "f32",
    1e-2,
    "our window ends at 3 sigma, theirs at 4, and mirrors the edges",
)(
    both(
        lambda i: inside(np.clip(F.unsharp_mask(i, sigma=2, intensity=2), 0, 1)),
        lambda i: inside(module("skimage.filters").unsharp_mask(i, 2, 1)),
    )
)
for name, more in (("niblack", ()), ("sauvola", (0.5,))):
    row(f"filters.{name}, inside", "skimage.filters", f"threshold_{name}", "f32", EQUAL)(
        both(
            lambda i, name=name: inside(getattr(F, name)(i, radius=7)),
            lambda i, name=name, more=more: inside(
                i >= getattr(module("skimage.filters"), f"threshold_{name}")(i, 15, 0.2, *more)
            ),
        )
    )
    row(
        f"filters.{name}, at the edges",
        "skimage.filters",
        f"threshold_{name}",
        "f32",
        OTHER,
        "our window ends at the edge of the image, theirs is mirrored",
    )(
        both(
            lambda i, name=name: getattr(F, name)(i, radius=7),
            lambda i, name=name, more=more: (
                i >= getattr(module("skimage.filters"), f"threshold_{name}")(i, 15, 0.2, *more)
            ),
        )
    )
row(
    "filters.bilateral(sigma_color=s sqrt(3))",
    "cv2",
    "bilateralFilter(sigmaColor=s)",
    "f32",
    1e-5,
    "a grey is three equal components; OpenCV has a table of exponentials",
)(
    both(
        lambda i: F.bilateral(i, radius=5, sigma_space=3, sigma_color=0.1 * 3**0.5),
        lambda i: module("cv2").bilateralFilter(i, 11, 0.1, 3, borderType=1),
    )
)
row(
    "filters.resize(method='bilinear')",
    "skimage.transform",
    "resize(order=1)",
    "f32",
    OTHER,
    "scikit-image blurs with a Gaussian first, ours weighs the pixels under a wider triangle",
)(
    both(
        lambda i: F.resize(i, width=33, height=29, method="bilinear"),
        lambda i: module("skimage.transform").resize(i, (29, 33), 1, anti_aliasing=True),
    )
)
row(
    "filters.resize(method='bilinear', antialias=False)",
    "cv2",
    "resize(INTER_LINEAR)",
    "f32",
    1e-5,
    "float32",
)(
    both(
        lambda i: F.resize(i, width=33, height=29, method="bilinear", antialias=False),
        lambda i: module("cv2").resize(i, (33, 29), interpolation=1),
    )
)
row("filters.resize(method='area')", "cv2", "resize(INTER_AREA)", "f32", 1e-5, "float32")(
    both(
        lambda i: F.resize(i, width=33, height=29, method="area"),
        lambda i: module("cv2").resize(i, (33, 29), interpolation=3),
    )
)
row("filters.color_invert", "skimage.util", "invert", "u8", EQUAL)(
    both(F.color_invert, lambda i: module("skimage.util").invert(i))
)
row("filters.gamma", "skimage.exposure", "adjust_gamma", "f32", 1e-6, "float32")(
    both(lambda i: F.gamma(i, gamma=1.7), lambda i: module("skimage.exposure").adjust_gamma(i, 1.7))
)
row("filters.equalize_histogram", "cv2", "equalizeHist", "u8", EQUAL)(
    both(F.equalize_histogram, lambda i: module("cv2").equalizeHist(i))
)
row("filters.transpose", "numpy", "transpose", "u8", EQUAL)(both(F.transpose, np.transpose))
row("filters.pad(border='replicate')", "numpy", "pad(mode='edge')", "u8", EQUAL)(
    both(
        lambda i: F.pad(i, left=3, top=2, right=1, bottom=4, border="replicate"),
        lambda i: np.pad(i, ((2, 4), (3, 1)), "edge"),
    )
)
row("filters.pad(border='mirror')", "numpy", "pad(mode='symmetric')", "u8", EQUAL)(
    both(
        lambda i: F.pad(i, left=3, top=2, right=1, bottom=4, border="mirror"),
        lambda i: np.pad(i, ((2, 4), (3, 1)), "symmetric"),
    )
)
row("filters.to_color_space(space='hsv')", "skimage.color", "rgb2hsv", "rgb32", 1e-6, "float32")(
    both(
        lambda i: F.to_color_space(i, space="hsv", channel_axis=-1),
        lambda i: module("skimage.color").rgb2hsv(i),
    )
)
row(
    "filters.to_color_space(space='lab', plain=True)",
    "skimage.color",
    "rgb2lab",
    "rgb32",
    1e-2,
    "more digits of the matrix of sRGB",
)(
    both(
        lambda i: F.to_color_space(i, space="lab", plain=True, channel_axis=-1),
        lambda i: module("skimage.color").rgb2lab(i),
    )
)
row("filters.convert_channels(to='grey')", "skimage.color", "rgb2gray", "rgb32", 1e-6, "float32")(
    both(
        lambda i: F.convert_channels(i, to="grey", channel_axis=-1),
        lambda i: module("skimage.color").rgb2gray(i),
    )
)
row("filters.flip", "numpy", "fliplr", "u8", EQUAL)(both(F.flip, np.fliplr))


# ---- the table ----------------------------------------------------------------------------------


def claim_text(claim):
    return "another definition" if claim is OTHER else "bit for bit" if claim == 0 else f"within {claim:g}"


def table():
    lines = ["| lumagraph | other | samples | the same? | why not |", "|---|---|---|---|---|"]
    for ours, module_name, other, kind, claim, why, _ in ROWS:
        lines.append(f"| `{ours}` | `{module_name}.{other}` | {kind} | {claim_text(claim)} | {why} |")
    return "\n".join(lines)


def written(text):
    before, rest = text.split(MARKS[0])
    return f"{before}{MARKS[0]}\n\n{table()}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}"


def main():
    if sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        path = pathlib.Path(sys.argv[2])
        path.write_text(written(path.read_text()))
    elif sys.argv[1:] == ["explore"]:
        for entry in ROWS:
            try:
                found = f"{worst(entry):.3g}"
            except Exception as error:  # of any library
                found = f"{type(error).__name__}: {error}"
            print(
                f"{entry[0]:55} {entry[1] + '.' + entry[2]:50} {entry[3]:6} {claim_text(entry[4]):20} {found}"
            )
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
