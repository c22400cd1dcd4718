"""Filters whose parameters are measured on the image itself."""
from types import SimpleNamespace

import numpy as np

from color import amatorka, levels, miss_etikate, neutral_balance
from neighborhoods import box_mean, gaussian
from registry import alpha, grey, luma, mix, oracle, over_premultiplied, rgb, step, with_rgb


@oracle('average_luminance_threshold', dict(threshold_multiplier=1),
        dict(threshold_multiplier=0.6), dict(threshold_multiplier=1.5))
def average_luminance_threshold(c, p):
    l = luma(c)
    return grey(c, step(l.mean() * p.threshold_multiplier, l))


@oracle('adaptive_threshold', dict(radius=4, offset=0.05), dict(radius=9),
        dict(radius=2, offset=0.1), wild=False)
def adaptive_threshold(c, p):
    g = grey(c, luma(c))
    mean = over_premultiplied(g, p.has_alpha, lambda x: box_mean(x, p.radius, 'replicate'))
    return grey(c, step(0, luma(c) - (luma(mean) - p.offset)))


@oracle('average_color')
def average_color(c, p):
    return np.broadcast_to(c.mean(axis=(0, 1)), c.shape)


@oracle('local_threshold', dict(offset=0.05), dict(offset=-0.2), inputs=2)
def local_threshold(b, o, p):
    return grey(b, step(0, luma(b) - luma(o) + p.offset))


@oracle('gray_world', doubtful=0.1)
def gray_world(c, p):
    return neutral_balance(c, SimpleNamespace(neutral=rgb(c).mean(axis=(0, 1))))


@oracle('auto_levels', bound=2e-4, doubtful=0.1)
def auto_levels(c, p):
    low, high = np.percentile(rgb(c), [0.5, 99.5], axis=(0, 1))
    return levels(c, SimpleNamespace(min=low, max=high, gamma=(1, 1, 1), min_out=(0, 0, 0),
                                     max_out=(1, 1, 1)))


@oracle('soft_elegance', bound=1e-4, bytes_bound=3e-4)
def soft_elegance(c, p):
    look = amatorka(c, SimpleNamespace(intensity=0.6))
    soft = over_premultiplied(look, p.has_alpha, lambda x: gaussian(x, 10, 30, 'replicate'))
    both = with_rgb(look, mix(rgb(look), rgb(soft), alpha(soft) * 0.14))
    return miss_etikate(both, SimpleNamespace(intensity=0.4))
