"""Edges, corners and components: Canny and labels with plain flood fills, FAST-9 from its definition."""
from types import SimpleNamespace

import numpy as np

import components
from color import measure_of_corners
from neighborhoods import square_mean, gaussian, whole_gaussian, whole_spaced
from registry import (ORACLES, doubt, grey, luma, oracle, over_premultiplied, rgb, shifted,
                      smoothstep)
from windows import PLACES, SOBEL, apart, correlate, derivative_products, is_peak

def flood(strong, weak):
    """Pixels of `weak` that are joined to one of `strong` through the 8 neighbours."""
    h, w = weak.shape
    seen = strong & weak
    todo = list(zip(*np.nonzero(seen)))
    while todo:
        y, x = todo.pop()
        for v in range(max(y - 1, 0), min(y + 2, h)):
            for u in range(max(x - 1, 0), min(x + 2, w)):
                if weak[v, u] and not seen[v, u]:
                    seen[v, u] = True
                    todo.append((v, u))
    return seen


# Along the gradient, by direction: the neighbour that must be smaller, and the one that must not be
# larger; a step between two equal pixels is then one pixel wide.
ROW, COLUMN = ((-1, 0), (1, 0)), ((0, -1), (0, 1))
FALLING, RISING = ((-1, -1), (1, 1)), ((1, -1), (-1, 1))


def thin(m, gx, gy, flat, border, slack):
    """Largest along the gradient; `flat` says which gradients count as along an axis."""
    along_row = flat(np.abs(gx), np.abs(gy))
    along_column = ~along_row & flat(np.abs(gy), np.abs(gx))
    falling = ~along_row & ~along_column & (gx * gy > 0)
    rising = ~along_row & ~along_column & ~falling
    keep = np.zeros(m.shape, bool)
    for here, pair in ((along_row, ROW), (along_column, COLUMN), (falling, FALLING),
                       (rising, RISING)):
        first, second = (shifted(m, *place, border) for place in pair)
        keep |= here & (m > first - slack) & (m >= second - slack)
    return keep


def spread(keep, m, low, high, p, slack):
    """Hysteresis: `low` and `high` are squares, as m is."""
    if p.hysteresis == 'full':
        return flood(keep & (m >= high - slack), keep & ((m > low - slack) | (m >= high - slack)))
    unit = np.sqrt(high) / max(p.upper_threshold, p.lower_threshold)
    v = np.where(keep, smoothstep(p.lower_threshold, p.upper_threshold, np.sqrt(m) / unit), 0)
    around = sum(shifted(v, dx, dy, p.border) for dx, dy in PLACES)
    sign = np.sign(slack) * 1e-4
    return (v >= 0.01 - sign) & (around >= 1.5 - sign)


def rounded(x):
    return np.floor(x + 0.5).astype(int)


def levels_of_grey(c):
    """Luminance of bytes in whole levels."""
    r, g, b = np.moveaxis(rounded(rgb(c) * 255), 2, 0)
    return (13926 * r + 46885 * g + 4725 * b + 32768) >> 16


def whole_edges(c, p):
    """8-bit images: the definition in integers, which has no doubt."""
    plane, spacing = levels_of_grey(c), p.blur_texel_spacing_multiplier
    plane = (whole_gaussian(plane, p.sigma, p.border, 5) if spacing == 1 else
             whole_spaced(plane, p.sigma, spacing, p.border, 5))
    gy, gx = (correlate(plane, k, p.border).astype(int) for k in SOBEL)
    m = gx * gx + gy * gy
    keep = thin(m, gx, gy, lambda a, b: b <= a * 27146 // 65536, p.border, 0)
    low = np.floor((8160 * p.lower_threshold) ** 2)
    high = np.ceil((8160 * p.upper_threshold) ** 2)
    return spread(keep, m, low, high, p, 0)


def real_edges(c, p):
    """Other images: what is an edge however rounding turns out, and what can be one."""
    spacing = p.blur_texel_spacing_multiplier
    radius = 0 if spacing == 1 else int(np.ceil(3 * p.sigma))
    plane = gaussian(luma(c), p.sigma, radius, p.border, spacing) if p.sigma > 0 else luma(c)
    gy, gx = (apart(p.texel_width, p.texel_height, correlate, plane, k, p.border) for k in SOBEL)
    m = gx * gx + gy * gy
    maps = []
    for sign in (1, -1):
        slack = sign * (1e-5 * np.sqrt(m) + 1e-10)
        keeps = [thin(m, gx, gy, lambda a, b, t=tan: b <= a * 0.41421356 + t, p.border, slack)
                 for tan in (-3e-6, 3e-6)]
        keep = keeps[0] | keeps[1] if sign > 0 else keeps[0] & keeps[1]
        maps.append(spread(keep, m, p.lower_threshold ** 2, p.upper_threshold ** 2, p, slack))
    doubt(maps[0] != maps[1])
    return maps[0]


@oracle('canny_edge_detection',
        dict(sigma=2, lower_threshold=0.1, upper_threshold=0.4, hysteresis='full',
             blur_texel_spacing_multiplier=1, texel_width=1, texel_height=1),
        dict(sigma=1.4, blur_texel_spacing_multiplier=3),
        dict(texel_width=3, texel_height=2), dict(sigma=5.5, texel_width=1.6, texel_height=0.5),
        dict(hysteresis='ring'), dict(sigma=1, texel_height=2.25), dict(sigma=0), dict(sigma=0.6),
        dict(sigma=5.5, lower_threshold=0.02, upper_threshold=0.1),
        dict(sigma=1, lower_threshold=0.15, upper_threshold=0.8),
        border=True, wild=False, doubtful=0.03, exact=True)
def canny_edge_detection(c, p):
    whole = p.sample == 'uint8' and p.texel_width == p.texel_height == 1
    edges = whole_edges(c, p) if whole else real_edges(c, p)
    return grey(c, edges, 1)


def measured_corners(c, p, method, k):
    """The means of the products of derivatives, and their measure."""
    products = np.stack(derivative_products(luma(c), 1, p.border), axis=2)
    blurred = gaussian(products, p.sigma, 0, p.border) if p.sigma > 0 else products
    return blurred, measure_of_corners(*np.moveaxis(blurred, 2, 0), method, k) * p.sensitivity


@oracle('corner_measure', dict(method='harris', sigma=2, sensitivity=5, k=0.04),
        dict(method='noble', sigma=1), dict(method='shi_tomasi', sensitivity=1.5, sigma=3.5),
        dict(sigma=5.5, k=0.15), border=True, wild=False)
def corner_measure(c, p):
    return grey(c, measured_corners(c, p, p.method, p.k)[1], 1)


def corners(c, p, method, k=0):
    """Peaks of the measure, from a threshold on."""
    blurred, measure = measured_corners(c, p, method, k)
    size = (blurred[..., 0] + blurred[..., 1]) ** (2 if method == 'harris' else 1) * p.sensitivity
    near = 2e-6 * np.maximum(0.1, size)
    certain, possible = ((is_peak(measure, p.border, slack) & (measure >= p.threshold - slack))
                         for slack in (-near, near))
    doubt(possible & ~certain)
    return grey(c, np.where(certain, measure, 0) if p.output == 'score' else certain, 1)


CORNERS = dict(sigma=2, sensitivity=5, threshold=0.2, output='corners')
VARIANTS = [dict(threshold=0.1, output='score'),
            dict(threshold=0.02, sigma=1), dict(sensitivity=20, sigma=3.5)]


@oracle('harris_corner_detection', dict(CORNERS, k=0.04), dict(k=0.15, threshold=0.05), *VARIANTS,
        border=True, wild=False, doubtful=0.001)
def harris_corner_detection(c, p):
    return corners(c, p, 'harris', p.k)


@oracle('noble_corner_detection', CORNERS, *VARIANTS, border=True, wild=False, doubtful=0.01)
def noble_corner_detection(c, p):
    return corners(c, p, 'noble')


@oracle('shi_tomasi_feature_detection', dict(CORNERS, sensitivity=1.5), *VARIANTS, border=True,
        wild=False, doubtful=0.01)
def shi_tomasi_feature_detection(c, p):
    return corners(c, p, 'shi_tomasi')


CIRCLE = [(0, -3), (1, -3), (2, -2), (3, -1), (3, 0), (3, 1), (2, 2), (1, 3), (0, 3), (-1, 3),
          (-2, 2), (-3, 1), (-3, 0), (-3, -1), (-2, -2), (-1, -3)]


def arc_strength(plane, length, border):
    """The largest t for which `length` pixels in a row on the circle differ by at least t."""
    ring = np.stack([shifted(plane, dx, dy, border) - plane for dx, dy in CIRCLE])
    best = np.zeros(plane.shape, ring.dtype)
    for signed in (ring, -ring):
        for first in range(16):
            arc = signed[[(first + k) % 16 for k in range(length)]]
            best = np.maximum(best, arc.min(axis=0))
    return best


def within(plane, margin):
    inside = np.zeros(plane.shape, bool)
    inside[margin:-margin, margin:-margin] = True
    return inside


@oracle('fast_corner_detection',
        dict(threshold=0.08, non_maximum_suppression='yes', output='corners'),
        dict(threshold=0.03), dict(output='score', non_maximum_suppression='no'),
        dict(threshold=0.05, output='score'), wild=False)
def fast_corner_detection(c, p):
    if p.sample == 'uint8':
        plane, unit, near = levels_of_grey(c), 255, 0
        threshold = rounded(255 * p.threshold)
    else:
        plane, unit, near = luma(c), 1, 2e-6
        threshold = p.threshold
    score = arc_strength(plane, 9, 'replicate')
    corner = (score > threshold) & within(plane, 3)
    doubt((np.abs(score - threshold) < near) & within(plane, 3))
    if p.non_maximum_suppression == 'yes':
        rivals = np.where(corner, score, 0)
        for dx, dy in PLACES:
            if (dx, dy) != (0, 0):
                other = shifted(rivals, dx, dy, 'constant')
                doubt(corner & (np.abs(other - score) < near))
                corner = corner & (score > other)
    return grey(c, corner * (score / unit if p.output == 'score' else 1), 1)


# The samples of ColourFAST, clockwise on the screen: y goes down.
EIGHT = dict(A=(3, 1), B=(1, 3), C=(-1, 3), D=(-3, 1), E=(-3, -1), F=(-1, -3), G=(1, -3), H=(3, -1))


def descriptor(c, border):
    """Contrast of eight samples with the centre, and their direction as a turn around 1/2."""
    x = rgb(c)
    s = SimpleNamespace(**{k: shifted(x, dx, dy, border) for k, (dx, dy) in EIGHT.items()})
    contrast = (s.A + s.B + s.C + s.D + s.E + s.F + s.G + s.H) / 8 - x
    along = 0.94868 * (s.A - s.D - s.E + s.H) + 0.316227 * (s.B - s.C - s.F + s.G)
    down = 0.316227 * (s.A + s.D - s.E - s.H) + 0.94868 * (s.B + s.C - s.F - s.G)
    across, fall = ((np.abs(contrast) * v).sum(axis=2) for v in (along, down))
    doubt((np.abs(across) < 1e-4) & (np.abs(fall) < 1e-4))  # hardly any direction
    doubt((across < 0) & (np.abs(fall) < 1e-5))             # half a turn either way
    angle = np.arctan2(fall, across)
    return np.concatenate([(contrast + 1) / 2, ((angle + np.pi) / (2 * np.pi))[..., None]], axis=2)


@oracle('colour_fast_sampling', border=True, wild=False, bound=2e-4)
def colour_fast_sampling(c, p):
    return descriptor(c, p.border)


@oracle('colour_fast_feature_detector', dict(radius=3), dict(radius=1), border=True, wild=False,
        bound=2e-4, doubtful=0.1)
def colour_fast_feature_detector(c, p):
    blurred = over_premultiplied(c, p.has_alpha, lambda x: square_mean(x, p.radius, p.border))
    return descriptor(blurred, p.border)


@oracle('label', dict(connectivity='8', type='u16'), dict(connectivity='4'), dict(type='f32'),
        bound=5e-6)
def label(c, p):
    there = ((rgb(c) > 0) | (rgb(c) < 0)).any(axis=2)
    numbers, _ = components.flood(there.astype(np.uint8), int(p.connectivity))
    return grey(c, numbers / (65535 if p.type == 'u16' else 1), 1)


@oracle('parallel_coordinate_line_transform', dict(columns=256, step=1.0), dict(columns=37, step=2.5))
def parallel_coordinate_line_transform(c, p):
    return hough_transform(c, SimpleNamespace(angles=p.columns, step=p.step, coordinates='parallel'))


def weights_of_lines(p, k):
    """What x and y are multiplied by in column k: on the segments from (-1, -y) to (0, x) to (1, y)."""
    if p.coordinates == 'polar':
        return np.cos(k * np.pi / p.angles), np.sin(k * np.pi / p.angles)
    u = (2 * k + 1) / p.angles - 1
    return min(1 + u, 1 - u), u


@oracle('hough_transform', dict(angles=180, step=1.0, coordinates='polar'), dict(angles=36, step=2.5),
        dict(angles=50, coordinates='parallel'), dict(angles=7, step=0.5))
def hough_transform(c, p):
    """Votes of pixels that are not black in their red, by integers of 1 / 65536."""
    h, w = c.shape[:2]
    reach = int(np.ceil(np.hypot(w - 1, h - 1) / p.step)) + 1
    y, x = np.nonzero(c[..., 0] > 0)
    votes = np.zeros((2 * reach + 1, p.angles))
    for k in range(p.angles):
        cosine, sine = (int(np.floor(f * 65536 / p.step + 0.5)) for f in weights_of_lines(p, k))
        np.add.at(votes[:, k], (x * cosine + y * sine + 32768 >> 16) + reach, 1)
    return np.dstack([votes / max(h, w)] * 3 + [np.ones(votes.shape)])


@oracle('hough_lines', dict(lines=64, threshold=0.2, step=1.0), dict(lines=3, threshold=0.6, step=0.5),
        doubtful=0.1)
def hough_lines(c, p):
    """Peaks, the largest first; to the left of the first angle stands the last one, upside down."""
    v = c[..., 0].astype(np.float32)
    h, w = v.shape
    wide = np.full((h + 2, w + 2), -np.inf, np.float32)
    wide[1:-1, 1:-1], wide[1:-1, 0], wide[1:-1, -1] = v, v[::-1, -1], v[::-1, 0]
    peak = v >= np.float32(p.threshold)
    for dy, dx in ((-1, -1), (0, -1), (1, -1), (-1, 0)):
        peak &= v > wide[1 + dy:1 + dy + h, 1 + dx:1 + dx + w]
        peak &= v >= wide[1 - dy:1 - dy + h, 1 - dx:1 - dx + w]
    places = sorted(zip(*np.nonzero(peak)), key=lambda at: (-v[at], at))[:p.lines]
    out = np.zeros((1, p.lines, 4))
    for n, (j, k) in enumerate(places):
        turn = k * np.pi / w
        out[0, n] = np.cos(turn), np.sin(turn), (j - h // 2) * p.step, v[j, k]
    doubt(np.full((1, p.lines), (peak & (np.abs(v - p.threshold) < 1e-6)).any()))
    return out


@oracle('draw_lines', dict(line_width=1, line_color=(0, 1, 0, 1)),
        dict(line_width=3, line_color=(1, 0.5, 0.25, 0.5)), inputs=2, over='lines')
def draw_lines(c, lines, p):
    h, w = c.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    ink = np.zeros((h, w), bool)
    for cosine, sine, distance, votes in lines[0]:
        off, most = x * cosine + y * sine - distance, p.line_width / 2 * max(abs(cosine), abs(sine))
        doubt(np.abs(np.abs(off) - most) < 1e-4)
        if votes > 0:
            ink |= (off > -most) & (off <= most)
    color = (tuple(p.line_color) + (1,))[:4]
    part = np.where(ink, color[3], 0)[..., None]
    return c * (1 - part) + np.array(color[:3] + (1,)) * part


@oracle('hough_line_detection',
        dict(sigma=2, upper_threshold=0.4, lower_threshold=0.1, line_detection_threshold=0.2,
             lines=64, angles=180, step=1.0),
        dict(sigma=0, upper_threshold=0.7, lower_threshold=0.3, line_detection_threshold=0.3, lines=9,
             angles=30, step=1.5), images=('photo_float.npy', 'sixteen.npy'), doubtful=0.35)
@oracle('hough_transform_line_detection',
        dict(sigma=2, upper_threshold=0.4, lower_threshold=0.1, line_detection_threshold=0.2,
             lines=64, angles=180, step=1.0),
        dict(sigma=0, line_detection_threshold=0.4, lines=5, angles=45, step=2),
        images=('photo_float.npy', 'sixteen.npy'), doubtful=0.35)
def hough_transform_line_detection(c, p):
    """An edge in doubt puts the whole list in doubt."""
    canny = dict(ORACLES['canny_edge_detection'].defaults, sigma=p.sigma, border='replicate',
                 upper_threshold=p.upper_threshold, lower_threshold=p.lower_threshold)
    edges = canny_edge_detection(c, SimpleNamespace(**vars(p) | canny))
    votes = hough_transform(edges, SimpleNamespace(**vars(p), coordinates='polar'))
    return hough_lines(votes, SimpleNamespace(**vars(p), threshold=p.line_detection_threshold))
