"""Filters that read at computed places, and generators."""
import numpy as np

from color import three
from registry import at, doubt, mix, mod, oracle, over_premultiplied, places, rgb, smoothstep


def sample(c, x, y, p):
    """Bilinear at fractions of width and height; pixel centres are at halves."""
    border = getattr(p, 'border', 'replicate')
    column, row = x * c.shape[1] - 0.5, y * c.shape[0] - 0.5
    k, r = np.floor(column).astype(int), np.floor(row).astype(int)
    s, t = (column - k)[..., None], (row - r)[..., None]

    def between(planes):
        return mix(mix(at(planes, r, k, border), at(planes, r, k + 1, border), s),
                   mix(at(planes, r + 1, k, border), at(planes, r + 1, k + 1, border), s), t)
    return over_premultiplied(c, p.has_alpha, between)


@oracle('bulge_distortion', dict(center=(0.5, 0.5), radius=0.25, scale=0.5),
        dict(center=(0.3, 0.6), radius=0.7, scale=-0.8), dict(radius=0.5, scale=1), border=True,
        bound=2e-4)
def bulge_distortion(c, p):
    x, y, aspect = places(c.shape)
    dx, dy = x - p.center[0], y - p.center[1]
    d = np.hypot(dx, dy * aspect)
    k = np.where(d < p.radius, (1 - (p.radius - d) / p.radius * p.scale) ** 2, 1)
    return sample(c, p.center[0] + dx * k, p.center[1] + dy * k, p)


@oracle('pinch_distortion', dict(center=(0.5, 0.5), radius=0.5, scale=0.5),
        dict(radius=1), dict(center=(0.4, 0.7), radius=0.45, scale=-0.6),
        dict(radius=0.3, scale=1.3), border=True, bound=2e-4)
def pinch_distortion(c, p):
    """With the radius where GPUImage has 1/2, which leaves a ring at other radii."""
    x, y, aspect = places(c.shape)
    dx, dy = x - p.center[0], y - p.center[1]
    d = np.hypot(dx, dy * aspect)
    k = np.where(d < p.radius, 1 + (p.radius - d) / p.radius * p.scale, 1)
    return sample(c, p.center[0] + dx * k, p.center[1] + dy * k, p)


@oracle('stretch_distortion', dict(center=(0.5, 0.5)), dict(center=(0.3, 0.8)), border=True,
        bound=2e-4)
def stretch_distortion(c, p):
    read = []
    for place, center in zip(places(c.shape), p.center):
        n = 2 * (place - center)
        read.append(center + n * (0.5 + 0.5 * smoothstep(0.25, 0.5, np.abs(n))) / 2)
    return sample(c, *read, p)


@oracle('swirl', dict(center=(0.5, 0.5), radius=0.5, angle=1),
        dict(center=(0.3, 0.6), radius=0.8, angle=-1.7), border=True, bound=5e-4)
def swirl(c, p):
    x, y, _ = places(c.shape)
    dx, dy = x - p.center[0], y - p.center[1]
    d = np.hypot(dx, dy)
    turn = np.where(d < p.radius, 8 * p.angle * ((p.radius - d) / p.radius) ** 2, 0)
    sin, cos = np.sin(turn), np.cos(turn)
    return sample(c, p.center[0] + dx * cos - dy * sin, p.center[1] + dx * sin + dy * cos, p)


@oracle('crop', dict(x=0, y=0, width=1, height=1, unit='size', centered=0),
        dict(x=0.26, y=0.13, width=0.41, height=0.7), dict(x=0.53, y=0.8, width=0, height=0),
        dict(x=3, y=2, width=5, height=40, unit='px'),
        dict(width=8, height=3, unit='px', centered=1), dict(width=0.3, centered=1),
        dict(x=0.7, y=0.7, width=0.9, height=0.3), exact=True, bound=1e-7)
def crop(c, p):
    h, w = c.shape[:2]
    sides = (w, h) if p.unit == 'size' else (1, 1)
    wide, high = (max(1, int(v * n)) for v, n in zip((p.width, p.height), sides))
    left, top = min(int(p.x * sides[0]), w - 1), min(int(p.y * sides[1]), h - 1)
    if p.centered:
        wide, high = min(wide, w), min(high, h)
        left, top = (w - wide) // 2, (h - high) // 2
    return c[top:top + high, left:left + wide]


def corners(m, w, h):
    p = m @ np.array([[0, w, 0, w], [0, 0, h, h], [1, 1, 1, 1]], float)
    return p[:2] / p[2]


@oracle('transform', dict(matrix=(1, 0, 0, 0, 1, 0, 0, 0, 1), size='same', border='constant'),
        dict(matrix=(0.9, 0.3, -2, -0.2, 0.8, 4, 0, 0, 1)),
        dict(matrix=(0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1), size='fit'),
        dict(matrix=(0.9, 0.1, 0, 0.01, 1.2, 0, 0, 0, 1), size='fit', border='mirror'),
        dict(matrix=(1.3, 0.1, 5, 0.2, 0.7, 1, 0.002, 0.001, 1), size='fit', border='replicate'),
        dict(matrix=(2, 0, 0, 0, 2, 0, 0.01, 0, 2), border='replicate'),
        dict(matrix=(-1, 0, 30, 0, -1, 20, 0, 0, 1), border='wrap'), bound=5e-4)
def transform(c, p):
    h, w = c.shape[:2]
    m = np.array(p.matrix, float).reshape(3, 3) / p.matrix[8]
    high, wide = h, w
    if p.size == 'fit':
        at = corners(m, w, h)
        first = np.floor(at.min(axis=1) + 1e-4)
        wide, high = (int(n) for n in np.maximum(np.ceil(at.max(axis=1) - 1e-4) - first, 1))
        m = np.array([[1, 0, -first[0]], [0, 1, -first[1]], [0, 0, 1]]) @ m
    y, x = np.mgrid[0:high, 0:wide] + 0.5
    q = np.linalg.inv(m) @ np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    front = q[2] > 1e-9  # what lies behind the horizon counts as far outside
    q = np.where(front, q[:2] / np.where(front, q[2], 1), -100 * max(h, w)).reshape(2, high, wide)
    return sample(c, q[0] / w, q[1] / h, p)


CGA = np.array([[0, 0, 0], [1, 1, 1], [85 / 255, 1, 1], [1, 85 / 255, 1]])


@oracle('cga_colorspace', doubtful=0.1)
def cga_colorspace(c, p):
    x, y, _ = places(c.shape)
    cells = []
    for place, cell in ((x, 1 / 200), (y, 1 / 320)):
        rest = mod(place, cell)
        doubt((rest < 1e-6) | (cell - rest < 1e-6))
        cells.append(place - rest)
    read = sample(c, *cells, p)
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


@oracle('lookup_identity', images=('one.npy', 'noise.npy', 'grey.npy'), bound=1e-6)
def lookup_identity(c, p):
    y, x = np.mgrid[0:512, 0:512]
    blue = x // 64 + 8 * (y // 64)
    return np.stack([x % 64 / 63, y % 64 / 63, blue / 63, np.ones((512, 512))], axis=2)


@oracle('color_packing', exact=True, bound=1e-7)
def color_packing(c, p):
    """Half the size; red of UL, UR, LL, LR as r, g, b, a."""
    h, w = (c.shape[0] + 1) // 2, (c.shape[1] + 1) // 2
    y, x = np.mgrid[0:h, 0:w]
    return np.stack([at(c, 2 * y + dy, 2 * x + dx, 'replicate')[..., 0]
                     for dy in (0, 1) for dx in (0, 1)], axis=2)


@oracle('crosshair_generator',
        dict(crosshair_width=5, crosshair_color=(0, 1, 0, 1), points='0.5,0.5'),
        dict(crosshair_width=12, points='0.2,0.3;0.61,0.93;0.99,0.4'),
        dict(crosshair_width=1, crosshair_color=(1, 0.5, 0.2, 0.6), points='0.03,0.7;0.62,0.31'))
def crosshair_generator(c, p):
    """GPUImage's sprite of (w + 1)^2 pixels, its middle on the point's pixel."""
    out, w = np.zeros(c.shape[:2] + (4,)), p.crosshair_width
    s = (np.arange(w + 1) + 0.5) / (w + 1)
    middle, edge = np.ceil(w / 2) / w, 1 / w
    near, inside = np.abs(s - middle) <= 0.09 + 1e-9, s >= edge
    if w == 1:  # one pixel; half a pixel further in the sprite's own measure
        near = inside = np.array([False, True])
    sprite = np.outer(inside, near) | np.outer(near, inside)
    color = np.concatenate([three(p.crosshair_color), [(tuple(p.crosshair_color) + (1,))[3]]])
    first = int(np.ceil(w / 2))
    for point in p.points.split(';'):
        x, y = (int(float(v) * n) for v, n in zip(point.split(','), c.shape[1::-1]))
        for i, j in zip(*np.nonzero(sprite)):
            row, column = y + i - first, x + j - first
            if 0 <= row < c.shape[0] and 0 <= column < c.shape[1]:
                out[row, column] = color
    return out


def hashed(x):
    return mod((34 * x + 1) * x, 289)


@oracle('perlin_noise', dict(scale=8, color_start=(0, 0, 0, 1), color_finish=(1, 1, 1, 1)),
        dict(scale=3.3, color_start=(1, 0.2, 0, 0.5), color_finish=(0.1, 0.9, 0.4, 1)),
        dict(scale=200), bound=2e-4)
def perlin_noise(c, p):
    x, y, _ = places(c.shape)
    x, y = x * p.scale, y * p.scale
    left, top = np.floor(x), np.floor(y)
    fx, fy = x - left, y - top
    corner = {}
    for i in (0, 1):
        for j in (0, 1):
            turn = hashed(hashed(mod(left + i, 289)) + mod(top + j, 289))
            gx = 2 * mod(turn / 41, 1) - 1
            gy = np.abs(gx) - 0.5
            gx = gx - np.floor(gx + 0.5)
            scale = 1.79284291400159 - 0.85373472095314 * (gx * gx + gy * gy)
            corner[i, j] = (gx * (fx - i) + gy * (fy - j)) * scale
    ease_x, ease_y = (t ** 3 * (6 * t * t - 15 * t + 10) for t in (fx, fy))
    above, below = (mix(corner[0, j], corner[1, j], ease_x) for j in (0, 1))
    n = mix(above, below, ease_y)
    start, finish = (np.array(tuple(v) + (1,))[:4] for v in (p.color_start, p.color_finish))
    return start + (finish - start) * ((2.3 * n + 1) / 2)[..., None]
