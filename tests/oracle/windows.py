"""Filters of 3 x 3 pixels."""
import numpy as np

import registry
from registry import alpha, doubt, grey, luma, oracle, rgb, smoothstep, step, with_rgb

# Row by row: TL T TR, L C R, BL B BR; (dx, dy).
PLACES = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
SOBEL = [-1, -2, -1, 0, 0, 0, 1, 2, 1], [-1, 0, 1, -2, 0, 2, -1, 0, 1]
PREWITT = [-1, -1, -1, 0, 0, 0, 1, 1, 1], [-1, 0, 1, -1, 0, 1, -1, 0, 1]

# How many pixels right and down the nearest pixels of a window are, the alpha that colours between pixels
# are mixed with, and the other values that the neighbours mixed last may have.
APART = [1, 1]
ALPHA = [None]
OTHER = [None]


def mixed(c, dx, dy, whole, parts, border):
    """Down the columns, then along rows."""
    def pixel(i, k):
        return registry.shifted(c, dx * (whole[0] + i), dy * (whole[1] + k), border).astype(c.dtype)

    def column(i):
        near = pixel(i, 0)
        return near + (pixel(i, 1) - near) * parts[1] if parts[1] else near

    near = column(0)
    return near + (column(1) - near) * parts[0] if parts[0] else near


def inverses(share):
    """1 / alpha to the nearest float, 0 without alpha; and again with the other float where that is nearly as
    near, as the quotient may be 0.51 units off."""
    there = share > np.float32(1e-12)
    exact = 1 / np.where(there, share, 1).astype(float)
    nearest = exact.astype(np.float32)
    tie = np.abs(exact - nearest) > 0.489 * np.spacing(nearest)
    other = np.nextafter(nearest, np.where(exact > nearest, np.float32(np.inf), np.float32(0)))
    zero = np.float32(0)
    return np.where(there, nearest, zero), np.where(there, np.where(tie, other, nearest), zero)


def shifted(c, dx, dy, border):
    """The neighbours on a side. Between pixels they are mixed of these, multiplied by alpha: of float32
    with the roundings that docs/definitions.md states."""
    whole = [int(np.floor(distance)) for distance in APART]
    parts = [c.dtype.type((distance - w) * abs(side))
             for distance, w, side in zip(APART, whole, (dx, dy))]
    OTHER[0] = None
    if ALPHA[0] is None or not any(parts):
        return mixed(c, dx, dy, whole, parts, border).astype(float)
    weight = ALPHA[0] if c.ndim == 2 else ALPHA[0][..., None]
    share = mixed(weight, dx, dy, whole, parts, border)
    color = mixed(c * weight, dx, dy, whole, parts, border)
    value, OTHER[0] = ((color * one).astype(float) for one in inverses(share))
    return value


def nearly(a, b):
    """Where a comparison of `a`, mixed last, with b is not certain."""
    return np.zeros(np.shape(b), bool) if OTHER[0] is None else np.sign(a - b) != np.sign(OTHER[0] - b)


def as_floats(c, sample):
    """Colours in float32: samples times the nearest float to 1/255 or 1/65535."""
    most = {'uint8': 255, 'uint16': 65535}.get(sample)
    return np.rint(c * most).astype(np.float32) * np.float32(1 / most) if most else c.astype(np.float32)


def apart(across, down, function, *values, alphas=None):
    """The function's result with windows whose pixels are that far apart."""
    APART[:] = across, down
    ALPHA[0] = alphas
    try:
        return function(*values)
    finally:
        APART[:] = 1, 1
        ALPHA[0] = None


def window(name, *settings, **options):
    """An oracle whose windows have texel_width and texel_height, in three settings more."""
    first, *others = settings or [{}]

    def declare(function):
        def spread(c, p):
            c = as_floats(c, p.sample)
            return apart(p.texel_width, p.texel_height, function, c, p,
                         alphas=alpha(c)[..., 0] if p.has_alpha else None)

        oracle(name, dict(first, texel_width=1, texel_height=1), *others,
               dict(texel_width=3, texel_height=2), dict(texel_height=40),
               dict(texel_width=2.25, texel_height=0.7), border=True,
               **options)(spread)
        return function
    return declare


def correlate(plane, kernel, border):
    """Sum of kernel times neighbours; the plane may have channels."""
    return sum(k * shifted(plane, dx, dy, border) for k, (dx, dy) in zip(kernel, PLACES))


def magnitude(plane, kernels, border):
    return np.hypot(*(correlate(plane, k, border) for k in kernels))


IDENTITY = (0, 0, 0, 0, 1, 0, 0, 0, 0)


@window('convolution_3x3', dict(kernel=IDENTITY),
        dict(kernel=(0.1, 0.2, -0.3, 0.4, 0.5, 0.6, -0.7, 0.8, -0.9)))
def convolution_3x3(c, p):
    return with_rgb(c, correlate(rgb(c), p.kernel, p.border))


@oracle('sharpen', dict(sharpness=0, offset=1), dict(sharpness=-1), dict(sharpness=1.3),
        dict(sharpness=0.7, offset=3), dict(sharpness=2, offset=64), border=True)
def sharpen(c, p):
    s = p.sharpness
    kernel = (0, -s, 0, -s, 1 + 4 * s, -s, 0, -s, 0)
    return with_rgb(c, apart(p.offset, p.offset, correlate, rgb(c), kernel, p.border))


@window('laplacian')
def laplacian(c, p):
    return with_rgb(c, correlate(rgb(c), (.5, 1, .5, 1, -6, 1, .5, 1, .5), p.border) + 0.5)


@window('emboss', dict(intensity=1), dict(intensity=2.5))
def emboss(c, p):
    i = p.intensity
    return with_rgb(c, correlate(rgb(c), (-2 * i, -i, 0, -i, 1, i, 0, i, 2 * i), p.border))


BITS = {(1, -1): 1, (0, -1): 2, (-1, -1): 4, (-1, 0): 8, (-1, 1): 16, (0, 1): 32, (1, 1): 64,
        (1, 0): 128}


def binary_pattern(plane, border):
    total = 0
    for (dx, dy), bit in BITS.items():
        other = shifted(plane, dx, dy, border)
        doubt(nearly(other, plane))
        total = total + bit * (other >= plane)
    return total / 255


@window('local_binary_pattern', doubtful=0.04)
def local_binary_pattern(c, p):
    return grey(c, binary_pattern(c[..., 0], p.border))


@window('color_local_binary_pattern', doubtful=0.04)
def color_local_binary_pattern(c, p):
    return with_rgb(c, binary_pattern(rgb(c), p.border))


@window('sobel_edge_detection', dict(edge_strength=1), dict(edge_strength=2.5))
def sobel_edge_detection(c, p):
    return grey(c, magnitude(luma(c), SOBEL, p.border) * p.edge_strength)


@window('prewitt_edge_detection', dict(edge_strength=1), dict(edge_strength=0.3))
def prewitt_edge_detection(c, p):
    return grey(c, magnitude(luma(c), PREWITT, p.border) * p.edge_strength)


@window('threshold_edge_detection', dict(threshold=0.25, edge_strength=1),
        dict(threshold=0.8, edge_strength=1.5))
def threshold_edge_detection(c, p):
    return grey(c, step(p.threshold, magnitude(luma(c), SOBEL, p.border) * p.edge_strength))


@window('sketch', dict(edge_strength=1), dict(edge_strength=0.4))
def sketch(c, p):
    return grey(c, 1 - magnitude(luma(c), SOBEL, p.border) * p.edge_strength)


@window('threshold_sketch', dict(threshold=0.25, edge_strength=1),
        dict(threshold=0.6, edge_strength=0.7))
def threshold_sketch(c, p):
    return grey(c, 1 - step(p.threshold, magnitude(luma(c), SOBEL, p.border) * p.edge_strength))


@window('toon', dict(threshold=0.2, quantization_levels=10),
        dict(threshold=0.9, quantization_levels=4))
def toon(c, p):
    n = p.quantization_levels
    flat = 1 - step(p.threshold, magnitude(luma(c), SOBEL, p.border))
    x = rgb(c) * n + 0.5
    doubt(np.abs(x - np.round(x)) < 1e-5 * np.maximum(1, np.abs(x)))
    return with_rgb(c, np.floor(x) / n * flat[..., None])


def median(c, p):
    side = range(-p.radius, p.radius + 1)
    near = [registry.shifted(rgb(c), dx, dy, p.border) for dy in side for dx in side]
    return with_rgb(c, np.median(near, axis=0))


oracle('median', dict(radius=1), dict(radius=3), border=True)(median)
oracle('median_k', dict(radius=2), dict(radius=1), dict(radius=4), border=True)(median)
oracle('wide_median', dict(radius=2), dict(radius=0), dict(radius=6), border=True)(median)


def derivative_products(plane, strength, border):
    """gx^2, gy^2 and gx gy, by Prewitt."""
    dy, dx = (correlate(plane, k, border) * strength for k in PREWITT)
    return dx * dx, dy * dy, dx * dy


@window('xy_derivative', dict(edge_strength=1, offset=1), dict(edge_strength=2.5, offset=0),
        dict(edge_strength=0.4))
def xy_derivative(c, p):
    xx, yy, xy = derivative_products(luma(c), p.edge_strength, p.border)
    return with_rgb(c, np.stack([xx, yy, (xy + 1) / 2 if p.offset else xy], axis=2))


@window('directional_sobel_edge_detection')
def directional_sobel_edge_detection(c, p):
    plane = luma(c)
    m = magnitude(plane, SOBEL, p.border)
    flat = np.all([shifted(plane, dx, dy, p.border) == plane for dx, dy in PLACES], axis=0)
    doubt((m < 2e-6) & ~flat)
    out = [m]
    for kernel in reversed(SOBEL):
        g = correlate(plane, kernel, p.border)
        share = np.abs(g) - np.sin(np.pi / 8) * m
        doubt((np.abs(share) < 2e-6 * np.maximum(1, m)) & ~flat)
        out.append(np.where(flat | (share <= 0), 0, np.sign(g)) / 2 + 0.5)
    return with_rgb(c, np.stack(out, axis=2))


@window('directional_non_maximum_suppression', dict(upper_threshold=0.5, lower_threshold=0.1),
        dict(upper_threshold=0.9, lower_threshold=0.05))
def directional_non_maximum_suppression(c, p):
    red = c[..., 0]
    dx, dy = ((c[..., k] > 0.75).astype(int) - (c[..., k] < 0.25) for k in (1, 2))
    for k in (1, 2):
        doubt(np.abs(np.abs(c[..., k] - 0.5) - 0.25) < 1e-6)
    keep = np.ones(red.shape, bool)
    for sign in (1, -1):
        for right, below in PLACES:
            other = shifted(red, right, below, p.border)
            there = (sign * dx == right) & (sign * dy == below)
            doubt(there & nearly(other, red))
            keep &= ~there | (red >= other)
    return grey(c, keep * smoothstep(p.lower_threshold, p.upper_threshold, red))


def is_peak(plane, border, slack=0):
    """Above TL, T, L, BL; not below the others: one winner where two are equal. `slack`: how much less is
    enough, but not of a pixel that the border makes its own neighbour."""
    keep, number = np.ones(plane.shape, bool), np.arange(1, plane.size + 1).reshape(plane.shape)
    for dx, dy in PLACES:
        other = shifted(plane, dx, dy, border)
        less = np.where(registry.shifted(number, dx, dy, border) == number, 0, slack)
        if (dx, dy) in ((-1, -1), (0, -1), (-1, 0), (-1, 1)):
            keep &= plane > other - less
        elif (dx, dy) != (0, 0):
            keep &= plane >= other - less
    return keep


def peaks(plane, border):
    """is_peak, where rounding does not decide."""
    certain, possible = np.ones(plane.shape, bool), np.ones(plane.shape, bool)
    for dx, dy in PLACES:
        other = shifted(plane, dx, dy, border)
        first = (dx, dy) in ((-1, -1), (0, -1), (-1, 0), (-1, 1))
        above = plane > other if first else plane >= other
        near = nearly(other, plane)
        if (dx, dy) != (0, 0):
            certain &= above & ~near
            possible &= above | near
    doubt(possible & ~certain)
    return certain


@window('non_maximum_suppression')
def non_maximum_suppression(c, p):
    return with_rgb(c, rgb(c) * peaks(c[..., 0], p.border)[..., None])


@window('thresholded_non_maximum_suppression', dict(threshold=0.9, result='corners'),
        dict(threshold=0.4, result='score'), dict(threshold=0.4))
def thresholded_non_maximum_suppression(c, p):
    red = c[..., 0]
    keep = peaks(red, p.border) * step(p.threshold, red)
    return grey(c, np.where(keep > 0, red, 0) if p.result == 'score' else keep)


@window('weak_pixel_inclusion')
def weak_pixel_inclusion(c, p):
    red = c[..., 0]
    return grey(c, step(1.5, correlate(red, [1] * 9, p.border)) * step(0.01, red))
