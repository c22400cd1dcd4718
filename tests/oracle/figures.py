"""Filters whose parameters are measured on the image itself."""
from types import SimpleNamespace

import numpy as np

from color import amatorka, levels, miss_etikate, neutral_balance
from neighborhoods import square_mean, gaussian
from registry import (L709, alpha, doubt, grey, luma, mix, oracle, over_premultiplied, rgb, step,
                      with_rgb)


@oracle('average_luminance_threshold', dict(threshold_multiplier=1),
        dict(threshold_multiplier=0.6), dict(threshold_multiplier=1.5))
def average_luminance_threshold(c, p):
    mean = counted_luma(c, p).astype(float).mean() / WHOLE.get(p.sample, 1)
    return grey(c, step(mean * p.threshold_multiplier, luma(c)))


@oracle('threshold', dict(level=0.5), dict(level=0.25))
def threshold(c, p):
    return grey(c, step(p.level, luma(c)))


@oracle('adaptive_threshold', dict(radius=4, offset=0.05), dict(radius=9),
        dict(radius=2, offset=0.1), wild=False)
def adaptive_threshold(c, p):
    g = grey(c, luma(c))
    mean = over_premultiplied(g, p.has_alpha, lambda x: square_mean(x, p.radius, 'replicate'))
    return grey(c, step(0, luma(c) - (luma(mean) - p.offset)))


@oracle('average_color')
def average_color(c, p):
    return np.broadcast_to(c.mean(axis=(0, 1)), c.shape)


@oracle('reduce', dict(operation='mean'), dict(operation='min'), dict(operation='max'),
        dict(operation='range'), dict(operation='stddev'))
def reduce(c, p):
    operation = dict(mean=np.mean, min=np.min, max=np.max, range=np.ptp, stddev=np.std)[p.operation]
    figure = operation(c, axis=(0, 1))
    figure[3] = figure[3] if p.has_alpha else 1
    return np.broadcast_to(figure, c.shape)


@oracle('fill', dict(color=(0, 0, 0, 1)), dict(color=(0.3, 0.3, 0.3, 0.5)))
def fill(c, p):
    color = np.array(p.color, float)
    color[3] = color[3] if p.has_alpha else 1
    return np.broadcast_to(color, c.shape)


@oracle('luminosity')
def luminosity(c, p):
    mean = c.mean(axis=(0, 1))
    return np.broadcast_to(np.append([mean[:3] @ L709] * 3, mean[3]), c.shape)


WHOLE = {'uint8': 255, 'uint16': 65535}


def bins_of(c, p):
    """Every component's bin among 65536, or among the values of the integer type. Float bins are
    drawn by float32 operations; the range is that of all components that the file has, or the
    luma's own."""
    if p.sample in WHOLE:
        return np.floor(c * WHOLE[p.sample] + 0.5).astype(int), lambda l: l * WHOLE[p.sample] + 0.5
    counted = few(c, p)
    measured = (counted if p.has_alpha else rgb(counted)).astype(np.float32)
    if p.type == 'luminance':
        measured = counted_luma(counted, p)
    low, high = measured.min(), measured.max()
    scale = np.float32(65536 / (float(high) - float(low)))

    def place(x):
        return (x.astype(np.float32) - low) * scale
    return np.clip(place(c), 0, 65535).astype(int), lambda l: np.clip(place(l), 0, 65535)


def few(c, p):
    """The pixels that are counted."""
    return c[::p.downsampling_factor, ::p.downsampling_factor]


def equalized(values, bins, place):
    """(samples up to a bin - those of the lowest) / (all others), looked up for each bin."""
    counts = np.bincount(bins.ravel(), minlength=65536)
    lowest = counts[counts > 0][0]
    if lowest == bins.size:
        return values
    share = np.maximum(np.cumsum(counts) - lowest, 0) / (bins.size - lowest)
    return share[place]


def counted_luma(c, p):
    """Luma as histograms count it: of integers an integer, of floats the float32 sum."""
    if p.sample in WHOLE:
        v = np.floor(rgb(c) * WHOLE[p.sample] + 0.5).astype(int)
        return (v @ [13926, 46885, 4725] + 32768) >> 16
    r, g, b = np.moveaxis(rgb(c).astype(np.float32), 2, 0)
    w = np.array([0.2125, 0.7154, 0.0721], np.float32)
    l = (w[0] * r + w[1] * g) + w[2] * b
    return np.clip(l, np.minimum(np.minimum(r, g), b), np.maximum(np.maximum(r, g), b))


def equalize(c, p):
    bins, place = bins_of(c, p)
    if p.type != 'luminance':
        chosen = {'rgb': (0, 1, 2), 'red': (0,), 'green': (1,), 'blue': (2,)}[p.type]
        return np.stack([equalized(c[..., k], few(bins[..., k], p), bins[..., k]) if k in chosen
                         else c[..., k] for k in range(4)], axis=2)
    counted = counted_luma(c, p)
    if p.sample in WHOLE:
        at = place(luma(c))
        doubt(np.abs(at - np.rint(at)) < 0.02)  # the integer luma may be the next one
        l, at = luma(c), np.floor(at).astype(int)
    else:
        l, at = counted.astype(float), place(counted).astype(int)
        counted = at
    return with_rgb(c, np.clip(rgb(c) + (equalized(l, few(counted, p), at) - l)[..., None], 0, 1))


oracle('histogram_equalization', dict(type='rgb', downsampling_factor=1), dict(type='luminance'),
       dict(type='green'), dict(downsampling_factor=3), dict(type='luminance', downsampling_factor=5),
       doubtful=0.05)(equalize)
oracle('measured_curve', dict(type='rgb', downsampling_factor=1), dict(type='luminance', curve='@luma.cdf'),
       dict(type='blue'), doubtful=0.05)(equalize)


@oracle('equalize_histogram', doubtful=0.05)
def equalize_histogram(c, p):
    p.type, p.downsampling_factor = 'luminance', 1
    return equalize(c, p)


def columns_of(bins, total):
    """Counts of 256 columns, each of as many bins."""
    return np.bincount((bins * 256 // total).ravel(), minlength=256)


def counted_columns(c, p):
    """Relative counts of 256 columns, x 4; the largest is 1."""
    total = {'uint8': 256}.get(p.sample, 65536)
    out = np.zeros((256, 4))
    bins, place = bins_of(c, p)
    bins, whole = few(bins, p), counted_luma(few(c, p), p)
    if p.sample not in WHOLE:
        whole = place(whole).astype(int)
    if p.type == 'luminance':
        out[:, :3] = columns_of(whole, total)[:, None]
    else:
        for k in {'rgb': (0, 1, 2), 'red': (0,), 'green': (1,), 'blue': (2,)}[p.type]:
            out[:, k] = columns_of(bins[..., k], total)
    out /= out.max()
    out[:, 3] = 1
    return out[None]


TYPES = [dict(type='luminance'), dict(type='green'), dict(type='red'), dict(type='blue')]


def scaled_columns(c, p):
    columns = counted_columns(c, p)
    return np.concatenate([np.minimum(columns[..., :3] * p.scale, 1), columns[..., 3:]], axis=2)


@oracle('histogram_strip', dict(type='rgb', scale=1, downsampling_factor=1), dict(downsampling_factor=4),
        dict(scale=7.5, curve='@ecdf'), *[
    dict(t, curve='@%s.ecdf' % t['type']) for t in TYPES], bound=1e-4)
def histogram_strip(c, p):
    return scaled_columns(c, p)


def bars(row, height, background):
    level = 1 - (np.arange(height) + 0.5)[:, None, None] / height
    values = np.broadcast_to(row[None, :, :3], (height,) + row[:, :3].shape)
    doubt(np.abs(values - level).min(axis=2) < 1e-4)
    lit = (values >= level).astype(float)
    some = lit.any(axis=2)[..., None]
    return np.where(some, np.concatenate([lit, np.ones_like(some)], axis=2), background)


@oracle('histogram_picture', dict(type='rgb', height=256, scale=1, downsampling_factor=1),
        dict(downsampling_factor=7), dict(height=100), dict(scale=20), *TYPES,
        doubtful=0.01)
def histogram_picture(c, p):
    return bars(scaled_columns(c, p)[0], p.height, np.array([0, 0, 0, 1.0]))


@oracle('histogram_generator', dict(height=256, background_color=(0, 0, 0, 0)),
        dict(height=31, background_color=(0.2, 0.4, 0.9, 0.5)))
def histogram_generator(c, p):
    h = c.shape[0]
    pair = [c[(h - 1) // 2], c[h // 2]] if h > 1 else [c[0], c[0]]
    row = np.mean(pair, axis=0)
    if p.has_alpha:
        row = np.mean([x * x[:, 3:] for x in pair], axis=0)
    return bars(row, p.height, np.array(p.background_color, float))


@oracle('local_threshold', dict(offset=0.05), dict(offset=-0.2), inputs=2)
def local_threshold(b, o, p):
    return grey(b, step(0, luma(b) - luma(o) + p.offset))


@oracle('gray_world')
def gray_world(c, p):
    return neutral_balance(c, SimpleNamespace(neutral=rgb(c).mean(axis=(0, 1))))


@oracle('auto_levels', bound=2e-4)
def auto_levels(c, p):
    low, high = np.percentile(rgb(c), [0.5, 99.5], axis=(0, 1))
    return levels(c, SimpleNamespace(min=low, max=high, gamma=(1, 1, 1), min_out=(0, 0, 0),
                                     max_out=(1, 1, 1)))


@oracle('soft_elegance', bound=1e-4, bytes_bound=3e-4)
def soft_elegance(c, p):
    look = amatorka(c, SimpleNamespace(intensity=0.6))
    soft = over_premultiplied(look, p.has_alpha, lambda x: gaussian(x, 10, 0, 'replicate'))
    both = with_rgb(look, mix(rgb(look), rgb(soft), alpha(soft) * 0.14))
    return miss_etikate(both, SimpleNamespace(intensity=0.4))
