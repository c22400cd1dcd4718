"""Blurs that are mixed with the image, and other effects in several steps."""
from types import SimpleNamespace

import numpy as np

from blends import fade
from color import luminance_range, saturation
from neighborhoods import gaussian
from registry import (alpha, at, doubt, luma, oracle, over_premultiplied, places, rgb, smoothstep,
                      with_rgb)
from windows import SOBEL, apart, magnitude


@oracle('extrapolate', dict(amount=1.5), dict(amount=-0.7), dict(amount=1), inputs=2)
def extrapolate(b, o, p):
    return with_rgb(b, rgb(b) * p.amount + rgb(o) * (1 - p.amount))


@oracle('channel', dict(of='red'), dict(of='green'), dict(of='blue'), dict(of='alpha'),
        dict(of='luminance'))
def channel(c, p):
    plane = luma(c) if p.of == 'luminance' else c[..., ['red', 'green', 'blue', 'alpha'].index(p.of)]
    return np.stack([plane] * 3 + [np.ones(plane.shape)], axis=2)


@oracle('convert_channels', dict(to='rgb'), dict(to='grey'), dict(to='rgba'))
def convert_channels(c, p):
    out = c.copy()
    if p.to == 'grey':
        out[..., :3] = luma(c)[..., None]
    if p.to != 'rgba':
        out[..., 3] = 1
    return out


def outside_circle(shape, center, radius, width):
    x, y, aspect = places(shape)
    d = np.hypot(x - center[0], (y - center[1]) * aspect)
    if width == 0:
        doubt(np.abs(d - radius) < 1e-5)
        return (d >= radius).astype(float)[..., None]
    return smoothstep(radius - width, radius, d)[..., None]


@oracle('circle_mix', dict(center=(0.5, 0.5), radius=0.25, fade=0.1),
        dict(center=(0.3, 0.6), radius=0.6, fade=0.5), dict(radius=0.37, fade=0), inputs=2,
        bound=1e-4)
def circle_mix(b, o, p):
    return fade(b, o, outside_circle(b.shape, p.center, p.radius, p.fade))


def outside_band(shape, top, bottom, width, angle):
    x, y, aspect = places(shape)
    turn = np.radians(angle)
    v = 0.5 + (y - 0.5) * np.cos(turn) - (x - 0.5) / aspect * np.sin(turn)
    if width == 0:
        doubt((np.abs(v - top) < 1e-4) | (np.abs(v - bottom) < 1e-4))
        return ((v < top) | (v >= bottom)).astype(float)[..., None]
    out = 1 - smoothstep(top - width, top, v) + smoothstep(bottom, bottom + width, v)
    return np.minimum(out, 1)[..., None]


@oracle('band_mix', dict(top=0.4, bottom=0.6, fade=0.2, angle=0),
        dict(top=0.3, bottom=0.45, fade=0.4, angle=33), dict(top=0.3, bottom=0.7),
        dict(fade=0, angle=-100), inputs=2, bound=2e-4)
def band_mix(b, o, p):
    return fade(b, o, outside_band(b.shape, p.top, p.bottom, p.fade, p.angle))


def blurred(c, p):
    if p.sigma == 0:
        return over_premultiplied(c, p.has_alpha, lambda x: x)
    return over_premultiplied(c, p.has_alpha, lambda x: gaussian(x, p.sigma, 0, p.border))


@oracle('unsharp_mask', dict(sigma=4, intensity=1.5), dict(sigma=1.3, intensity=3),
        dict(sigma=6, intensity=0.4), border=True, bound=2e-4, bytes_bound=1e-3)
def unsharp_mask(c, p):
    return with_rgb(c, rgb(c) * p.intensity + rgb(blurred(c, p)) * (1 - p.intensity))


@oracle('single_component_gaussian_blur', dict(sigma=2, of='red', texel_spacing_multiplier=1),
        dict(sigma=3.1, of='green'), dict(texel_spacing_multiplier=4),
        dict(of='alpha'), dict(sigma=5, of='luminance'), border=True, bytes_bound=5e-4)
def single_component_gaussian_blur(c, p):
    p.has_alpha = False
    if p.texel_spacing_multiplier == 1:
        return blurred(channel(c, p), p)
    return gaussian(channel(c, p), p.sigma, int(np.ceil(3 * p.sigma)), p.border,
                    p.texel_spacing_multiplier)


@oracle('gaussian_selective_blur',
        dict(sigma=5, exclude_circle_point=(0.5, 0.5), exclude_circle_radius=0.1875,
             exclude_blur_size=0.09375),
        dict(sigma=2, exclude_circle_point=(0.3, 0.6), exclude_circle_radius=0.4,
             exclude_blur_size=0.3), border=True, bound=1e-4, bytes_bound=5e-4)
def gaussian_selective_blur(c, p):
    return fade(c, blurred(c, p), outside_circle(c.shape, p.exclude_circle_point,
                                                 p.exclude_circle_radius, p.exclude_blur_size))


@oracle('gaussian_blur_position', dict(sigma=5, center=(0.5, 0.5), radius=0.25, fade=0),
        dict(sigma=2, center=(0.3, 0.6), radius=0.4, fade=0.3), border=True, bound=1e-4,
        bytes_bound=5e-4)
def gaussian_blur_position(c, p):
    return fade(blurred(c, p), c, outside_circle(c.shape, p.center, p.radius, p.fade))


@oracle('ios_blur', dict(sigma=48, saturation=0.8, range_reduction_factor=0.6), dict(sigma=3),
        dict(sigma=11, saturation=1.5, range_reduction_factor=0.2), border=True, bound=1e-4,
        bytes_bound=1e-3)
def ios_blur(c, p):
    return luminance_range(blurred(saturation(c, p), p), p)


@oracle('tilt_shift',
        dict(sigma=7, top_focus_level=0.4, bottom_focus_level=0.6, focus_fall_off_rate=0.2,
             angle=0),
        dict(sigma=2, top_focus_level=0.3, bottom_focus_level=0.4, focus_fall_off_rate=0.4,
             angle=-27), border=True, bound=2e-4, bytes_bound=1e-3)
def tilt_shift(c, p):
    return fade(c, blurred(c, p), outside_band(c.shape, p.top_focus_level, p.bottom_focus_level,
                                               p.focus_fall_off_rate, p.angle))


@oracle('smooth_toon', dict(sigma=2, threshold=0.2, quantization_levels=10, texel_width=1,
                            texel_height=1), dict(texel_width=2, texel_height=4),
        dict(texel_width=0.5, texel_height=3.2),
        dict(sigma=1, threshold=0.7, quantization_levels=5), border=True, doubtful=0.06)
def smooth_toon(c, p):
    """Where a level or an edge is decided, the blur's own error counts: that of bytes is larger."""
    near = 6e-4 if p.sample == 'uint8' else 2e-5
    soft = blurred(c, p)
    m = apart(p.texel_width, p.texel_height, magnitude, luma(soft), SOBEL, p.border,
              alphas=alpha(soft)[..., 0] if p.has_alpha else None)
    x = rgb(soft) * p.quantization_levels + 0.5
    size = np.maximum(1, np.abs(rgb(soft)).max(axis=2))
    if p.has_alpha:  # what is nearly transparent has no exact colour
        size = size / np.maximum(alpha(soft)[..., 0], 1e-3)
        size = np.max([np.roll(size, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)], 0)
    doubt(np.abs(m - p.threshold) < 8 * near * size)
    doubt(np.abs(x - np.round(x)) < (p.quantization_levels * near * size)[..., None])
    return with_rgb(soft, np.floor(x) / p.quantization_levels * (m < p.threshold)[..., None])


def kuwahara_planes(v, p):
    """Means over the quarter whose planes together vary least; first come, first served."""
    r, n, (h, w) = p.radius, (p.radius + 1) ** 2, v.shape[:2]
    y, x = np.mgrid[-r:h + r, -r:w + r]
    wide = at(v, y, x, p.border)
    sums = [np.pad(a.cumsum(0).cumsum(1), ((1, 0), (1, 0), (0, 0)))
            for a in (wide, (wide ** 2).sum(axis=2, keepdims=True))]
    size = r + 1
    means, squares = ((s[size:, size:] - s[:-size, size:] - s[size:, :-size] + s[:-size, :-size]) / n
                      for s in sums)
    spread = squares[..., 0] - (means ** 2).sum(axis=2)
    near = 3e-6 * np.maximum(1, squares[..., 0])
    quarters = [(slice(dy, dy + h), slice(dx, dx + w)) for dx, dy in ((0, 0), (r, 0), (r, r), (0, r))]
    best, least, slack = (a[quarters[0]].copy() for a in (means, spread, near))
    for q in quarters[1:]:
        closer = spread[q] < least
        best = np.where(closer[..., None], means[q], best)
        least, slack = np.where(closer, spread[q], least), np.maximum(slack, near[q])
    for q in quarters:
        doubt((np.abs(spread[q] - least) < slack) & (np.abs(means[q] - best).max(axis=2) > 1e-6))
    return best


@oracle('kuwahara', dict(radius=3), dict(radius=0), dict(radius=1), dict(radius=7), dict(radius=20),
        border=True, bound=1e-4, doubtful=0.05)
def kuwahara(c, p):
    return over_premultiplied(c, p.has_alpha, lambda v: kuwahara_planes(v, p))


@oracle('kuwahara_radius3', border=True, bound=1e-4)
def kuwahara_radius3(c, p):
    p.radius = 3
    return kuwahara(c, p)


@oracle('jfa_voronoi', bound=1e-6)
def jfa_voronoi(c, p):
    """Jump flooding; rows and columns of sites, -1 for none."""
    h, w = c.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    seed = (np.abs(rgb(c)).max(axis=2) > 0) & (c[..., 3] != 0)
    row, column = np.where(seed, y, -1), np.where(seed, x, -1)
    step = 1 << max(int(max(h, w) - 1).bit_length() - 1, 0)
    steps = [step >> k for k in range(step.bit_length())] + [1]
    for s in steps:
        best = [row.copy(), column.copy()]
        least = np.where(row < 0, np.inf, (y - row) ** 2 + (x - column) ** 2)
        for dy in (-s, 0, s):
            for dx in (-s, 0, s):
                inside = (y + dy >= 0) & (y + dy < h) & (x + dx >= 0) & (x + dx < w)
                at_y, at_x = np.where(inside, y + dy, 0), np.where(inside, x + dx, 0)
                r, k = row[at_y, at_x], column[at_y, at_x]
                far = np.where(inside & (r >= 0), (y - r) ** 2 + (x - k) ** 2, np.inf)
                nearer = far < least
                best = [np.where(nearer, r, best[0]), np.where(nearer, k, best[1])]
                least = np.minimum(least, far)
        row, column = best
    found = row >= 0
    out = np.stack([(column + 0.5) / w, (row + 0.5) / h,
                    np.hypot(y - row, x - column) / w, np.ones((h, w))], axis=2)
    return out * found[..., None]


@oracle('distance_transform', dict(of='foreground', result='distance', type='f32'),
        dict(of='background'), dict(result='square'), dict(type='u16'),
        dict(of='background', type='u8'), bound=1e-6)
def distance_transform(c, p):
    """Every pixel beside every pixel of the other kind."""
    there = (np.abs(rgb(c)).max(axis=2) > 0) & (c[..., 3] != 0)
    site = there if p.of == 'background' else ~there
    y, x = np.mgrid[0:c.shape[0], 0:c.shape[1]]
    least = np.full(c.shape[:2], np.inf)
    for row, column in zip(*np.nonzero(site)):
        least = np.minimum(least, (y - row) ** 2 + (x - column) ** 2)
    value = least if p.result == 'square' else np.sqrt(least)
    value = value / {'f32': 1, 'u16': 65535, 'u8': 255}[p.type]
    return np.stack([value] * 3 + [np.ones(value.shape)], axis=2)


def flooded(height, label, steps, lines):
    """Level by level and round by round; what has the label 0 and an infinite height is dry."""
    h, w = height.shape
    marks, order, now = label != 0, np.full((h, w), np.inf), 0

    def around(plane, outside):
        wide = np.pad(plane, 1, constant_values=outside)
        return np.stack([wide[1 + dy:1 + dy + h, 1 + dx:1 + dx + w] for dy, dx in steps])

    def join(who):
        rounds = around(order, np.inf)
        first = rounds == rounds.min(axis=0)
        least = np.where(first, around(np.where(label == 0, np.inf, label), np.inf), np.inf).min(axis=0)
        label[who & ~marks] = least[who & ~marks]
        order[who] = now

    for level in np.unique(height[np.isfinite(height) | (label != 0)]):
        join(marks & (height == level))
        while True:
            now += 1
            new = (height <= level) & ~marks & np.isinf(order)
            new &= np.isfinite(around(order, np.inf)).any(axis=0)
            if not new.any():
                break
            join(new)
    if lines:
        other, marked = around(label, 0), around(marks, False)
        parted = (other != 0) & (other != label) & ((other < label) | marked)
        label = np.where(parted.any(axis=0) & ~marks, 0, label)
    return label


@oracle('watershed', dict(connectivity='8', order='rising', nonzero='no', lines='no', type='u16'),
        dict(connectivity='4', lines='yes'), dict(order='falling', nonzero='yes', type='f32'),
        dict(lines='yes', type='u8'), inputs=2, over='markers', exact=True, bound=1e-6,
        images=('corners.npy', 'square_photo.npy', 'square_grey.npy', 'square_float.npy',
                'square_ends.npy'))
def watershed(c, over, p):
    """Labels and heights of red; rounds are numbered through all levels."""
    steps = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
             if (dy or dx) and (p.connectivity == '8' or not (dy and dx))]
    red = c[..., 0]
    dry = (c[..., 3] == 0) | ((p.nonzero == 'yes') & (red == 0))
    height = np.where(dry, np.inf, -red if p.order == 'falling' else red)
    label = flooded(height, np.where(dry, 0, over[..., 0]), steps, p.lines == 'yes')
    return np.stack([label] * 3 + [np.ones(label.shape)], axis=2)


def split(c, p):
    """Distances, their largest in a square, components of what is near it, and the watershed."""
    far = distance_transform(c, SimpleNamespace(of='foreground', result='distance', type='f32'))[..., 0]
    h, w = far.shape
    wide = np.pad(far, p.radius, constant_values=0)
    size = 2 * p.radius + 1
    top = np.max([wide[y:y + h, x:x + w] for y in range(size) for x in range(size)], axis=0)
    centre, label, count = (far > 0) & (far >= top - p.tolerance), np.zeros((h, w)), 0
    for y, x in zip(*np.nonzero(centre)):
        todo, count = [(y, x)], count + (label[y, x] == 0)
        while todo:
            y, x = todo.pop()
            if 0 <= y < h and 0 <= x < w and centre[y, x] and label[y, x] == 0:
                label[y, x] = count
                todo += [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    steps = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
             if (dy or dx) and (p.connectivity == '8' or not (dy and dx))]
    return flooded(np.where(far == 0, np.inf, -far), label, steps, p.lines == 'yes')


@oracle('split_touching', dict(radius=5, tolerance=0.5, connectivity='8', lines='no', type='u16'),
        dict(radius=2, lines='yes', type='f32'), dict(radius=1, tolerance=0.25, connectivity='4'),
        exact=True, bound=1e-6)
def split_touching(c, p):
    label = split(c, p) / (65535 if p.type == 'u16' else 1)
    return np.stack([label] * 3 + [np.ones(label.shape)], axis=2)


@oracle('project', dict(figure='max'), dict(figure='min'), dict(figure='mean'), dict(figure='sum'),
        dict(figure='stddev'))
def project(c, p):
    """Of a single layer; tests/project.c has stacks."""
    return c if p.figure != 'stddev' else np.dstack([np.zeros_like(rgb(c)), c[..., 3]])
