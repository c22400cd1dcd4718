"""Blurs and morphology, by brute force over the whole neighbourhood."""
import numpy as np

from registry import at, grey, oracle, over_premultiplied, rgb, shifted, with_rgb


def box_mean(c, radius, border):
    """Mean over (2 radius + 1)^2."""
    h, w = c.shape[:2]
    rows = np.arange(-radius, h + radius)[:, None]
    columns = np.arange(-radius, w + radius)[None, :]
    wide = at(c, *np.broadcast_arrays(rows, columns), border)
    side = 2 * radius + 1
    down = sum(wide[k:k + h] for k in range(side))
    return sum(down[:, k:k + w] for k in range(side)) / side ** 2


@oracle('box_blur', dict(radius=4), dict(radius=0), dict(radius=1), dict(radius=20),
        dict(radius=3), border=True, exact=True, bound=1e-4)
def box_blur(c, p):
    return over_premultiplied(c, p.has_alpha, lambda x: box_mean(x, p.radius, p.border))


def gaussian_taps(sigma, radius):
    i = np.arange(-radius, radius + 1)
    taps = np.exp(-i * i / (2 * sigma ** 2))
    return taps / taps.sum()


def gaussian(c, sigma, radius, border):
    taps = gaussian_taps(sigma, radius)
    steps = range(-radius, radius + 1)
    down = sum(t * shifted(c, 0, k, border) for t, k in zip(taps, steps))
    return sum(t * shifted(down, k, 0, border) for t, k in zip(taps, steps))


@oracle('gaussian_blur', dict(sigma=2, radius=0, rule='auto'), dict(sigma=0),
        dict(sigma=7.3, rule='gpuimage'), dict(sigma=3, radius=4), dict(sigma=5.5),
        dict(sigma=0.7), border=True, bytes_bound=2e-4)
def gaussian_blur(c, p):
    sigma, radius = p.sigma, p.radius
    if p.rule == 'gpuimage':
        sigma = np.floor(sigma + 0.5)
    if sigma == 0:
        return c
    if radius == 0 and p.rule == 'gpuimage':
        radius = int(np.sqrt(-2 * sigma ** 2 * np.log(np.sqrt(2 * np.pi * sigma ** 2) / 256)))
        radius += radius % 2
    elif radius == 0:
        radius = int(np.ceil(3 * sigma))
    return over_premultiplied(c, p.has_alpha, lambda x: gaussian(x, sigma, radius, p.border))


def extreme(c, radius, border, pick):
    """Largest or smallest over (2 radius + 1)^2 pixels."""
    steps = range(-radius, radius + 1)
    down = pick([shifted(c, 0, k, border) for k in steps], axis=0)
    return pick([shifted(down, k, 0, border) for k in steps], axis=0)


def declare(name, picks, colored):
    def red_only(c, p):
        plane = c[..., 0]
        for pick in picks:
            plane = extreme(plane, p.radius, p.border, pick)
        return grey(c, plane, 1)

    def every(c, p):
        components = c if p.has_alpha else rgb(c)
        for pick in picks:
            components = extreme(components, p.radius, p.border, pick)
        return components if p.has_alpha else with_rgb(c, components)

    oracle(name, dict(radius=1), dict(radius=2), dict(radius=4), dict(radius=15),
           border=True, exact=True)(every if colored else red_only)


for _name, _picks in (('dilation', [np.max]), ('erosion', [np.min]),
                      ('opening', [np.min, np.max]), ('closing', [np.max, np.min])):
    declare(_name, _picks, False)
    declare('rgb_' + _name, _picks, True)
