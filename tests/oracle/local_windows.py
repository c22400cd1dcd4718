"""Mean, deviation and thresholds of windows that end at the image's edges."""
import numpy as np

from features import levels_of_grey
from registry import (alpha, clamp01, doubt, faint, luma, oracle, over_premultiplied, rgb,
                      with_rgb)


def radii_of(p):
    return p.radius, p.radius if p.radius_y < 0 else p.radius_y


def window_sums(x, rx, ry):
    """Sums over columns x - rx .. x + rx and rows y - ry .. y + ry inside, and how many pixels."""
    h, w = x.shape[:2]
    total = np.zeros((h + 1, w + 1) + x.shape[2:], x.dtype)
    total[1:, 1:] = x.cumsum(0).cumsum(1)
    y, column = np.mgrid[0:h, 0:w]
    top, bottom = np.maximum(y - ry, 0), np.minimum(y + ry, h - 1) + 1
    left, right = np.maximum(column - rx, 0), np.minimum(column + rx, w - 1) + 1
    n = (bottom - top) * (right - left)
    sums = total[bottom, right] - total[top, right] - total[bottom, left] + total[top, left]
    return sums, n.reshape(n.shape + (1,) * (x.ndim - 2))


def window_mean(x, rx, ry):
    sums, n = window_sums(x, rx, ry)
    return sums / n


def deviation(x, rx, ry):
    middle = x.mean(axis=(0, 1))  # so that squares lose little
    m = window_mean(x - middle, rx, ry)
    return np.sqrt(np.maximum(window_mean((x - middle) ** 2, rx, ry) - m * m, 0))


WINDOWS = (dict(radius=0), dict(radius=1, radius_y=4), dict(radius=400, radius_y=3),
           dict(radius=32768))


@oracle('local_mean', dict(radius=7, radius_y=-1), *WINDOWS, bound=1e-4)
def local_mean(c, p):
    return over_premultiplied(c, p.has_alpha, lambda x: window_mean(x, *radii_of(p)))


# The root makes much of little: 2^-23 of the largest sample may be seen, where windows are flat.
@oracle('local_stddev', dict(radius=7, radius_y=-1), *WINDOWS, bound=1e-4)
def local_stddev(c, p):
    return np.concatenate([deviation(rgb(c), *radii_of(p)), np.ones(c.shape[:2] + (1,))], axis=2)


def threshold_plane(c, p):
    """Luma as it is looked at, its unit, and what of its windows."""
    if p.sample == 'uint8':
        return levels_of_grey(c).astype(np.int64), 255.0
    return luma(c), 1.0


def white(c, p, level):
    """1 where luma is not below level(mean, deviation)."""
    plane, unit = threshold_plane(c, p)
    rx, ry = radii_of(p)
    sums, n = window_sums(plane, rx, ry)
    off = (n * plane - sums) / n / unit
    if plane.dtype == np.int64:
        squares = window_sums(plane * plane, rx, ry)[0]
        s = np.sqrt((n * squares - sums * sums).astype(float)) / n / unit
    else:
        s = deviation(plane, rx, ry)
    y = off - level(sums / n / unit, s)
    doubt((np.abs(y) < 3e-6) & ((plane.dtype != np.int64) | (s > 0)))
    return with_rgb(c, (y >= 0).astype(float))


@oracle('niblack', dict(radius=7, radius_y=-1, k=0.2), dict(k=0.8), dict(k=-0.3, radius=2),
        dict(radius=30, radius_y=1), doubtful=0.001)
def niblack(c, p):
    return white(c, p, lambda m, s: -p.k * s)


@oracle('sauvola', dict(radius=7, radius_y=-1, k=0.2, dynamic_range=0.5), dict(k=0.34),
        dict(radius=2, dynamic_range=0.25), dict(radius=30, radius_y=1), doubtful=0.001)
def sauvola(c, p):
    return white(c, p, lambda m, s: m * p.k * (s / p.dynamic_range - 1))


def radius_plane(v, most):
    """Radii that a component of the other image tells; float32 may round a middle the other way."""
    at = clamp01(np.nan_to_num(v)) * most + 0.5
    doubt(np.abs(at - np.rint(at)) < 2e-7 * (most + 1))
    return np.floor(at).astype(int)


def blurred(b, p, rx, ry):
    return over_premultiplied(b, p.has_alpha, lambda x: window_mean(x, rx, ry))


@oracle('variable_box_blur', dict(radius=16), dict(radius=3), dict(radius=900), dict(radius=101),
        inputs=2, bound=1e-4)
def variable_box_blur(b, o, p):
    radius = radius_plane(o[..., 0], p.radius)
    return blurred(b, p, radius, radius)


@oracle('anisotropic_box', dict(radius_x=16, radius_y=16), dict(radius_x=0, radius_y=7),
        dict(radius_x=57, radius_y=3), inputs=2, bound=1e-4)
def anisotropic_box(b, o, p):
    return blurred(b, p, radius_plane(o[..., 0], p.radius_x), radius_plane(o[..., 1], p.radius_y))
