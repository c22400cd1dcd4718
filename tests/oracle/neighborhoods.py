"""Blurs and morphology, by brute force over the whole neighbourhood."""
import numpy as np

from registry import (alpha, at, faint, grey, luma, oracle, over_premultiplied, rgb, shifted,
                      with_rgb)


def offsets(size, radius):
    """Where the samples of a window lie: of an even number one more before the pixel."""
    size = size or 2 * radius + 1
    return range(-(size // 2), size - size // 2)


def box_mean(c, down, along, border):
    """Mean over the rows `down` and the columns `along`, counted from a pixel."""
    h, w = c.shape[:2]
    rows = np.arange(down[0], h + down[-1])[:, None]
    columns = np.arange(along[0], w + along[-1])[None, :]
    wide = at(c, *np.broadcast_arrays(rows, columns), border)
    sums = sum(wide[k:k + h] for k in range(len(down)))
    return sum(sums[:, k:k + w] for k in range(len(along))) / (len(down) * len(along))


def square_mean(c, radius, border):
    side = range(-radius, radius + 1)
    return box_mean(c, side, side, border)


@oracle('box_blur', dict(radius=4, blur_passes=1, width=0, height=0), dict(radius=0),
        dict(radius=1), dict(radius=20), dict(radius=2, blur_passes=3), dict(radius=3),
        dict(width=5, height=2), dict(radius=1, width=16), dict(height=12),
        dict(width=1, height=41, blur_passes=2), border=True, exact=True, bound=1e-4)
def box_blur(c, p):
    down, along = offsets(p.height, p.radius), offsets(p.width, p.radius)
    for _ in range(p.blur_passes):
        c = over_premultiplied(c, p.has_alpha, lambda x: box_mean(x, down, along, p.border))
    return c


def gaussian_taps(sigma, radius):
    i = np.arange(-radius, radius + 1)
    taps = np.exp(-i * i / (2 * sigma ** 2))
    return taps / taps.sum()


def levels_of(sigma):
    """Levels L, and the deviation that is left for the taps of the smallest image."""
    def rest(level):
        left = sigma ** 2 - 2 * (4 ** level - 1) / 3
        return np.sqrt(max(left, 0)) / 2 ** level
    level = 0
    while sigma >= 4.9 and rest(level + 1) >= 1.35:
        level += 1
    return level, rest(level)


def every_second(v, first, axis, smooth):
    """Samples 2 i of a line that begins at `first`, smoothed over 5, and where the first of them lies."""
    v = np.moveaxis(v, axis, 0)
    start = -(-(first + 2) // 2)
    count = (len(v) + first - 1 - 2) // 2 - start + 1
    taken = [v[2 * start - first + k:][:2 * count:2][:count] for k in range(-2, 3)]
    return np.moveaxis(smooth(*taken), 0, axis), start


def twice(v, first, axis, between, near):
    """Twice as many samples: those at even places near one, those at odd ones between two."""
    v = np.moveaxis(v, axis, 0)
    even = near(v[:-2], v[1:-1], v[2:])
    odd = between(v[1:-1], v[2:])
    both = np.stack([even, odd], 1).reshape((-1,) + v.shape[1:])
    return np.moveaxis(both, 0, axis), 2 * (first + 1)


EVERY_TIME = [(1, False), (0, False), (0, True)]  # axis, and whether it is the last


def pyramid(c, sigma, border, weigh, smooth, between, near):
    """The image extended by its border, halved L times, weighed, and doubled L times; between and near by
    the axis and whether it is the last time."""
    level, rest = levels_of(sigma)
    margin = int(np.ceil(3 * rest) + 8) * 2 ** level
    h, w = c.shape[:2]
    y, x = np.mgrid[-margin:h + margin, -margin:w + margin]
    v, place = at(c, y, x, border).astype(c.dtype), [-margin, -margin]
    for _ in range(level):
        for axis in (0, 1):
            v, place[axis] = every_second(v, place[axis], axis, smooth)
    for axis in (0, 1):
        before = v.shape[axis]
        v = weigh(v, rest, axis)
        place[axis] += (before - v.shape[axis]) // 2
    for k in range(level):
        for axis in (1, 0):
            last = k == level - 1 and axis == 0
            v, place[axis] = twice(v, place[axis], axis, between[axis, last], near[axis, last])
    return v[-place[0]:][:h, -place[1]:][:, :w]


def sums_along(v, taps, axis):
    """Weighted sums of whole windows: taps[0] is the centre's."""
    v, radius = np.moveaxis(v, axis, 0), len(taps) - 1
    count = len(v) - 2 * radius
    total = sum(tap * (v[radius + k:][:count] + (v[radius - k:][:count] if k else 0))
                for k, tap in enumerate(taps))
    return np.moveaxis(total, 0, axis)


def whole_taps(sigma):
    """Taps from the centre outwards whose sum over both sides is 2^shift, and shift."""
    radius = int(np.ceil(3 * sigma))
    taps = gaussian_taps(sigma, radius)[radius:] if sigma > 0 else np.ones(1)
    shift, carry, outer = 16, 0, []
    while shift > 14 and taps[0] * 2 ** shift > 32767:
        shift -= 1
    for tap in taps[:0:-1]:
        wanted = tap * 2 ** shift + carry
        outer.insert(0, int(np.floor(wanted + 0.5)))
        carry = wanted - outer[0]
    return [2 ** shift - 2 * sum(outer)] + outer, shift


def whole_gaussian(plane, sigma, border, bits):
    """gaussian_blur of a plane of bytes in integers, with `bits` behind the point of the result."""
    level, rest = levels_of(sigma)
    taps, shift = whole_taps(rest)

    def rounded(v, bits):
        return v + (1 << bits - 1) >> bits if bits else v

    def quarter(a, b, c, half):
        return a + 2 * b + c + half >> 2

    def near(a, b, c, half):
        return (a + c + half >> 1) + 3 * b

    def weigh(v, rest, axis):
        total = sums_along(v, taps, axis)
        # The last sum of a blur without levels has all its bits.
        return total if level == 0 and axis == 1 else rounded(total, shift)
    sums = pyramid(plane.astype(int) << 6, sigma, border, weigh,
                   lambda a, b, c, d, e: quarter(quarter(a, b, c, 2), quarter(b, c, d, 2),
                                                 quarter(c, d, e, 2), 1),
                   {(1, False): lambda b, c: b + c >> 1, (0, False): lambda b, c: b + c + 1 >> 1,
                    (0, True): lambda b, c: 2 * (b + c)},
                   {(1, False): lambda a, b, c: near(a, b, c, 0) + 1 >> 2,
                    (0, False): lambda a, b, c: near(a, b, c, 1) + 2 >> 2,
                    (0, True): lambda a, b, c: near(a, b, c, 1)})
    return rounded(sums, (8 if level else shift + 6) - bits)


def whole_spaced(plane, sigma, spacing, border, bits):
    """The same with every weight of the window, `spacing` pixels apart."""
    taps, shift = whole_taps(sigma)
    steps = [(int(taps[abs(k)]), k * spacing) for k in range(1 - len(taps), len(taps))]
    down = sum(t * shifted(plane.astype(int) << 6, 0, k, border) for t, k in steps).astype(int)
    down = down + (1 << shift - 1) >> shift
    sums = sum(t * shifted(down, k, 0, border) for t, k in steps).astype(int)
    return sums + (1 << shift + 5 - bits) >> shift + 6 - bits


def gaussian(c, sigma, radius, border, spacing=1):
    if radius:
        taps = gaussian_taps(sigma, radius)
        steps = range(-radius * spacing, radius * spacing + 1, spacing)
        down = sum(t * shifted(c, 0, k, border) for t, k in zip(taps, steps))
        return sum(t * shifted(down, k, 0, border) for t, k in zip(taps, steps))

    def weigh(v, rest, axis):
        radius = int(np.ceil(3 * rest))
        return sums_along(v, gaussian_taps(rest, radius)[radius:], axis)
    return pyramid(c, sigma, border, weigh,
                   lambda a, b, c, d, e: (a + 4 * b + 6 * c + 4 * d + e) / 16,
                   dict.fromkeys(EVERY_TIME, lambda b, c: (b + c) / 2),
                   dict.fromkeys(EVERY_TIME, lambda a, b, c: (a + 6 * b + c) / 8))


# Of bytes, docs/definitions.md states (13 L - 2) / 256 + (2 R + 1) 2^(8 - s) steps: 9e-4 for sigma=21.
@oracle('gaussian_blur', dict(sigma=2, radius=0, rule='auto', blur_passes=1,
                              texel_spacing_multiplier=1), dict(sigma=0),
        dict(texel_spacing_multiplier=3), dict(sigma=6, texel_spacing_multiplier=2),
        dict(sigma=7.3, rule='gpuimage'), dict(sigma=3, radius=4), dict(sigma=5.5),
        dict(sigma=6, rule='exact'), dict(sigma=21), dict(sigma=1.3, blur_passes=3),
        dict(sigma=0.7), border=True, bytes_bound=5e-4)
def gaussian_blur(c, p):
    for _ in range(p.blur_passes):
        c = gaussian_pass(c, p)
    return c


def gaussian_pass(c, p):
    sigma, radius = p.sigma, p.radius
    if p.rule == 'gpuimage':
        sigma = np.floor(sigma + 0.5)
    if sigma == 0:  # what is transparent is black
        return over_premultiplied(c, p.has_alpha, lambda x: x)
    if radius == 0 and p.rule == 'gpuimage':
        radius = int(np.sqrt(-2 * sigma ** 2 * np.log(np.sqrt(2 * np.pi * sigma ** 2) / 256)))
        radius += radius % 2
    elif radius == 0 and (p.rule == 'exact' or p.texel_spacing_multiplier > 1):
        radius = int(np.ceil(3 * sigma))
    return over_premultiplied(c, p.has_alpha, lambda x: gaussian(x, sigma, radius, p.border,
                                                               p.texel_spacing_multiplier))


# Of a single layer, which all layers around it repeat, or of which the others are black and transparent;
# tests/layer_gaussian.c has stacks.
def share_of_layer(sigma, border):
    radius = int(np.ceil(3 * sigma))
    return gaussian_taps(sigma, radius)[radius] if border == 'constant' and sigma else 1


@oracle('layer_gaussian', dict(sigma=1), dict(sigma=0), dict(sigma=3), border=True)
def layer_gaussian(c, p):
    return over_premultiplied(c, p.has_alpha, lambda x: x * share_of_layer(p.sigma, p.border))


@oracle('median_3d', dict(radius=1, radius_z=1), dict(radius=2, radius_z=0), border=True, exact=True)
def median_3d(c, p):
    """Of a single layer; tests/median_3d.c has stacks. Black layers beside it are as many zeros."""
    steps = range(-p.radius, p.radius + 1)
    near = [shifted(rgb(c), x, y, p.border) for x in steps for y in steps]
    layers = [near] * (2 * p.radius_z + 1)
    if p.border == 'constant':
        layers = [near] + [[np.zeros_like(v) for v in near]] * (2 * p.radius_z)
    return with_rgb(c, np.median(np.array(sum(layers, [])), axis=0))


@oracle('rolling_ball', dict(radius=50, output='subtracted', light='no', height=0),
        dict(radius=6.5, output='background'), dict(radius=9, light='yes'),
        dict(radius=4, height=120), exact=True)
def rolling_ball(c, p):
    """All places of the ball, whose heights are 255 to a unit; what is outside of the image is not there."""
    reach, sign = int(p.radius), -1 if p.light == 'yes' else 1
    ball = [(x, y, (p.height or p.radius) / 255 * np.sqrt(1 - (x * x + y * y) / p.radius ** 2))
            for x in range(-reach, reach + 1) for y in range(-reach, reach + 1)
            if x * x + y * y <= p.radius ** 2]

    def rolled(v, up):
        out, (h, w) = np.full_like(v, up * np.inf), v.shape[:2]
        pick = np.fmin if up > 0 else np.fmax
        for x, y, height in ball:
            to = np.s_[max(0, -y):max(0, h - max(0, y)), max(0, -x):max(0, w - max(0, x))]
            at = np.s_[max(0, y):max(0, h + min(0, y)), max(0, x):max(0, w + min(0, x))]
            out[to] = pick(out[to], v[at] - up * height)
        return out
    ground = sign * rgb(c)
    background = sign * np.minimum(rolled(rolled(ground, 1), -1), ground)
    if p.output == 'background':
        return with_rgb(c, background)
    return with_rgb(c, rgb(c) - background + (sign < 0))


@oracle('gaussian_blur_3d', dict(sigma=2, sigma_z=1), dict(sigma=0.7, sigma_z=3), border=True,
        bytes_bound=5e-4)
def gaussian_blur_3d(c, p):
    share = share_of_layer(p.sigma_z, p.border)
    return over_premultiplied(c, p.has_alpha, lambda x: share * gaussian(x, p.sigma, 0, p.border))


TAPS = (0.18, 0.15, 0.12, 0.09, 0.05)
TAPS_DEFAULTS = dict(texel_spacing_multiplier=4, distance_normalization_factor=8)


@oracle('bilateral_pass', dict(TAPS_DEFAULTS, direction='columns'), dict(direction='rows'),
        dict(direction='rows', texel_spacing_multiplier=64, distance_normalization_factor=1),
        dict(texel_spacing_multiplier=1, distance_normalization_factor=2), border=True, bound=1e-4)
def bilateral_pass(c, p):
    x = np.concatenate([c[..., :3] * c[..., 3:], c[..., 3:]], axis=2) if p.has_alpha else c
    top = bottom = 0
    for k in range(-4, 5):
        d = k * p.texel_spacing_multiplier
        tap = shifted(x, *((d, 0) if p.direction == 'rows' else (0, d)), p.border)
        if not p.has_alpha:  # what stands outside is black
            tap[..., 3] = 1
        far = np.sqrt(((tap - x) ** 2).sum(axis=2, keepdims=True))
        w = TAPS[abs(k)] * (1 - np.minimum(far * p.distance_normalization_factor, 1))
        top, bottom = top + w * tap, bottom + w
    y = top / bottom
    if not p.has_alpha:
        return y
    faint(np.where(y[..., 3] <= 1e-6, 0, y[..., 3]))
    return np.concatenate([y[..., :3] / np.where(y[..., 3:] == 0, 1, y[..., 3:]), y[..., 3:]], 2)


@oracle('bilateral_taps', TAPS_DEFAULTS,
        dict(texel_spacing_multiplier=2, distance_normalization_factor=0.7),
        dict(distance_normalization_factor=0), border=True, bound=2e-4)
def bilateral_taps(c, p):
    for p.direction in ('columns', 'rows'):
        c = bilateral_pass(c, p)
    return c


def bilateral_cells(x, p):
    """Means of the bilateral grid: cells of place and luma, blurred, looked up between them."""
    h, w = x.shape[:2]
    s = int(np.ceil(0.8 * p.sigma_space - 1e-6))
    rows, columns = -(-h // s) + 6, -(-w // s) + 6
    y, x_ = np.mgrid[-3 * s:(rows - 3) * s, -3 * s:(columns - 3) * s]
    wide = at(x, y, x_, p.border)
    level = np.clip(luma(wide), 0, 1) * 2 / p.sigma_color
    if p.sample == 'uint8' and not p.has_alpha:  # whole weights, and places in 256ths
        level = rgb(wide) @ np.array([13926, 46885, 4725]) / 65536 * 2 / p.sigma_color
        level = np.floor(level * 256 + 0.5) / 256
    low, levels = np.floor(level).astype(int), int(2 / p.sigma_color + 0.5) + 2
    cells = np.zeros((rows, columns, levels, x.shape[2] + 1))
    values = np.concatenate([wide, np.ones(wide.shape[:2] + (1,))], axis=2)
    place = (y // s + 3, x_ // s + 3)
    np.add.at(cells, place + (low,), values * (1 - level + low)[..., None])
    np.add.at(cells, place + (low + 1,), values * (level - low)[..., None])
    v = (p.sigma_space / s) ** 2 - 0.25
    far = max(v * (2 * v - 1) / 16, 0)
    near = (v - 8 * far) / 2
    for axis, taps in ((2, (3 / 8, 1 / 4, 1 / 16)), (0, (1 - 2 * near - 2 * far, near, far)),
                       (1, (1 - 2 * near - 2 * far, near, far))):
        pad = [(2, 2) if k == axis else (0, 0) for k in range(4)]
        around, size = np.pad(cells, pad), cells.shape[axis]
        cells = sum(taps[abs(k)] * np.take(around, np.arange(size) + 2 + k, axis)
                    for k in range(-2, 3))
    inside = slice(3 * s, 3 * s + h), slice(3 * s, 3 * s + w)
    row, column = (y[inside] + 0.5) / s + 2.5, (x_[inside] + 0.5) / s + 2.5
    total = 0
    for corner in np.ndindex(2, 2, 2):
        weight, index = 1, []
        for one, place in zip(corner, (row, column, level[inside])):
            i = np.floor(place).astype(int)
            weight = weight * (place - i if one else 1 - (place - i))
            index.append(i + one)
        total = total + cells[tuple(index)] * weight[..., None]
    return total[..., :-1] / total[..., -1:]


def over_colors(c, p, mean_of):
    """Colours by a mean of them; with alpha, of colour times alpha and of alpha, the fourth component."""
    x = np.concatenate([rgb(c) * alpha(c), alpha(c)], axis=2) if p.has_alpha else rgb(c)
    mean = mean_of(x, p)
    if not p.has_alpha:
        return with_rgb(c, mean)
    faint(np.where(alpha(mean) <= 1e-6, 0, alpha(mean)))
    return np.concatenate([mean[..., :3] / np.where(alpha(mean) == 0, 1, alpha(mean)),
                           alpha(mean)], axis=2)


@oracle('bilateral', dict(radius=5, sigma_space=3, sigma_color=0.1, method='exact'),
        dict(radius=0), dict(radius=3, sigma_space=1.5, sigma_color=0.4), dict(method='grid'),
        dict(radius=2, sigma_space=10, sigma_color=0.03), border=True, bound=1e-4)
def bilateral(c, p):
    return over_colors(c, p, bilateral_cells if p.method == 'grid' else bilateral_mean)


@oracle('bilateral_grid', dict(sigma_space=3, sigma_color=0.1),
        dict(sigma_space=19, sigma_color=0.5, border='wrap'),
        dict(sigma_space=2.5, sigma_color=0.03, border='mirror'), border=True, bound=1e-4)
def bilateral_grid(c, p):
    return over_colors(c, p, bilateral_cells)


def bilateral_mean(x, p):
    total, weights = 0, 0
    for dy in range(-p.radius, p.radius + 1):
        for dx in range(-p.radius, p.radius + 1):
            if dx * dx + dy * dy > p.radius ** 2:
                continue
            there = shifted(x, dx, dy, p.border)
            far = ((there - x) ** 2).sum(axis=2, keepdims=True)
            w = np.exp(-(dx * dx + dy * dy) / (2 * p.sigma_space ** 2)
                       - far / (2 * p.sigma_color ** 2))
            total, weights = total + w * there, weights + w
    return total / weights


def extreme(c, p, pick):
    """Largest or smallest over a window; that of the largest is turned by half a turn."""
    turn = -1 if pick is np.max else 1
    rows, columns = offsets(p.height, p.radius), offsets(p.width, p.radius)
    down = pick([shifted(c, 0, turn * k, p.border) for k in rows], axis=0)
    return pick([shifted(down, turn * k, 0, p.border) for k in columns], axis=0)


# Windows of even sizes and of one row.
WINDOWS = (dict(width=2, height=3), dict(radius=2, width=8), dict(height=2, radius=0),
           dict(width=31, height=1), dict(width=12, height=22))


def declare(name, picks, colored):
    def red_only(c, p):
        plane = c[..., 0]
        for pick in picks:
            plane = extreme(plane, p, pick)
        return grey(c, plane, 1)

    def every(c, p):
        components = c if p.has_alpha else rgb(c)
        for pick in picks:
            components = extreme(components, p, pick)
        return components if p.has_alpha else with_rgb(c, components)

    oracle(name, dict(radius=1, width=0, height=0), dict(radius=2), dict(radius=4),
           dict(radius=15), *WINDOWS, border=True, exact=True)(every if colored else red_only)


for _name, _picks in (('dilation', [np.max]), ('erosion', [np.min]),
                      ('opening', [np.min, np.max]), ('closing', [np.max, np.min])):
    declare(_name, _picks, False)
    declare('rgb_' + _name, _picks, True)


def declare_hat(name, picks, sign, colored):
    """What opening (sign 1) or closing (sign -1) takes away; colours are straight, alpha stays."""
    def red_only(c, p):
        plane = c[..., 0]
        for pick in picks:
            plane = extreme(plane, p, pick)
        return grey(c, sign * (c[..., 0] - plane), 1)

    def every(c, p):
        colors = rgb(c)
        for pick in picks:
            colors = extreme(colors, p, pick)
        return with_rgb(c, sign * (rgb(c) - colors))

    oracle(name, dict(radius=1, width=0, height=0), dict(radius=3), dict(radius=15), *WINDOWS,
           border=True, exact=True)(every if colored else red_only)


for _name, _picks, _sign in (('top_hat', [np.min, np.max], 1), ('black_hat', [np.max, np.min], -1)):
    declare_hat(_name, _picks, _sign, False)
    declare_hat('rgb_' + _name, _picks, _sign, True)


# Each blur of bytes is off by what gaussian_blur is.
@oracle('difference_of_gaussians', dict(low_sigma=1, high_sigma=1.6),
        dict(low_sigma=0, high_sigma=2), dict(low_sigma=3, high_sigma=2.2),
        dict(low_sigma=1.5, high_sigma=6), border=True, bound=6e-5, bytes_bound=1e-3)
def difference_of_gaussians(c, p):
    def blurred(sigma):
        return over_premultiplied(c, p.has_alpha,
                                  lambda x: gaussian(x, sigma, 0, p.border) if sigma else x)
    low = blurred(p.low_sigma)
    return with_rgb(low, rgb(low) - rgb(blurred(p.high_sigma)))


def at_cells(values, places):
    """Values of cells along the first axis, linear between them; places as fractions of cells."""
    last = len(values) - 1
    low = np.clip(np.floor(places).astype(int), 0, last)
    part = np.clip(places - low, 0, 1).reshape((-1,) + (1,) * (values.ndim - 1))
    return values[low] * (1 - part) + values[np.minimum(low + 1, last)] * part


@oracle('guided_filter', dict(radius=4, eps=1e-4, scale=8),
        dict(radius=2, eps=1e-3, scale=1), dict(radius=10), dict(radius=3, eps=1e-4, scale=3),
        dict(radius=0, eps=0.1, scale=5), bound=2e-3, wild=False)
def guided_filter(c, p):
    """He and others 2010, with means of every scale-th pixel and a solver of linear systems."""
    n, (h, w) = p.scale, c.shape[:2]
    rows = np.minimum(np.arange(-(-h // n)) * n + n // 2, h - 1)
    columns = np.minimum(np.arange(-(-w // n)) * n + n // 2, w - 1)
    small = c[rows][:, columns]

    def mean(x):
        return square_mean(x, p.radius, 'replicate')
    color, a = rgb(small), alpha(small)
    means, mean_alpha = mean(color), mean(a)
    pairs = color[..., :, None] * color[..., None, :]
    spread = mean(pairs.reshape(color.shape[:2] + (9,))).reshape(pairs.shape)
    spread = spread - means[..., :, None] * means[..., None, :] + p.eps * np.eye(3)
    line = np.linalg.solve(spread, (mean(color * a) - means * mean_alpha)[..., None])[..., 0]
    constant = mean_alpha - (line * means).sum(axis=2, keepdims=True)
    lines = mean(np.concatenate([line, constant], axis=2))
    lines = at_cells(lines, (np.arange(h) - n // 2) / n)
    lines = at_cells(lines.swapaxes(0, 1), (np.arange(w) - n // 2) / n).swapaxes(0, 1)
    out = np.array(c)
    out[..., 3] = np.clip((lines[..., :3] * rgb(c)).sum(axis=2) + lines[..., 3], 0, 1)
    return out


BINOMIAL = ';'.join(','.join(str(a * b) for b in (1, 4, 6, 4, 1)) for a in (1, 4, 6, 4, 1))


@oracle('linear_filter', dict(kernel=BINOMIAL, factor=1 / 256, offset=0),
        dict(kernel='1,2,3,4;5,6,7,8;-9,-10,-11,-12', factor=0.1, offset=0.25),
        dict(kernel='1;-2;0.5', factor=1, offset=0.5), border=True)
def linear_filter(c, p):
    weights = [[float(v) for v in row.split(',')] for row in p.kernel.split(';')]
    top, left = (len(weights) - 1) // 2, (len(weights[0]) - 1) // 2
    total = sum(w * shifted(rgb(c), i - left, j - top, p.border)
                for j, row in enumerate(weights) for i, w in enumerate(row))
    return with_rgb(c, total * p.factor + p.offset)


@oracle('morphology', dict(operation='dilation', radius=1, width=0, height=0),
        dict(operation='erosion', radius=3), dict(operation='opening', radius=2),
        dict(operation='closing'), dict(operation='closing', width=4, height=7),
        dict(operation='opening', width=2, height=2), border=True, exact=True)
def morphology(c, p):
    components = c if p.has_alpha else rgb(c)
    for pick in {'dilation': (np.max,), 'erosion': (np.min,), 'opening': (np.min, np.max),
                 'closing': (np.max, np.min)}[p.operation]:
        components = extreme(components, p, pick)
    return components if p.has_alpha else with_rgb(c, components)
