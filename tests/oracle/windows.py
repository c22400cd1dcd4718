"""Filters of 3 x 3 pixels."""
import numpy as np

from registry import at, doubt, grey, luma, oracle, rgb, shifted, smoothstep, step, with_rgb

# Row by row: TL T TR, L C R, BL B BR; (dx, dy).
PLACES = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
SOBEL = [-1, -2, -1, 0, 0, 0, 1, 2, 1], [-1, 0, 1, -2, 0, 2, -1, 0, 1]
PREWITT = [-1, -1, -1, 0, 0, 0, 1, 1, 1], [-1, 0, 1, -1, 0, 1, -1, 0, 1]


def correlate(plane, kernel, border):
    """Sum of kernel times neighbours; the plane may have channels."""
    return sum(k * shifted(plane, dx, dy, border) for k, (dx, dy) in zip(kernel, PLACES))


def magnitude(plane, kernels, border):
    return np.hypot(*(correlate(plane, k, border) for k in kernels))


IDENTITY = (0, 0, 0, 0, 1, 0, 0, 0, 0)


@oracle('convolution_3x3', dict(kernel=IDENTITY),
        dict(kernel=(0.1, 0.2, -0.3, 0.4, 0.5, 0.6, -0.7, 0.8, -0.9)), border=True)
def convolution_3x3(c, p):
    return with_rgb(c, correlate(rgb(c), p.kernel, p.border))


@oracle('sharpen', dict(sharpness=0), dict(sharpness=-1), dict(sharpness=1.3), border=True)
def sharpen(c, p):
    s = p.sharpness
    return with_rgb(c, correlate(rgb(c), (0, -s, 0, -s, 1 + 4 * s, -s, 0, -s, 0), p.border))


@oracle('laplacian', border=True)
def laplacian(c, p):
    return with_rgb(c, correlate(rgb(c), (.5, 1, .5, 1, -6, 1, .5, 1, .5), p.border) + 0.5)


@oracle('emboss', dict(intensity=1), dict(intensity=2.5), border=True)
def emboss(c, p):
    i = p.intensity
    return with_rgb(c, correlate(rgb(c), (-2 * i, -i, 0, -i, 1, i, 0, i, 2 * i), p.border))


BITS = {(1, -1): 1, (0, -1): 2, (-1, -1): 4, (-1, 0): 8, (-1, 1): 16, (0, 1): 32, (1, 1): 64,
        (1, 0): 128}


def binary_pattern(plane, border):
    total = 0
    for (dx, dy), bit in BITS.items():
        total = total + bit * (shifted(plane, dx, dy, border) >= plane)
    return total / 255


@oracle('local_binary_pattern', border=True)
def local_binary_pattern(c, p):
    return grey(c, binary_pattern(c[..., 0], p.border))


@oracle('color_local_binary_pattern', border=True)
def color_local_binary_pattern(c, p):
    return with_rgb(c, binary_pattern(rgb(c), p.border))


@oracle('sobel_edge_detection', dict(edge_strength=1), dict(edge_strength=2.5), border=True)
def sobel_edge_detection(c, p):
    return grey(c, magnitude(luma(c), SOBEL, p.border) * p.edge_strength)


@oracle('prewitt_edge_detection', dict(edge_strength=1), dict(edge_strength=0.3), border=True)
def prewitt_edge_detection(c, p):
    return grey(c, magnitude(luma(c), PREWITT, p.border) * p.edge_strength)


@oracle('threshold_edge_detection', dict(threshold=0.25, edge_strength=1),
        dict(threshold=0.8, edge_strength=1.5), border=True)
def threshold_edge_detection(c, p):
    return grey(c, step(p.threshold, magnitude(luma(c), SOBEL, p.border) * p.edge_strength))


@oracle('sketch', dict(edge_strength=1), dict(edge_strength=0.4), border=True)
def sketch(c, p):
    return grey(c, 1 - magnitude(luma(c), SOBEL, p.border) * p.edge_strength)


@oracle('threshold_sketch', dict(threshold=0.25, edge_strength=1),
        dict(threshold=0.6, edge_strength=0.7), border=True)
def threshold_sketch(c, p):
    return grey(c, 1 - step(p.threshold, magnitude(luma(c), SOBEL, p.border) * p.edge_strength))


@oracle('toon', dict(threshold=0.2, quantization_levels=10),
        dict(threshold=0.9, quantization_levels=4), border=True, doubtful=0.05)
def toon(c, p):
    n = p.quantization_levels
    flat = 1 - step(p.threshold, magnitude(luma(c), SOBEL, p.border))
    x = rgb(c) * n + 0.5
    doubt(np.abs(x - np.round(x)) < 1e-5 * np.maximum(1, np.abs(x)))
    return with_rgb(c, np.floor(x) / n * flat[..., None])


def median(c, p):
    side = range(-p.radius, p.radius + 1)
    near = [shifted(rgb(c), dx, dy, p.border) for dy in side for dx in side]
    return with_rgb(c, np.median(near, axis=0))


oracle('median', dict(radius=1), dict(radius=3), border=True)(median)
oracle('wide_median', dict(radius=2), dict(radius=0), dict(radius=6), border=True)(median)


def derivative_products(plane, strength, border):
    """gx^2, gy^2 and gx gy, by Prewitt."""
    dy, dx = (correlate(plane, k, border) * strength for k in PREWITT)
    return dx * dx, dy * dy, dx * dy


@oracle('xy_derivative', dict(edge_strength=1, offset=1), dict(edge_strength=2.5, offset=0),
        dict(edge_strength=0.4), border=True)
def xy_derivative(c, p):
    xx, yy, xy = derivative_products(luma(c), p.edge_strength, p.border)
    return with_rgb(c, np.stack([xx, yy, (xy + 1) / 2 if p.offset else xy], axis=2))


@oracle('directional_sobel_edge_detection', border=True, doubtful=0.05)
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


@oracle('directional_non_maximum_suppression', dict(upper_threshold=0.5, lower_threshold=0.1),
        dict(upper_threshold=0.9, lower_threshold=0.05), border=True)
def directional_non_maximum_suppression(c, p):
    red = c[..., 0]
    dx, dy = ((c[..., k] > 0.75).astype(int) - (c[..., k] < 0.25) for k in (1, 2))
    for k in (1, 2):
        doubt(np.abs(np.abs(c[..., k] - 0.5) - 0.25) < 1e-6)
    y, x = np.mgrid[0:red.shape[0], 0:red.shape[1]]
    keep = np.ones(red.shape, bool)
    for sign in (1, -1):
        keep &= red >= at(red, y + sign * dy, x + sign * dx, p.border)
    return grey(c, keep * smoothstep(p.lower_threshold, p.upper_threshold, red))


def is_peak(plane, border, slack=0):
    """Above TL, T, L, BL; not below the others: one winner where two are equal. `slack`: how much
    less is enough."""
    keep = np.ones(plane.shape, bool)
    for dx, dy in PLACES:
        other = shifted(plane, dx, dy, border)
        if (dx, dy) in ((-1, -1), (0, -1), (-1, 0), (-1, 1)):
            keep &= plane > other - slack
        elif (dx, dy) != (0, 0):
            keep &= plane >= other - slack
    return keep


@oracle('non_maximum_suppression', border=True)
def non_maximum_suppression(c, p):
    return with_rgb(c, rgb(c) * is_peak(c[..., 0], p.border)[..., None])


@oracle('thresholded_non_maximum_suppression', dict(threshold=0.9, result='corners'),
        dict(threshold=0.4, result='score'), dict(threshold=0.4), border=True)
def thresholded_non_maximum_suppression(c, p):
    red = c[..., 0]
    keep = is_peak(red, p.border) * step(p.threshold, red)
    return grey(c, np.where(keep > 0, red, 0) if p.result == 'score' else keep)


@oracle('weak_pixel_inclusion', border=True)
def weak_pixel_inclusion(c, p):
    red = c[..., 0]
    return grey(c, step(1.5, correlate(red, [1] * 9, p.border)) * step(0.01, red))
