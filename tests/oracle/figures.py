"""Filters whose parameters are measured on the image itself."""
import numpy as np

from neighborhoods import box_mean
from registry import grey, luma, oracle, rgb, step, with_rgb


@oracle('average_luminance_threshold', dict(threshold_multiplier=1),
        dict(threshold_multiplier=0.6), dict(threshold_multiplier=1.5))
def average_luminance_threshold(c, p):
    l = luma(c)
    return grey(c, step(l.mean() * p.threshold_multiplier, l))


@oracle('adaptive_threshold', dict(radius=4, offset=0.05), dict(radius=9),
        dict(radius=2, offset=0.1), wild=False)
def adaptive_threshold(c, p):
    l = luma(c)
    return grey(c, step(0, l - (box_mean(l, p.radius, 'replicate') - p.offset)))


@oracle('average_color')
def average_color(c, p):
    return np.broadcast_to(c.mean(axis=(0, 1)), c.shape)


@oracle('local_threshold', dict(offset=0.05), dict(offset=-0.2), inputs=2)
def local_threshold(b, o, p):
    return grey(b, step(0, luma(b) - luma(o) + p.offset))
