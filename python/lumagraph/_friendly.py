"""Filters under the names that scikit-image has."""
from ._run import run


def gaussian(image, sigma=1, *, channel_axis=None, layer_axis=None, mode="nearest", out=None,
             dtype=None, cast=False, context=None):
    """A Gaussian blur, as skimage.filters.gaussian, in the type of the image unless dtype says
    another. Integers are rounded once, at the end.

    mode: "nearest", "mirror", "wrap" or "constant" (zeros). From sigma 4.9 on it goes by smaller
    images, within 0.15 % of the Gaussian.
    """
    return run(f"gaussian_blur:sigma={float(sigma)!r}:border={_border(mode)}", image,
               channel_axis=channel_axis, layer_axis=layer_axis, out=out, dtype=dtype, cast=cast,
               context=context)


def median(image, radius=1, *, channel_axis=None, layer_axis=None, mode="nearest", out=None,
           cast=False, context=None):
    """The median of a square of 2 radius + 1 pixels a side, as skimage.filters.median and
    scipy.ndimage.median_filter with that size."""
    return run(f"median:radius={int(radius)}:border={_border(mode)}", image,
               channel_axis=channel_axis, layer_axis=layer_axis, out=out, cast=cast,
               context=context)


def canny(image, sigma=1.0, low_threshold=0.1, high_threshold=0.2, *, channel_axis=None, cast=False,
          context=None):
    """Canny's edges, as skimage.feature.canny: an array of bool.

    Thresholds are magnitudes of Sobel's gradient of luminance in 0..1, where a step from black to
    white has 4, as for float images in scikit-image. That interpolates along the gradient where
    this takes the nearest of four directions, so some pixels differ.
    """
    if channel_axis is not None:
        image = _grey(image, channel_axis, cast, context)
    edges = run(f"canny_edge_detection:sigma={float(sigma)!r}:lower_threshold="
                f"{float(low_threshold)!r}:upper_threshold={float(high_threshold)!r}", image,
                cast=cast, context=context)
    return edges > 0


def _grey(image, channel_axis, cast, context):
    return run("convert_channels:to=grey", image, channel_axis=channel_axis, cast=cast,
               context=context)


_BORDERS = {"nearest": "replicate", "edge": "replicate", "replicate": "replicate",
            "mirror": "mirror", "wrap": "wrap", "constant": "constant"}


def _border(mode):
    if mode not in _BORDERS:
        raise ValueError(f"mode '{mode}' is not one of nearest, mirror, wrap and constant")
    return _BORDERS[mode]
