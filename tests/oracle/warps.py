"""Filters that read at computed places, and generators."""
from types import SimpleNamespace

import numpy as np

from blends import composite
from color import three
from registry import (alpha, at, clamp01, doubt, faint, grey, luma, mix, mod, oracle,
                      over_premultiplied, places, rgb, smoothstep, with_rgb)


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
        dict(width=5, height=40, unit='px'),  # some images are of one pixel: tests/geometry.c has x and y
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


def inside(shape, p):
    """Where the centre of a pixel is in the rectangle."""
    x, y, _ = places(shape)
    result = np.ones(shape[:2], bool)
    for place, first, length in ((x, p.x, p.width), (y, p.y, p.height)):
        for edge in (first, first + length):
            doubt(np.abs(place - edge) < 1e-6)
        result &= (place >= first) & (place < first + length)
    return result, (x - p.x) / p.width, (y - p.y) / p.height


RECTANGLE = dict(x=0.55, y=0.55, width=0.4, height=0.4)
RECTANGLES = [dict(x=0.1, y=0.23, width=0.71, height=0.5), dict(x=-0.3, y=-0.2, width=1.7, height=2)]


def inset_of(c, p):
    where, x, y = inside(c.shape, p)
    read = np.array(sample(c, x, y, p))
    read[..., 3] = read[..., 3] * where
    return read


@oracle('inset', RECTANGLE, *RECTANGLES, bound=2e-4)
def inset(c, p):
    return inset_of(c, p)


@oracle('picture_in_picture', dict(RECTANGLE, opacity=1), dict(RECTANGLES[0], opacity=0.4),
        RECTANGLES[1], inputs=2, bound=2e-4)
def picture_in_picture(b, o, p):
    p.has_alpha = True  # of the second image; opaque ones are weighed alike
    return composite(b, inset_of(o, p), p.opacity, lambda b, o: o)


def corners(m, w, h):
    p = m @ np.array([[0, w, 0, w], [0, 0, h, h], [1, 1, 1, 1]], float)
    return p[:2] / p[2]


def in_space(p, w, h):
    """Pixels to units, through GPUImage's matrix as for a vertex, and back, all in 4 x 4."""
    unit, middle = (1, 0) if p.anchor_top_left else (2, 1)
    down = h if p.ignore_aspect_ratio else w
    units = np.array([[unit / w, 0, 0, -middle], [0, unit / down, 0, -middle * h / down], [0, 0, 1, 0],
                      [0, 0, 0, 1]])
    whole = np.linalg.inv(units) @ np.array(p.matrix3d, float).reshape(4, 4).T @ units
    return np.delete(np.delete(whole, 2, 0), 2, 1)


TURNED = (0.8, 0.1, -0.59, 0.3, 0, 0.9, 0, 0, 0.59, 0, 0.8, -0.2, 0.1, 0, 0, 1)


@oracle('transform', dict(matrix=(1, 0, 0, 0, 1, 0, 0, 0, 1), size='same', border='constant',
                          matrix3d=tuple(np.eye(4).ravel()), ignore_aspect_ratio=0, anchor_top_left=0),
        dict(matrix3d=TURNED), dict(matrix3d=TURNED, ignore_aspect_ratio=1, border='mirror'),
        dict(matrix3d=TURNED, matrix=(1, 0, 3, 0, 1, -2, 0, 0, 1), anchor_top_left=1, size='fit'),
        dict(matrix=(0.9, 0.3, -2, -0.2, 0.8, 4, 0, 0, 1)),
        dict(matrix=(0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1), size='fit'),
        dict(matrix=(0.9, 0.1, 0, 0.01, 1.2, 0, 0, 0, 1), size='fit', border='mirror'),
        dict(matrix=(1.3, 0.1, 5, 0.2, 0.7, 1, 0.002, 0.001, 1), size='fit', border='replicate'),
        dict(matrix=(2, 0, 0, 0, 2, 0, 0.01, 0, 2), border='replicate'),
        dict(matrix=(-1, 0, 30, 0, -1, 20, 0, 0, 1), border='wrap'), bound=5e-4)
def transform(c, p):
    h, w = c.shape[:2]
    m = np.array(p.matrix, float).reshape(3, 3) / p.matrix[8] @ in_space(p, w, h)
    m, high, wide = m / m[2, 2], h, w
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


@oracle('cga_colorspace', doubtful=0.08)
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


@oracle('solid_color_alpha', dict(color=(0, 0, 0.5, 1)), dict(color=(0.2, 0.9, 0.4, 0.3)))
def solid_color_alpha(c, p):
    return with_rgb(c, np.broadcast_to(three(p.color), c.shape[:2] + (3,)))


@oracle('solid_color', dict(color=(0, 0, 0.5, 1), use_existing_alpha=0),
        dict(color=(0.2, 0.9, 0.4, 0.3)), dict(color=(0.2, 0.9, 0.4, 0.3), use_existing_alpha=1),
        dict(color=(1, 0.5, 0.25)))
def solid_color(c, p):
    if p.use_existing_alpha:
        return solid_color_alpha(c, p)
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


@oracle('line_generator', dict(line_width=1, line_color=(0, 1, 0, 1), lines='0,0;1,1'),
        dict(line_width=3, lines='0.11,0.23;0.91,0.57;0.83,0.07;0.71,0.94'),
        dict(line_width=2.5, line_color=(1, 0.5, 0.2, 0.6), lines='0.9,0.123;0.1,0.456'),
        doubtful=0.02)
def line_generator(c, p):
    h, w = c.shape[:2]
    row, column = np.mgrid[0:h, 0:w]
    ink = np.zeros((h, w), bool)
    points = [[float(v) for v in point.split(',')] for point in p.lines.split(';')]
    for (x0, y0), (x1, y1) in zip(points[::2], points[1::2]):
        ends = [(x0 * w, y0 * h), (x1 * w, y1 * h)]
        u, v, side = column, row, w
        if abs(ends[1][1] - ends[0][1]) > abs(ends[1][0] - ends[0][0]):
            u, v, side, ends = row, column, h, [end[::-1] for end in ends]
        first, last = sorted(min(int(end[0]), side - 1) for end in ends)
        (u0, v0), (u1, v1) = ends
        off = v + 0.5 - (v0 + (u + 0.5 - u0) * (v1 - v0) / ((u1 - u0) or 1))
        doubt(np.abs(np.abs(off) - p.line_width / 2) < 1e-4)
        ink |= (u >= first) & (u <= last) & (off > -p.line_width / 2) & (off <= p.line_width / 2)
    color = np.concatenate([three(p.line_color), [(tuple(p.line_color) + (1,))[3]]])
    return color * ink[..., None]


@oracle('circle_generator', dict(radius=0.25, center=(0.5, 0.5), circle_color=(1, 1, 1, 1),
                                 background_color=(0, 0, 0, 1)),
        dict(radius=0.4, center=(0.3, 0.7), circle_color=(0.9, 0.2, 0.4, 0.5),
             background_color=(0.1, 0.3, 0, 0.2)))
def circle_generator(c, p):
    x, y, aspect = places(c.shape)
    d = np.hypot(x - p.center[0], (y - p.center[1]) * aspect)
    doubt(np.abs(d - p.radius) < 1e-6)
    return np.where((d <= p.radius)[..., None], p.circle_color, p.background_color)


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


def near_whole(v):
    return np.abs(v - np.round(v)) < 2e-5 * np.maximum(1, np.abs(v))


def cells(shape, width):
    """Places, the side of a square cell, and its middle."""
    x, y, aspect = places(shape)
    side = max(width, 1 / shape[1])
    column, row = x / side, y * aspect / side
    doubt(near_whole(column) | near_whole(row))
    middle = (np.floor(column) + 0.5) * side, (np.floor(row) + 0.5) * side / aspect
    return x, y, aspect, side, middle


CELLS = dict(fractional_width_of_pixel=0.13), dict(fractional_width_of_pixel=0)


@oracle('pixellate', dict(fractional_width_of_pixel=0.05), *CELLS, bound=2e-4)
def pixellate(c, p):
    return sample(c, *cells(c.shape, p.fractional_width_of_pixel)[4], p)


@oracle('pixellate_position',
        dict(fractional_width_of_pixel=0.05, center=(0.5, 0.5), radius=0.25), *CELLS,
        dict(fractional_width_of_pixel=0.087, center=(0.3, 0.7), radius=0.4),
        bound=2e-4)
def pixellate_position(c, p):
    x, y, aspect, _, middle = cells(c.shape, p.fractional_width_of_pixel)
    d = np.hypot(x - p.center[0], (y - p.center[1]) * aspect)
    doubt(np.abs(d - p.radius) < 1e-5)
    inside = d < p.radius
    return sample(c, np.where(inside, middle[0], x), np.where(inside, middle[1], y), p)


@oracle('polka_dot', dict(fractional_width_of_pixel=0.05, dot_scaling=0.9), *CELLS,
        dict(fractional_width_of_pixel=0.21, dot_scaling=0.6), bound=2e-4)
def polka_dot(c, p):
    x, y, aspect, side, middle = cells(c.shape, p.fractional_width_of_pixel)
    d = np.hypot(x - middle[0], (y - middle[1]) * aspect)
    doubt(np.abs(d - side / 2 * p.dot_scaling) < 1e-5 * max(1, side))
    read = sample(c, *middle, p)
    return with_rgb(read, rgb(read) * (d <= side / 2 * p.dot_scaling)[..., None])


@oracle('halftone', dict(fractional_width_of_pixel=0.01), *CELLS, doubtful=0.05, bound=2e-4)
def halftone(c, p):
    x, y, aspect, side, middle = cells(c.shape, p.fractional_width_of_pixel)
    d = np.hypot(x - middle[0], (y - middle[1]) * aspect)
    read = sample(c, *middle, p)
    radius = side / 2 * clamp01(1 - luma(read))
    doubt(np.abs(d - radius) < 2e-5 * max(1, side))
    doubt((read[..., 3] <= 0.01) & (read[..., 3] > 0))
    return grey(read, (d > radius).astype(float))


@oracle('polar_pixellate', dict(center=(0.5, 0.5), ring=0.025, ray=0.05),
        dict(center=(0.3, 0.6), ring=0.11, ray=0.7), dict(ring=0), dict(ray=0, ring=0.3),
        doubtful=0.04, bound=1e-3)
def polar_pixellate(c, p):
    x, y, aspect = places(c.shape)
    dx, dy = x - p.center[0], (y - p.center[1]) * aspect
    read = []
    for v, size in ((np.hypot(dx, dy), p.ring), (np.arctan2(dy, dx), p.ray)):
        if size:
            doubt(near_whole(v / size) | (np.abs(v / size - np.round(v / size)) < 2e-6 / size))
        read.append((np.floor(v / size) + 0.5) * size if size else v)
    d, turn = read
    return sample(c, p.center[0] + d * np.cos(turn), p.center[1] + d * np.sin(turn) / aspect, p)


def ball(shape, p):
    """Where a pixel lies on the unit ball, and whether it does; `bent` refracts as Snell has it."""
    x, y, aspect = places(shape)
    u, v = (x - p.center[0]) / p.radius, (y - p.center[1]) * aspect / p.radius
    d = np.hypot(u, v)
    doubt(np.abs(d - 1) < 1e-4)
    z = np.sqrt(np.maximum(1 - d * d, 0))
    k = 1 - p.refractive_index ** 2 * d * d
    doubt(np.abs(k) < 1e-4)
    bent = np.where(k < 0, 0, p.refractive_index * z - np.sqrt(np.maximum(k, 0)))
    return u, v, z, bent, d <= 1


BALLS = (dict(center=(0.5, 0.5), radius=0.25, refractive_index=0.71),
         dict(center=(0.4, 0.6), radius=0.6, refractive_index=1.2), dict(radius=0.45))


@oracle('sphere_refraction', *BALLS, bound=5e-4)
def sphere_refraction(c, p):
    u, v, _, bent, inside = ball(c.shape, p)
    return sample(c, 0.5 + bent * u / 2, 0.5 + bent * v / 2, p) * inside[..., None]


@oracle('glass_sphere', *BALLS, bound=2e-3)
def glass_sphere(c, p):
    u, v, z, bent, inside = ball(c.shape, p)
    read = rgb(sample(c, 0.5 - bent * u, 0.5 - bent * v, p))
    light = clamp01(np.stack([u, v, z], 2) @ (np.array([-0.5, 0.5, 1]) / np.sqrt(1.5)))
    more = 2.5 * (1 - z ** 0.25) + 0.8 * light ** 15
    doubt(inside & (z < 1e-3))
    out = np.concatenate([read + more[..., None], np.ones(c.shape[:2] + (1,))], 2)
    return out * inside[..., None]


@oracle('mosaic_tile',
        dict(display_tile_size=0.025, input_tile_size=(0.125, 0.125), num_tiles=64, color_on=1),
        dict(display_tile_size=0.31, input_tile_size=(0.25, 0.5), num_tiles=7),
        dict(display_tile_size=0.17, input_tile_size=(0.5, 0.34), num_tiles=4, color_on=0),
        inputs=2, doubtful=0.03, bound=5e-4)
def mosaic_tile(c, tiles, p):
    x, y, aspect, side, middle = cells(c.shape, p.display_tile_size)
    across, down = (x - middle[0]) / side + 0.5, (y - middle[1]) * aspect / side + 0.5
    chosen = (1 - rgb(c) @ np.array([0.299, 0.587, 0.114])) * p.num_tiles
    doubt(near_whole(chosen) & (chosen > -1) & (chosen < p.num_tiles + 1))
    k = np.clip(np.floor(chosen), 0, p.num_tiles - 1)
    columns, rows = (max(int(1 / v + 0.001), 1) for v in p.input_tile_size)
    column, row = k % columns, np.minimum(k // columns, rows - 1)
    h, w = tiles.shape[:2]
    ends = []
    for i, count, size in ((column, columns, w), (row, rows, h)):
        low = np.clip(np.floor(i * size / count + 0.5), 0, size - 1)
        high = np.floor((i + 1) * size / count + 0.5) - 1
        ends.append((low.astype(int), np.clip(high, low, size - 1).astype(int)))
    place = (column + across) / columns * w - 0.5, (row + down) / rows * h - 0.5
    first = [np.floor(v).astype(int) for v in place]
    s, t = ((v - i)[..., None] for v, i in zip(place, first))

    def between(planes):
        def at_corner(i, j):
            return planes[np.clip(first[1] + j, *ends[1]), np.clip(first[0] + i, *ends[0])]
        return mix(mix(at_corner(0, 0), at_corner(1, 0), s),
                   mix(at_corner(0, 1), at_corner(1, 1), s), t)
    means = between(np.concatenate([rgb(tiles) * alpha(tiles), alpha(tiles)], 2))
    faint(np.where(alpha(means) <= 1e-6, 0, alpha(means)))
    color = rgb(means) / np.where(alpha(means) == 0, 1, alpha(means))
    return np.concatenate([color * (rgb(c) if p.color_on else 1), alpha(means) * alpha(c)], 2)


@oracle('mosaic',
        dict(display_tile_size=0.025, input_tile_size=(0.125, 0.125), num_tiles=64, color_on=1),
        dict(display_tile_size=0.13, input_tile_size=(0.25, 0.5), num_tiles=7), inputs=2,
        doubtful=0.06, bound=1e-3)
def mosaic(c, tiles, p):
    return mosaic_tile(sample(c, *cells(c.shape, p.display_tile_size)[4], p), tiles, p)


@oracle('remap', inputs=2, bound=5e-4)
def remap(c, read, p):
    """The places may be anywhere; -16 .. 16 are told apart."""
    x, y = (np.clip(c[..., k], -15, 15) for k in (0, 1))
    out = sample(read, x, y, SimpleNamespace(has_alpha=True))
    out[..., 3] *= c[..., 3]
    return out


@oracle('voronoi_consumer', inputs=2, bound=5e-4)
def voronoi_consumer(c, sites, p):
    return remap(sites, c, p)


def along(c, p, place):
    """The mean of points along a line, weighted by GPUImage's nine weights and what lies between them."""
    count = p.samples // 2 * 2 + 1
    sums = 0
    for t in (np.arange(count) - count // 2) / (count // 2):
        read = sample(c, *place(t), p)
        weight = np.interp(4 * abs(t), range(5), (0.18, 0.15, 0.12, 0.09, 0.05))
        share = weight * alpha(read)
        sums = sums + np.concatenate([rgb(read) * share, share, np.full_like(share, weight)], 2)
    a = sums[..., 3:4] / sums[..., 4:]
    if p.has_alpha:
        faint(np.where(a <= 1e-6, 0, a))
    return np.concatenate([rgb(sums) / np.where(sums[..., 3:4] == 0, 1, sums[..., 3:4]), a], 2)


@oracle('motion_blur', dict(blur_size=2.5, blur_angle=0, samples=17),
        dict(blur_size=4, blur_angle=125, samples=9), dict(blur_size=11, blur_angle=-30, samples=40),
        border=True, bound=5e-4)
def motion_blur(c, p):
    x, y, _ = places(c.shape)
    turn, reach = np.radians(p.blur_angle), 4 * p.blur_size
    return along(c, p, lambda t: (x + reach * t * np.cos(turn) / c.shape[1],
                                  y + reach * t * np.sin(turn) / c.shape[0]))


@oracle('zoom_blur', dict(blur_center=(0.5, 0.5), blur_size=1, samples=17),
        dict(blur_center=(0.2, 0.9), blur_size=2.5, samples=9), dict(blur_size=9, samples=51),
        border=True, bound=5e-4)
def zoom_blur(c, p):
    x, y, _ = places(c.shape)
    step = 0.04 * p.blur_size
    return along(c, p, lambda t: (x + (p.blur_center[0] - x) * step * t,
                                  y + (p.blur_center[1] - y) * step * t))
