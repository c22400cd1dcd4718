"""Filters that read at computed places, and generators."""
import numpy as np

from color import three
from registry import alpha, at, doubt, luma, mix, mod, oracle, places, rgb, with_rgb


def settle(x, size):
    """Places in pixels; those that a float cannot tell from a centre are that centre."""
    place = x * size - 0.5
    nearest = np.floor(place + 0.5)
    off = np.abs(place - nearest)
    doubt((off > 0.2 * size * 2.0 ** -22) & (off < 3 * size * 2.0 ** -22))
    return np.where(off <= size * 2.0 ** -22, nearest, place)


def sample(c, x, y, border='replicate'):
    """Bilinear at fractions of width and height; pixel centres are at halves. What is transparent
    counts less; at a centre it is the pixel."""
    column, row = settle(x, c.shape[1]), settle(y, c.shape[0])
    k, r = np.floor(column).astype(int), np.floor(row).astype(int)
    s, t = (column - k)[..., None], (row - r)[..., None]
    heavy = np.concatenate([rgb(c) * alpha(c), alpha(c)], axis=2)
    mean = mix(mix(at(heavy, r, k, border), at(heavy, r, k + 1, border), s),
               mix(at(heavy, r + 1, k, border), at(heavy, r + 1, k + 1, border), s), t)
    a = alpha(mean)
    doubt((np.abs(a) < 1e-6)[..., 0])
    colors = rgb(mean) / np.where(a == 0, 1, a)
    return np.where((s == 0) & (t == 0), at(c, r, k, border),
                    np.concatenate([colors, a], axis=2))


@oracle('bulge_distortion', dict(center=(0.5, 0.5), radius=0.25, scale=0.5),
        dict(center=(0.3, 0.6), radius=0.7, scale=-0.8), dict(radius=0.5, scale=1), border=True,
        bound=2e-4, doubtful=0.05)
def bulge_distortion(c, p):
    x, y, aspect = places(c.shape)
    dx, dy = x - p.center[0], y - p.center[1]
    d = np.hypot(dx, dy * aspect)
    k = np.where(d < p.radius, (1 - (p.radius - d) / p.radius * p.scale) ** 2, 1)
    return sample(c, p.center[0] + dx * k, p.center[1] + dy * k, p.border)


CGA = np.array([[0, 0, 0], [1, 1, 1], [85 / 255, 1, 1], [1, 85 / 255, 1]])


@oracle('cga_colorspace', doubtful=0.1)
def cga_colorspace(c, p):
    x, y, _ = places(c.shape)
    cells = []
    for place, cell in ((x, 1 / 200), (y, 1 / 320)):
        rest = mod(place, cell)
        doubt((rest < 1e-6) | (cell - rest < 1e-6))
        cells.append(place - rest)
    read = sample(c, *cells)
    distances = np.stack([np.linalg.norm(rgb(read) - color, axis=2) for color in CGA])
    first, second = np.sort(distances, axis=0)[:2]
    # Equal distances have an order (black, white, cyan, magenta), which rounding overrules.
    doubt((second - first < 2e-5 * np.maximum(1, second)))
    return np.concatenate([CGA[np.argmin(distances, axis=0)], np.ones(c.shape[:2] + (1,))], axis=2)


@oracle('solid_color', dict(color=(0, 0, 0.5, 1)), dict(color=(0.2, 0.9, 0.4, 0.3)),
        dict(color=(1, 0.5, 0.25)))
def solid_color(c, p):
    color = np.concatenate([three(p.color), [p.color[3] if len(p.color) == 4 else 1]])
    return np.broadcast_to(color, c.shape[:2] + (4,)).copy()


@oracle('color_packing')
def color_packing(c, p):
    """Half the size; red of UL, UR, LL, LR as r, g, b, a."""
    h, w = max(c.shape[0] // 2, 1), max(c.shape[1] // 2, 1)
    y, x = np.mgrid[0:h, 0:w]
    return np.stack([at(c, 2 * y + dy, 2 * x + dx, 'replicate')[..., 0]
                     for dy in (0, 1) for dx in (0, 1)], axis=2)
