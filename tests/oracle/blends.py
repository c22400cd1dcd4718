"""Blends (group B): W3C compositing of straight colours, overlay o over base b."""
import numpy as np

from color import KEY, LPDF, key_distance
from poisson import solved
from registry import (alpha, doubt, faint, luma, mix, oracle, places, rgb, shifted,
                      smoothstep, step, with_rgb)


def lum(c):
    return (c @ LPDF)[..., None]


def sat(c):
    return c.max(axis=2, keepdims=True) - c.min(axis=2, keepdims=True)


def clip_color(c):
    l, n, x = lum(c), c.min(axis=2, keepdims=True), c.max(axis=2, keepdims=True)
    low = np.where(n < 0, l + (c - l) * l / np.where(n < 0, l - n, 1), c)
    return np.where(x > 1, l + (low - l) * (1 - l) / np.where(x > 1, x - l, 1), low)


def set_lum(c, l):
    return clip_color(c + (l - lum(c)))


def set_sat(c, s):
    """Per pixel the definition in words: sort, stretch the middle, the largest becomes s."""
    order = np.argsort(c, axis=2, kind='stable')
    low, middle, high = np.moveaxis(np.take_along_axis(c, order, axis=2), 2, 0)
    span = np.where(high > low, high - low, 1)
    s = s[..., 0]
    values = np.stack([0 * low, np.where(high > low, (middle - low) * s / span, 0),
                       np.where(high > low, s, 0)], axis=2)
    out = np.empty_like(c)
    np.put_along_axis(out, order, values, axis=2)
    return out


def quotient(a, b):
    return a / np.where(b == 0, 1, b)


def dodge(b, o):
    return np.where(b <= 0, 0, np.where(o >= 1, 1, np.minimum(1, quotient(b, 1 - o))))


def burn(b, o):
    return np.where(b >= 1, 1, np.where(o <= 0, 0, 1 - np.minimum(1, quotient(1 - b, o))))


def divide(b, o):
    return np.where(b <= 0, 0, np.where(b > o, 1, quotient(b, o)))


def hard_light(b, o):
    return np.where(o < 0.5, 2 * b * o, 1 - 2 * (1 - b) * (1 - o))


# name: B(b, o), and whether it means something below 0 and above 1.
FUNCTIONS = {
    'normal': (lambda b, o: o, True),
    'multiply': (lambda b, o: b * o, True),
    'add': (lambda b, o: np.minimum(1, b + o), False),
    'subtract': (lambda b, o: np.maximum(0, b - o), False),
    'divide': (divide, False),
    'overlay': (lambda b, o: hard_light(o, b), True),
    'darken': (np.minimum, True),
    'lighten': (np.maximum, True),
    'color_burn': (burn, False),
    'color_dodge': (dodge, False),
    'screen': (lambda b, o: 1 - (1 - b) * (1 - o), True),
    'exclusion': (lambda b, o: b + o - 2 * b * o, True),
    'difference': (lambda b, o: np.abs(b - o), True),
    'hard_light': (hard_light, True),
    'soft_light': (lambda b, o: b * b + 2 * o * b * (1 - b), True),
    'linear_burn': (lambda b, o: np.maximum(0, b + o - 1), False),
    'color': (lambda b, o: set_lum(o, lum(b)), False),
    'hue': (lambda b, o: set_lum(set_sat(o, sat(b)), lum(b)), False),
    'saturation': (lambda b, o: set_lum(set_sat(b, sat(o)), lum(b)), False),
    'luminosity': (lambda b, o: set_lum(b, lum(o)), False),
}


def composite(b, o, opacity, function):
    """[ao(1-ab)o + ao ab B + (1-ao)ab b] / (ao + ab - ao ab); nothing where neither covers."""
    ab, ao = alpha(b), alpha(o) * opacity
    union = ao + ab - ao * ab
    faint((union != 0).astype(float))
    total = (ao * (1 - ab) * rgb(o) + ao * ab * function(rgb(b), rgb(o)) + (1 - ao) * ab * rgb(b))
    return np.concatenate([quotient(total, union), union], axis=2)


# What GPUImage makes alpha, where that is not W3C's.
ALPHAS = {
    **dict.fromkeys(('overlay', 'darken', 'color_dodge', 'hard_light'), 'one'),
    'exclusion': 'within', **dict.fromkeys(('color', 'hue', 'saturation', 'luminosity'), 'over'),
    'subtract': lambda ab, ao: ab, 'difference': lambda ab, ao: ab,
    'linear_burn': lambda ab, ao: ab, 'lighten': np.maximum, 'color_burn': burn,
    'screen': lambda ab, ao: ab + ao - ab * ao,
}


def gpuimage(b, o, opacity, function, way):
    ab, ao, mixed = alpha(b), alpha(o) * opacity, function(rgb(b), rgb(o))
    if way == 'over':
        return np.concatenate([mix(rgb(b), mixed, ao), ab], axis=2)
    if callable(way):
        return np.concatenate([mix(rgb(b), mixed, opacity),
                               mix(ab, way(ab, alpha(o)), opacity)], axis=2)
    total = ao * (1 - ab) * rgb(o) + ao * ab * mixed + (1 - ao) * ab * rgb(b)
    if way == 'one':
        return np.concatenate([total, 1 + 0 * ab], axis=2)
    faint(ab)
    return np.concatenate([np.where(ab > 0, quotient(total, ab), rgb(b)), ab], axis=2)


def declare(name, function, wild):
    def blend(b, o, p):
        if p.alpha_mode == 'gpuimage':
            return gpuimage(b, o, p.opacity, function, ALPHAS[name])
        return composite(b, o, p.opacity, function)
    # A quotient's float32 operands can straddle the jump at 0 of dodge, burn and divide; hue and
    # saturation divide by the spread of the colour.
    steep = name in ('color_dodge', 'color_burn', 'divide', 'hue', 'saturation')
    tries = [dict(opacity=0.4), dict(opacity=0)]
    if name in ALPHAS:
        tries[1:1] = [dict(alpha_mode='gpuimage'), dict(alpha_mode='gpuimage', opacity=0.3)]
    oracle(name + '_blend', dict(opacity=1, alpha_mode='w3c'), *tries, inputs=2,
           wild=wild, bound=2e-4 if steep else 3e-5)(blend)


for _name, (_function, _wild) in FUNCTIONS.items():
    declare(_name, _function, _wild)


@oracle('alpha_blend', dict(mix=0.5), dict(mix=1), dict(mix=0.2), dict(mix=0), inputs=2)
def alpha_blend(b, o, p):
    return np.concatenate([mix(rgb(b), rgb(o), alpha(o) * p.mix), alpha(b)], axis=2)


def fade(b, o, t):
    """GPUImage's mix of all four components, of premultiplied colours."""
    a = mix(alpha(b), alpha(o), t)
    faint(a)
    total = mix(rgb(b) * alpha(b), rgb(o) * alpha(o), t)
    return np.concatenate([quotient(total, a), a], axis=2)


@oracle('dissolve_blend', dict(mix=0.5), dict(mix=0), dict(mix=1), dict(mix=0.3), inputs=2)
def dissolve_blend(b, o, p):
    return fade(b, o, p.mix)


@oracle('signed_difference', dict(reversed=0, red=0), dict(reversed=1), dict(red=1),
        dict(reversed=1, red=1), inputs=2)
def signed_difference(b, o, p):
    less = (rgb(b) - rgb(o)) * (-1 if p.reversed else 1)
    if p.red:
        return np.concatenate([less[..., [0, 0, 0]], 1 + 0 * alpha(b)], axis=2)
    return np.concatenate([less, alpha(b)], axis=2)


def source_over_mix(b, o, p):
    ao = alpha(o) * p.opacity
    return np.concatenate([mix(rgb(b), rgb(o), ao), mix(alpha(b), ao, ao)], axis=2)


@oracle('source_over_blend', dict(opacity=1, alpha_mode='w3c'), dict(opacity=0.4),
        dict(alpha_mode='gpuimage'), dict(alpha_mode='gpuimage', opacity=0.3), inputs=2)
def source_over_blend(b, o, p):
    if p.alpha_mode == 'gpuimage':
        return source_over_mix(b, o, p)
    return composite(b, o, p.opacity, lambda b, o: o)


oracle('source_over_mix', dict(opacity=1), dict(opacity=0.4), inputs=2)(source_over_mix)


@oracle('mask', inputs=2)
def mask(b, o, p):
    share = rgb(o).mean(axis=2, keepdims=True) * alpha(o)
    return np.concatenate([rgb(b), alpha(b) * share], axis=2)


@oracle('chroma_key_blend', KEY,
        dict(color_to_replace=(0.6, 0.4, 0.3), threshold_sensitivity=0.05, smoothing=0.2),
        inputs=2, bound=1e-4)
def chroma_key_blend(b, o, p):
    d = key_distance(b, p.color_to_replace)
    v = 1 - smoothstep(p.threshold_sensitivity, p.threshold_sensitivity + p.smoothing, d)
    return fade(b, o, v[..., None])


def mean_of_four(c, border):
    return sum(shifted(c, dx, dy, border) for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1))) / 4


@oracle('poisson_blend', dict(mix=0.5, num_iterations=0), dict(mix=0),
        dict(num_iterations=10), dict(mix=1, num_iterations=40), dict(mix=0.8, num_iterations=3),
        inputs=2, border=True, bound=1e-4)
def poisson_blend(b, o, p):
    if p.num_iterations == 0:
        return with_rgb(b, solved(rgb(b), rgb(o), o[..., 3] >= 0.5))
    u, detail = rgb(b), rgb(o) - mean_of_four(rgb(o), p.border)
    for _ in range(p.num_iterations):
        u = mix(u, mean_of_four(u, p.border) + detail, alpha(o) * p.mix)
    return np.concatenate([u, alpha(b)], axis=2)


@oracle('alpha_combine', {'from': 'red'}, {'from': 'luminance'}, {'from': 'alpha'}, inputs=2)
def alpha_combine(b, o, p):
    new = dict(red=o[..., 0], luminance=luma(o), alpha=o[..., 3])[getattr(p, 'from')]
    return np.concatenate([rgb(b), new[..., None]], axis=2)


oracle('alpha_scale_combine', {'from': 'red'}, {'from': 'luminance'}, {'from': 'alpha'},
       inputs=2)(alpha_combine)


@oracle('draw_crosshairs', dict(crosshair_width=9, thickness=1, crosshair_color=(0, 1, 0, 1)),
        dict(crosshair_width=4, thickness=2), dict(crosshair_width=7, thickness=3,
                                                   crosshair_color=(0.2, 0.7, 0.4, 0.5)), inputs=2)
def draw_crosshairs(b, o, p):
    """Every point by itself: of an even size one pixel more before it."""
    ink = np.zeros(b.shape[:2], bool)
    for wide, high in ((p.crosshair_width, p.thickness), (p.thickness, p.crosshair_width)):
        for y, x in zip(*np.nonzero(o[..., 0] > 0)):
            top, left = y - high // 2, x - wide // 2
            ink[max(top, 0):max(top + high, 0), max(left, 0):max(left + wide, 0)] = True
    color = (tuple(p.crosshair_color) + (1,))[:4]
    part = np.where(ink, color[3], 0)[..., None]
    return b * (1 - part) + np.array(color[:3] + (1,)) * part


@oracle('alpha_show2', dict(color=(1, 0, 0, 1)), dict(color=(0.2, 0.7, 0.4, 0.5)), inputs=2)
def alpha_show2(b, o, p):
    t = (tuple(p.color) + (1,))[3] * (o[..., :1] > 0)
    return np.concatenate([mix(rgb(b), np.array(p.color[:3], float), t), mix(alpha(b), 1, t)],
                          axis=2)


@oracle('two_show', dict(divider=0.5, direction='columns'), dict(divider=0.3),
        dict(direction='rows', divider=0.71), inputs=2)
def two_show(b, o, p):
    x, y, _ = places(b.shape)
    where = x if p.direction == 'columns' else y
    doubt(np.abs(where - p.divider) < 1e-6)
    return np.where((where > p.divider)[..., None], o, b)


@oracle('absolute_difference', inputs=2)
def absolute_difference(b, o, p):
    return with_rgb(b, np.abs(rgb(b) - rgb(o)))


@oracle('motion_mask', dict(threshold=0.2), dict(threshold=0.7), inputs=2)
def motion_mask(b, o, p):
    far = step(p.threshold, np.sqrt(((rgb(b) - rgb(o)) ** 2).sum(axis=2)))
    y, x = ((np.arange(n) + 0.5) / n for n in b.shape[:2])
    return np.stack([far * x, far * y[:, None], far, np.ones(far.shape)], axis=2)
