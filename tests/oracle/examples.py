"""Hand-computed examples for the oracle itself: what the driver checks before it judges a tool."""
import types

import numpy as np

import blends
import color
import features
import neighborhoods
import pictures
import windows
from registry import ORACLES, shifted


def point(name, pixel, over=None, **given):
    images = [np.array(pixel, float).reshape(1, 1, 4)]
    if over is not None:
        images.append(np.array(over, float).reshape(1, 1, 4))
    return ORACLES[name].compute(images, given)[0][0, 0]


# filter, parameters, pixel, (overlay,) result
POINTS = [
    ('brightness', dict(brightness=0.25), (0.1, 0.5, 1, 0.5), (0.35, 0.75, 1.25, 0.5)),
    ('exposure', dict(exposure=1), (0.1, 0.2, 0.6, 1), (0.2, 0.4, 1.2, 1)),
    ('contrast', dict(contrast=2), (0.25, 0.5, 0.8, 1), (0, 0.5, 1.1, 1)),
    ('saturation', dict(saturation=0), (1, 0, 0, 1), (0.2125, 0.2125, 0.2125, 1)),
    ('saturation', dict(saturation=2), (0, 1, 0, 1), (-0.7154, 1.2846, -0.7154, 1)),
    ('gamma', dict(gamma=2), (0.5, 0.1, 1, 1), (0.25, 0.01, 1, 1)),
    ('levels', dict(min=(0.2,), max=(0.6,), gamma=(0.5,)), (0.1, 0.4, 0.6, 1), (0, 0.25, 1, 1)),
    ('levels', dict(min_out=(0.5,), max_out=(0.7,)), (0, 0.5, 1, 1), (0.5, 0.6, 0.7, 1)),
    ('color_matrix', dict(matrix=(0, 1, 0, 0.5) + (0,) * 11 + (1,)), (0.1, 0.3, 0.2, 0.4),
     (0.5, 0, 0, 0.4)),
    ('rgb', dict(red=0.5, blue=2), (0.4, 0.3, 0.2, 1), (0.2, 0.3, 0.4, 1)),
    ('hue', dict(hue=77), (0.5, 0.5, 0.5, 1), (0.5, 0.5, 0.5, 1)),
    ('hue', dict(hue=360), (0.1, 0.5, 0.9, 0.3), (0.1, 0.5, 0.9, 0.3)),
    ('vibrance', dict(vibrance=1), (0.9, 0.3, 0.3, 1), (0.9, -0.42, -0.42, 1)),
    ('highlight_shadow_tint', dict(shadow_tint_intensity=1), (0, 0, 0, 1), (1, 0, 0, 1)),
    ('color_invert', {}, (0.1, 0.5, 1, 0.3), (0.9, 0.5, 0, 0.3)),
    ('grayscale', {}, (0, 0, 1, 1), (0.0721, 0.0721, 0.0721, 1)),
    ('monochrome', {}, (0.25, 0.25, 0.25, 1), (0.3, 0.225, 0.15, 1)),
    ('monochrome', {}, (0.75, 0.75, 0.75, 1), (0.8, 0.725, 0.65, 1)),
    ('false_color', {}, (0.5, 0.5, 0.5, 1), (0.5, 0, 0.25, 1)),
    ('haze', {}, (0.6, 0.2, 1, 1), (0.5, 0, 1, 1)),
    ('sepia', {}, (1, 0, 0, 1), (0.3588, 0.2990, 0.2392, 1)),
    ('opacity', dict(opacity=0.25), (0.1, 0.2, 0.3, 0.8), (0.1, 0.2, 0.3, 0.2)),
    ('solarize', {}, (0.1, 0.2, 0.3, 1), (0.9, 0.8, 0.7, 1)),
    ('solarize', {}, (0.9, 0.8, 0.7, 1), (0.9, 0.8, 0.7, 1)),
    ('posterize', dict(color_levels=2), (0.2, 0.26, 0.8, 1), (0, 0.5, 1, 1)),
    ('luminance_range', dict(range_reduction_factor=0.5), (0.9,) * 3 + (1,), (0.7,) * 3 + (1,)),
    ('chroma_key', {}, (0, 1, 0, 0.5), (0, 1, 0, 0)),
    ('chroma_key', {}, (1, 0, 0, 0.5), (1, 0, 0, 0.5)),
    ('vignette', {}, (0.3, 0.2, 0.1, 1), (0.3, 0.2, 0.1, 1)),
    ('hsb', dict(saturation=0), (1, 0, 0, 1), (0.3, 0.3, 0.3, 1)),
    ('hsb', dict(hue=360), (0.1, 0.5, 0.9, 1), (0.1, 0.5, 0.9, 1)),
    ('skin_tone', {}, (0.1, 0.5, 0.9, 1), (0.1, 0.5, 0.9, 1)),
    ('white_balance', dict(temperature=6000), (0.25,) * 3 + (1,),
     (0.25 + 0.06 * 0.215, 0.25 + 0.06 * 0.02, 0.25 - 0.06 * 0.25, 1)),
]
OPAQUE = [  # B(b, o) of opaque colours: name, b, o, result
    ('multiply', 0.5, 0.4, 0.2), ('screen', 0.5, 0.4, 0.7), ('add', 0.5, 0.4, 0.9),
    ('add', 0.7, 0.4, 1), ('subtract', 0.7, 0.4, 0.3), ('subtract', 0.4, 0.7, 0),
    ('divide', 0.2, 0.4, 0.5), ('divide', 0.4, 0.2, 1), ('divide', 0, 0, 0), ('divide', 0.1, 0, 1),
    ('overlay', 0.25, 0.6, 0.3), ('overlay', 0.75, 0.6, 0.8), ('hard_light', 0.6, 0.25, 0.3),
    ('darken', 0.3, 0.6, 0.3), ('lighten', 0.3, 0.6, 0.6), ('difference', 0.3, 0.7, 0.4),
    ('exclusion', 0.5, 0.4, 0.5), ('soft_light', 0.5, 0.4, 0.45), ('linear_burn', 0.7, 0.6, 0.3),
    ('linear_burn', 0.2, 0.6, 0), ('color_burn', 0.8, 0.5, 0.6), ('color_burn', 0.2, 0, 0),
    ('color_burn', 1, 0, 1), ('color_dodge', 0.2, 0.5, 0.4), ('color_dodge', 0, 1, 0),
    ('color_dodge', 0.2, 1, 1), ('color_dodge', 0.8, 0.9, 1),
]
BLENDS = [
    # Two thirds covered where both are half: each third of the union is o, B and b.
    ('multiply_blend', {}, (0.8, 0.5, 0.2, 0.5), (0.4, 0.5, 0.6, 0.5),
     ((0.4 + 0.32 + 0.8) / 3, (0.5 + 0.25 + 0.5) / 3, (0.6 + 0.12 + 0.2) / 3, 0.75)),
    ('multiply_blend', dict(opacity=0), (0.8, 0.5, 0.2, 0.5), (0.4, 0.5, 0.6, 0.5),
     (0.8, 0.5, 0.2, 0.5)),
    ('normal_blend', {}, (0.8, 0.5, 0.2, 1), (0.4, 0.5, 0.6, 0.25), (0.7, 0.5, 0.3, 1)),
    ('alpha_blend', {}, (0.8, 0.5, 0.2, 0.3), (0.4, 0.5, 0.6, 0.5), (0.7, 0.5, 0.3, 0.3)),
    ('dissolve_blend', {}, (0.8, 0.5, 0.2, 0.3), (0.4, 0.5, 0.6, 0.5), (0.55, 0.5, 0.45, 0.4)),
    ('mask', {}, (0.8, 0.5, 0.2, 0.3), (0.2, 0.4, 0.9, 0.5), (0.8, 0.5, 0.2, 0.075)),
    # SetSat with blue above red above green, where GPUImage goes wrong: (0.5, 0, 1) at Sat 0.4 is
    # (0.2, 0, 0.4), Lum 0.104; the base has Lum 0.538.
    ('hue_blend', {}, (0.7, 0.5, 0.3, 1), (0.5, 0, 1, 1), (0.634, 0.434, 0.834, 1)),
    ('luminosity_blend', {}, (0.4, 0.4, 0.4, 1), (0.2, 0.2, 0.2, 1), (0.2, 0.2, 0.2, 1)),
    # Lum 0.59 kept: white's chroma is 0.
    ('color_blend', {}, (0, 1, 0, 1), (1, 1, 1, 1), (0.59, 0.59, 0.59, 1)),
    ('saturation_blend', {}, (0.2, 0.6, 0.4, 1), (0.5, 0.5, 0.5, 1), (0.458,) * 3 + (1,)),
]


def compare(label, got, expected):
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    if got.shape == expected.shape and np.abs(got - expected).max() <= 1e-9:
        return []
    return ['%s: %s expected, %s computed' % (label, expected.round(6), got.round(6))]


def plane(rows):
    """A grey picture from rows of numbers."""
    values = np.array(rows, float)
    return np.stack([values] * 3 + [np.ones_like(values)], axis=2)


def pictures_by_hand():
    row = np.arange(3.0)[None, :]
    for border, expected in (('replicate', 0), ('mirror', 1), ('wrap', 1), ('constant', 0)):
        yield 'two left, ' + border, shifted(row, -2, 0, border)[0, 0], expected
    yield 'one left, wrap', shifted(row, -1, 0, 'wrap')[0], [2, 0, 1]
    yield 'one left, mirror', shifted(row, -1, 0, 'mirror')[0], [0, 0, 1]
    ramp = np.array([[0, 1, 2]] * 3, float)
    yield 'Sobel of a ramp', windows.magnitude(ramp, windows.SOBEL, 'replicate')[1], [4, 8, 4]
    yield 'Prewitt of a ramp', windows.magnitude(ramp, windows.PREWITT, 'replicate')[1], [3, 6, 3]
    brighter = np.array([[9, 0, 0], [0, 5, 0], [0, 9, 0]], float)  # TL 4 and B 32
    yield 'binary pattern', windows.binary_pattern(brighter, 'constant')[1, 1] * 255, 36
    dot = np.zeros((5, 5))
    dot[2, 2] = 9
    box = types.SimpleNamespace(radius=1, width=0, height=0, border='constant')
    yield 'box', neighborhoods.box_mean(dot, range(-1, 2), range(-1, 2), 'constant')[1], [0, 1, 1, 1, 0]
    yield 'dilated', neighborhoods.extreme(dot, box, np.max)[1], [0, 9, 9, 9, 0]
    yield 'sum of taps', neighborhoods.gaussian_taps(1.7, 5).sum(), 1
    taps = neighborhoods.gaussian_taps(2, 4)
    yield 'ratio of taps', taps[6] / taps[4], np.exp(-0.5)
    line = np.array([[0, 1, 1, 0, 1, 0], [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]], bool)
    start = np.zeros_like(line)
    start[0, 1] = True
    yield 'flood', features.flood(start, line)[0], [0, 1, 1, 0, 0, 0]
    ring = np.zeros((7, 7))
    for k, (dx, dy) in enumerate(features.CIRCLE):
        ring[3 + dy, 3 + dx] = 0.5 if k < 9 else 0
    yield 'nine in a row', features.arc_strength(ring, 9, 'replicate')[3, 3], 0.5
    ring[3 + features.CIRCLE[8][1], 3 + features.CIRCLE[8][0]] = 0
    yield 'eight in a row', features.arc_strength(ring, 9, 'replicate')[3, 3], 0
    curve = color.natural_spline([(0, 0), (0.5, 0.75), (1, 1)], np.array([0, 0.25, 0.5, 1]))
    # Second derivative in the middle: 3/2 (1 - 2 * 0.75) / 0.25 = -3; at 1/4: 3/8 + 3 * 0.25 / 16.
    yield 'natural spline', curve, [0, 0.375 + 0.046875, 0.75, 1]
    table = color.table_of_picture(pictures.lookup_picture())
    yield 'table', table[63, 0, 63], [255, 0, 26]  # b = 1, g = 0, r = 1: 0.8 + 0.2, 0, 0.1
    yield 'colour of grey and alpha', pictures.to_color(np.array([[[51, 255]]], np.uint8)), [
        [[0.2, 0.2, 0.2, 1]]]


def failures():
    found, count = [], 0
    for name, given, pixel, expected in POINTS:
        found += compare(name, point(name, pixel, **given), expected)
    for name, b, o, expected in OPAQUE:
        function = blends.FUNCTIONS[name][0]
        got = function(np.full((1, 1, 3), float(b)), np.full((1, 1, 3), float(o)))[0, 0, 0]
        found += compare('%s of %g and %g' % (name, b, o), got, expected)
    for name, given, pixel, over, expected in BLENDS:
        found += compare(name, point(name, pixel, over, **given), expected)
    others = list(pictures_by_hand())
    for label, got, expected in others:
        found += compare(label, got, expected)
    count = len(POINTS) + len(OPAQUE) + len(BLENDS) + len(others)
    return found, count
