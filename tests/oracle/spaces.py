"""Colour spaces from their formulas in doubles: the two filters, and the histograms of their components.

Matrices are those of the standards, not the kernels': chromaticities of sRGB and D65 give XYZ.
"""
import numpy as np

import pictures
from measures import judge, measurement, report
from registry import alpha, doubt, faint, oracle, rgb, with_rgb

MATRIX = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                   [0.0193339, 0.1191920, 0.9503041]])
WHITE = MATRIX.sum(1)
CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                  [0.0883024619, 0.2817188376, 0.6299787005]])
OKLAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                  [0.0259040371, 0.7827717662, -0.8086757660]])
TURN = np.radians(33)


def linear(v):
    return np.where(v <= 0.04045, v / 12.92, np.power((np.maximum(v, 0.04045) + 0.055) / 1.055, 2.4))


def encoded(v):
    return np.where(v <= 0.0031308, v * 12.92, 1.055 * np.power(np.maximum(v, 0.0031308), 1 / 2.4) - 0.055)


def cie_f(t):
    return np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)


def cie_t(f):
    return np.where(f > 6 / 29, f ** 3, (f - 4 / 29) * 3 * (6 / 29) ** 2)


def stack(*planes):
    return np.stack(np.broadcast_arrays(*planes), -1)


def hue_of(v):
    high, low = v.max(-1), v.min(-1)
    d = np.where(high > low, high - low, 1)
    r, g, b = np.moveaxis(v, -1, 0)
    sector = np.where(r == high, (g - b) / d % 6, np.where(g == high, (b - r) / d + 2, (r - g) / d + 4))
    return np.where(high > low, sector / 6, 0), high, low


def to_hsv(v):
    h, high, low = hue_of(v)
    return stack(h, np.where(high > 0, (high - low) / np.where(high > 0, high, 1), 0), high)


def from_hsv(c):
    h, s, v = np.moveaxis(c, -1, 0)
    part = [np.clip(np.abs((h + k) % 1 * 6 - 3) - 1, 0, 1) for k in (0, 2 / 3, 1 / 3)]
    return stack(*[v * (1 + (p - 1) * s) for p in part])


def to_hsl(v):
    h, high, low = hue_of(v)
    divisor = np.where(high + low <= 1, high + low, 2 - high - low)
    s = np.where(divisor > 0, (high - low) / np.where(divisor > 0, divisor, 1), 0)
    return stack(h, s, (high + low) / 2)


def from_hsl(c):
    h, s, l = np.moveaxis(c, -1, 0)
    v = l + s * np.minimum(l, 1 - l)
    return from_hsv(stack(h, np.where(v > 0, 2 * (v - l) / np.where(v > 0, v, 1), 0), v))


def to_ycbcr(kr, kb):
    def to(v):
        y = kr * v[..., 0] + (1 - kr - kb) * v[..., 1] + kb * v[..., 2]
        return stack(y, (v[..., 2] - y) / (2 - 2 * kb), (v[..., 0] - y) / (2 - 2 * kr))

    def back(c):
        y, u, w = np.moveaxis(c, -1, 0)
        r, b = y + (2 - 2 * kr) * w, y + (2 - 2 * kb) * u
        return stack(r, (y - kr * r - kb * b) / (1 - kr - kb), b)
    return to, back


def to_yiq(v):
    y = v @ [0.299, 0.587, 0.114]
    u, w = 0.492111 * (v[..., 2] - y), 0.877283 * (v[..., 0] - y)
    return stack(y, w * np.cos(TURN) - u * np.sin(TURN), w * np.sin(TURN) + u * np.cos(TURN))


def from_yiq(c):
    y, i, q = np.moveaxis(c, -1, 0)
    u, w = q * np.cos(TURN) - i * np.sin(TURN), i * np.cos(TURN) + q * np.sin(TURN)
    r, b = y + w / 0.877283, y + u / 0.492111
    return stack(r, (y - 0.299 * r - 0.114 * b) / 0.587, b)


def to_xyz(v):
    return linear(v) @ MATRIX.T


def from_xyz(c):
    return encoded(c @ np.linalg.inv(MATRIX).T)


def to_lab(v):
    x, y, z = np.moveaxis(cie_f(to_xyz(v) / WHITE), -1, 0)
    return stack(116 * y - 16, 500 * (x - y), 200 * (y - z))


def from_lab(c):
    y = (c[..., 0] + 16) / 116
    return from_xyz(WHITE * cie_t(stack(y + c[..., 1] / 500, y, y - c[..., 2] / 200)))


def to_luv(v):
    x, y, z = np.moveaxis(to_xyz(v), -1, 0)
    l, d = 116 * cie_f(y / WHITE[1]) - 16, x + 15 * y + 3 * z
    there, d = d > 0, np.where(d > 0, d, 1)
    white = WHITE @ [1, 15, 3]
    return stack(l, np.where(there, 13 * l * (4 * x / d - 4 * WHITE[0] / white), 0),
                 np.where(there, 13 * l * (9 * y / d - 9 * WHITE[1] / white), 0))


def from_luv(c):
    l, u, v = np.moveaxis(c, -1, 0)
    white, per = WHITE @ [1, 15, 3], 1 / np.where(l > 0, 13 * l, 1)
    u, v = u * per + 4 * WHITE[0] / white, v * per + 9 * WHITE[1] / white
    lit, y = (l > 0) & (v > 0), WHITE[1] * cie_t((l + 16) / 116)
    v = np.where(lit, v, 1)
    xyz = stack(9 * u * y / (4 * v), y, (12 - 3 * u - 20 * v) * y / (4 * v))
    return from_xyz(np.where(lit[..., None], xyz, 0))


def to_lch(v):
    l, a, b = np.moveaxis(to_lab(v), -1, 0)
    grey = (v == v[..., :1]).all(-1)
    return stack(l, np.where(grey, 0, np.hypot(a, b)), np.where(grey, 0, np.arctan2(b, a) / (2 * np.pi) % 1))


def from_lch(c):
    l, chroma, h = np.moveaxis(c, -1, 0)
    return from_lab(stack(l, chroma * np.cos(2 * np.pi * h), chroma * np.sin(2 * np.pi * h)))


def to_oklab(v):
    return np.cbrt(linear(v) @ CONES.T) @ OKLAB.T


def from_oklab(c):
    return encoded((c @ np.linalg.inv(OKLAB).T) ** 3 @ np.linalg.inv(CONES).T)


# Functions, divisors, the components with a sign, the hue, and the range of a histogram.
BT601, BT709 = to_ycbcr(0.299, 0.114), to_ycbcr(0.2126, 0.0722)
SPACES = {
    'linear': (linear, encoded, (1, 1, 1), 0, None, ((0, 1),) * 3),
    'hsv': (to_hsv, from_hsv, (1, 1, 1), 0, 0, ((0, 1),) * 3),
    'hsl': (to_hsl, from_hsl, (1, 1, 1), 0, 0, ((0, 1),) * 3),
    'lab': (to_lab, from_lab, (100, 255, 255), 1, None, ((0, 100), (-128, 128), (-128, 128))),
    'ycbcr601': BT601 + ((1, 1, 1), 1, None, ((0, 1), (-0.5, 0.5), (-0.5, 0.5))),
    'ycbcr709': BT709 + ((1, 1, 1), 1, None, ((0, 1), (-0.5, 0.5), (-0.5, 0.5))),
    'yiq': (to_yiq, from_yiq, (1, 1.25, 1.25), 1, None, ((0, 1), (-0.6, 0.6), (-0.6, 0.6))),
    'xyz': (to_xyz, from_xyz, tuple(WHITE), 0, None, tuple((0, w) for w in WHITE)),
    'luv': (to_luv, from_luv, (100, 360, 360), 1, None, ((0, 100), (-180, 180), (-180, 180))),
    'lch': (to_lch, from_lch, (100, 135, 1), 0, 2, ((0, 100), (0, 135), (0, 1))),
    'oklab': (to_oklab, from_oklab, (1, 0.8, 0.8), 1, None, ((0, 1), (-0.4, 0.4), (-0.4, 0.4))),
}
TRIES = [dict(space=s) for s in SPACES] + [dict(space=s, plain='yes') for s in ('ycbcr709', 'oklab', 'xyz')]


@oracle('to_color_space', dict(space='lab', plain='no'), *TRIES, wild=False, bound=2e-5)
def to_color_space(c, p):
    to, _, span, signed, hue, _ = SPACES[p.space]
    y = to(rgb(c))
    if hue is not None:
        # The hue of what has hardly a colour, and next to where it jumps.
        spread, turn = np.ptp(rgb(c), axis=2), np.abs((y[..., hue] + 0.5) % 1 - 0.5)
        doubt((spread > 0) & (spread < 2e-3) | (turn < 1e-4) & (y[..., hue] > 0))
    if p.plain == 'yes':
        return with_rgb(c, y)
    return with_rgb(c, y / span + np.array([0, signed, signed]) * 128 / 255)


@oracle('from_color_space', dict(space='lab', plain='no'), *TRIES, wild=False, bound=3e-4, doubtful=0.01)
def from_color_space(c, p):
    """Cubes far outside of all colours, and quotients near black, enlarge a rounding: the bound grows with
    what changes of a component by 2^-22 do, and a pixel is in doubt where that is a hundred times it."""
    _, back, span, signed, _, _ = SPACES[p.space]

    def colors(y):
        return back(y if p.plain == 'yes' else (y - np.array([0, signed, signed]) * 128 / 255) * span)
    y = rgb(c)
    out = colors(y)
    change = 0
    for k in range(3):
        for side in (-1, 1):
            moved = y + side * 2 ** -22 * np.maximum(1, np.abs(y)) * (np.arange(3) == k)
            change = change + np.abs(colors(moved) - out).max(2)
    scale = 3e-4 * np.maximum(1, np.abs(out).min(2))
    growth = np.nan_to_num(change * 4 / scale, nan=np.inf)
    faint(1 / np.maximum(1, growth))
    doubt(growth > 100)
    return with_rgb(c, out)


def bracketed(counts, below, values, edges, near):
    """Whether the counts below every edge are those of the values, but for values next to it."""
    got = below + np.concatenate([[0], np.cumsum(counts)])[:-1]
    ordered = np.sort(values.ravel())
    low = np.searchsorted(ordered, edges[:-1] - near)
    high = np.searchsorted(ordered, edges[:-1] + near)
    wrong = (got < low) | (got > high)
    return '' if not wrong.any() else 'bin %d: %d below it, not %d to %d' % (
        wrong.argmax(), got[wrong.argmax()], low[wrong.argmax()], high[wrong.argmax()])


@measurement('spaces')
def check(session, engines):
    for name in ('photo.npy', 'noise.npy', 'sixteen.npy', 'photo_float.npy'):
        colors = session.colors[name]
        if session.images[name].ndim < 3 or session.images[name].shape[2] < 3:
            continue
        for space, (to, _, span, _, _, ranges) in SPACES.items():
            y = to(rgb(colors))
            for engine in engines:
                if engine == 'vulkan' and session.short and name != 'photo_float.npy':
                    continue  # it compiles for a second
                got = report(session, engine, ['histogram', '--space', space, '--bins', '64',
                                               str(session.inputs / name)])
                if not got:
                    continue
                for k, channel in enumerate(got[0]['channels']):
                    lo, hi = ranges[k]
                    edges = lo + (hi - lo) * np.arange(65) / 64
                    judge(session, 'histogram of %s in %s, channel %d [%s]' % (name, space, k, engine),
                          bracketed(channel['counts'], channel['below'], y[..., k], edges,
                                    2e-5 * max(hi - lo, 1) + 1e-4 * (space in ('lch', 'hsv', 'hsl'))))
