"""Edges and corners: Canny with a plain flood fill, FAST-9 from its definition."""
import numpy as np

from neighborhoods import gaussian
from registry import doubt, grey, luma, oracle, shifted
from windows import SOBEL, correlate

HALF_OCTANT = 0.617316  # 1 - sin(pi/8): a component below sin(pi/8) rounds to 0


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


def edge_map(gx, gy, lower, upper, border, slack):
    """slack > 0: every decision that rounding can change is taken for the edge; < 0: against."""
    m = np.hypot(gx, gy)
    unit = [g / np.where(m == 0, 1, m) for g in (gx, gy)]
    keeps = []
    for shift in (-1e-4, 1e-4):
        qx, qy = (np.where(np.abs(u) + HALF_OCTANT + shift >= 1, np.sign(u), 0).astype(int)
                  for u in unit)
        keep = np.zeros(m.shape, bool)
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                here = (qx == dx) & (qy == dy)
                keep |= (here & (m >= shifted(m, dx, dy, border) - slack)
                         & (m >= shifted(m, -dx, -dy, border) - slack))
        keeps.append(keep)
    keep = keeps[0] | keeps[1] if slack > 0 else keeps[0] & keeps[1]
    return flood(keep & (m >= upper - slack), keep & (m >= lower - slack))


@oracle('canny_edge_detection', dict(sigma=2, lower_threshold=0.1, upper_threshold=0.4),
        dict(sigma=1, lower_threshold=0.2, upper_threshold=0.7), border=True, wild=False,
        doubtful=0.1)
def canny_edge_detection(c, p):
    l = gaussian(luma(c), p.sigma, int(np.ceil(3 * p.sigma)), p.border)
    gy, gx = (correlate(l, k, p.border) for k in SOBEL)
    maps = [edge_map(gx, gy, p.lower_threshold, p.upper_threshold, p.border, slack)
            for slack in (1e-5, -1e-5)]
    doubt(maps[0] != maps[1])
    return grey(c, maps[0])


CIRCLE = [(0, -3), (1, -3), (2, -2), (3, -1), (3, 0), (3, 1), (2, 2), (1, 3), (0, 3), (-1, 3),
          (-2, 2), (-3, 1), (-3, 0), (-3, -1), (-2, -2), (-1, -3)]


def arc_strength(plane, length, border):
    """The largest t for which `length` pixels in a row on the circle differ by more than t."""
    ring = np.stack([shifted(plane, dx, dy, border) - plane for dx, dy in CIRCLE])
    best = np.full(plane.shape, -np.inf)
    for signed in (ring, -ring):
        for first in range(16):
            arc = signed[[(first + k) % 16 for k in range(length)]]
            best = np.maximum(best, arc.min(axis=0))
    return best


@oracle('fast_corner_detection', dict(threshold=0.1), dict(threshold=0.04), wild=False)
def fast_corner_detection(c, p):
    score = arc_strength(luma(c), 9, 'replicate')
    corner = score > p.threshold
    doubt(np.abs(score - p.threshold) < 1e-5)
    kept = np.where(corner, score, 0)
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            if (dx, dy) != (0, 0):
                other = shifted(kept, dx, dy, 'constant')
                doubt(corner & (np.abs(other - score) < 1e-6))
                corner = corner & (score > other)
    return grey(c, corner)
