"""Colour adjustments (group C), the point filters of group X, and the two chroma keys."""
import numpy as np

from registry import (L709, alpha, clamp01, doubt, faint, grey, luma, mix, mod, oracle, places, rgb,
                      smoothstep, step, with_rgb)

L601 = np.array([0.299, 0.587, 0.114])
LPDF = np.array([0.3, 0.59, 0.11])


def three(value):
    """A colour parameter as r, g, b."""
    return np.broadcast_to(np.asarray(value, float)[..., :3], (3,)).copy()


def power(x, exponent):
    """Powers of what can be negative in a float image: 0 there."""
    return np.power(np.maximum(x, 0), exponent)


@oracle('brightness', dict(brightness=0), dict(brightness=0.31), dict(brightness=-0.8))
def brightness(c, p):
    return with_rgb(c, rgb(c) + p.brightness)


@oracle('exposure', dict(exposure=0), dict(exposure=1.5), dict(exposure=-4), dict(exposure=0.3))
def exposure(c, p):
    return with_rgb(c, rgb(c) * 2.0 ** p.exposure)


@oracle('contrast', dict(contrast=1), dict(contrast=1.7), dict(contrast=0), dict(contrast=4))
def contrast(c, p):
    return with_rgb(c, (rgb(c) - 0.5) * p.contrast + 0.5)


@oracle('saturation', dict(saturation=1), dict(saturation=0), dict(saturation=2),
        dict(saturation=0.4))
def saturation(c, p):
    return with_rgb(c, mix(luma(c)[..., None], rgb(c), p.saturation))


@oracle('gamma', dict(gamma=1), dict(gamma=2.2), dict(gamma=0.45), dict(gamma=3), bound=1e-4)
def gamma(c, p):
    return c if p.gamma == 1 else with_rgb(c, power(rgb(c), p.gamma))


@oracle('levels', dict(min=(0, 0, 0), gamma=(1, 1, 1), max=(1, 1, 1), min_out=(0, 0, 0),
                       max_out=(1, 1, 1)),
        dict(min=(0.1, 0.2, 0.05), max=(0.9, 0.7, 1), gamma=(1.5, 0.6, 1)),
        dict(min=(0.1,), max=(0.8,), gamma=(2.2,), min_out=(0.2,), max_out=(0.9,)),
        bound=1e-4)
def levels(c, p):
    """A channel without spread stays as it is."""
    low, high = three(p.min), three(p.max)
    t = clamp01((rgb(c) - low) / np.where(high > low, high - low, 1)) ** (1 / three(p.gamma))
    stretched = mix(three(p.min_out), three(p.max_out), t)
    return with_rgb(c, np.where(high > low, stretched, rgb(c)))


def weigh(c, matrix, intensity=1.0):
    return intensity * (c @ np.asarray(matrix, float).reshape(4, 4).T) + (1 - intensity) * c


TURN = (0.3, 0.5, 0.1, 0.05, 0.2, 0.7, -0.1, 0, 0.1, -0.2, 0.9, 0.02, 0, 0, 0, 1)
IDENTITY4 = tuple(np.eye(4).ravel())


@oracle('color_matrix', dict(matrix=IDENTITY4, intensity=1), dict(matrix=TURN),
        dict(matrix=TURN, intensity=0.4))
def color_matrix(c, p):
    return weigh(c, p.matrix, p.intensity)


@oracle('rgb', dict(red=1, green=1, blue=1), dict(red=0.5, green=1.5, blue=0.9), dict(red=2))
def rgb_gains(c, p):
    return with_rgb(c, rgb(c) * [p.red, p.green, p.blue])


# From RGB; rows Y, I, Q. .311135 makes Q of a grey zero, which the .31135 of GPUImage does not.
YIQ = np.array([[0.299, 0.587, 0.114], [0.595716, -0.274453, -0.321263],
                [0.211456, -0.522591, 0.311135]])


@oracle('hue', dict(hue=90), dict(hue=0), dict(hue=201), dict(hue=359), bound=1e-4)
def hue(c, p):
    y, i, q = np.moveaxis(rgb(c) @ YIQ.T, 2, 0)
    h = np.arctan2(q, i) - np.radians(p.hue)
    chroma = np.hypot(i, q)
    turned = np.stack([y, chroma * np.cos(h), chroma * np.sin(h)], axis=2)
    return with_rgb(c, turned @ np.linalg.inv(YIQ).T)


@oracle('vibrance', dict(vibrance=0), dict(vibrance=0.8), dict(vibrance=-1.2))
def vibrance(c, p):
    mean, most = rgb(c).mean(axis=2, keepdims=True), rgb(c).max(axis=2, keepdims=True)
    return with_rgb(c, mix(rgb(c), most, (most - mean) * -3 * p.vibrance))


def tinted(x, color):
    """Overlay of a colour on x."""
    return np.where(x < 0.5, 2 * x * color, 1 - 2 * (1 - x) * (1 - color))


@oracle('white_balance', dict(temperature=5000, tint=0, transposed='no'), dict(temperature=4000),
        dict(temperature=7000, tint=50), dict(tint=-200), dict(tint=180, temperature=2600),
        dict(tint=-120, temperature=6500, transposed='yes'), bound=1e-4)
def white_balance(c, p):
    k = 0.0004 if p.temperature < 5000 else 0.00006
    if p.transposed == 'yes':
        row, column = np.array([0.114, -0.322, 0.311]), np.array([1, -1.105, 1.702])
    else:
        row, column = np.array([0.212, -0.523, 0.311]), np.array([0.621, -0.647, 1.702])
    q = rgb(c) @ row
    shift = np.clip(q + p.tint / 100 * 0.05226, -0.5226, 0.5226) - np.clip(q, -0.5226, 0.5226)
    x = rgb(c) + shift[..., None] * column
    return with_rgb(c, mix(x, tinted(x, np.array([0.93, 0.54, 0.0])), k * (p.temperature - 5000)))


@oracle('neutral_balance', dict(neutral=(1, 1, 1)), dict(neutral=(0.4, 0.5, 0.7)),
        dict(neutral=(0, 0.5, 0.9)))
def neutral_balance(c, p):
    neutral = three(p.neutral)
    gain = np.where(neutral > 0, neutral @ L709 / np.where(neutral > 0, neutral, 1), 1)
    return with_rgb(c, rgb(c) * gain)


@oracle('yuv_to_rgb', dict(matrix='601'), dict(matrix='601_full'), dict(matrix='709'))
def yuv_to_rgb(c, p):
    y, u, v = np.moveaxis(rgb(c), 2, 0)
    u, v = u - 0.5, v - 0.5
    if p.matrix != '601_full':
        y = 1.164 * (y - 16 / 255)
    red, green_u, green_v, blue = {'601': (1.596, 0.392, 0.813, 2.017),
                                   '601_full': (1.4, 0.343, 0.711, 1.765),
                                   '709': (1.793, 0.213, 0.533, 2.112)}[p.matrix]
    return with_rgb(c, np.stack([y + red * v, y - green_u * u - green_v * v, y + blue * u], 2))


def standard(matrix):
    """Kr, Kb; ranges of luma and of colour differences, and black."""
    kr, kb = (0.2126, 0.0722) if matrix.startswith('709') else (0.299, 0.114)
    ranges = (1, 1, 0) if matrix.endswith('full') else (219 / 255, 224 / 255, 16 / 255)
    return (kr, kb) + ranges


STANDARDS = [dict(matrix=m) for m in ('709_full', '601', '709')]


@oracle('rgba_to_yuv', dict(matrix='601_full'), *STANDARDS)
def rgba_to_yuv(c, p):
    kr, kb, luma_range, chroma_range, black = standard(p.matrix)
    r, g, b = np.moveaxis(rgb(c), 2, 0)
    y = kr * r + (1 - kr - kb) * g + kb * b
    u, v = (b - y) / (2 - 2 * kb), (r - y) / (2 - 2 * kr)
    return with_rgb(c, np.stack([black + luma_range * y, 128 / 255 + chroma_range * u,
                                 128 / 255 + chroma_range * v], 2))


@oracle('yuv_to_rgba', dict(matrix='601_full'), *STANDARDS)
def yuv_to_rgba(c, p):
    kr, kb, luma_range, chroma_range, black = standard(p.matrix)
    y, u, v = np.moveaxis(rgb(c), 2, 0)
    y, u, v = (y - black) / luma_range, (u - 128 / 255) / chroma_range, (v - 128 / 255) / chroma_range
    r, b = y + (2 - 2 * kr) * v, y + (2 - 2 * kb) * u
    return with_rgb(c, np.stack([r, (y - kr * r - kb * b) / (1 - kr - kb), b], 2))


CHANNELS = ('red', 'green', 'blue', 'alpha', 'luminance', 'zero', 'one')


@oracle('map_channel', dict(red='red', green='green', blue='blue', alpha='alpha'),
        dict(red='blue', blue='red'), dict(red='one', green='zero', blue='alpha'),
        dict(red='luminance', green='luminance', blue='luminance', alpha='green'),
        dict(alpha='one'))
def map_channel(c, p):
    planes = dict(zip(CHANNELS, np.moveaxis(c, 2, 0)))
    planes.update(luminance=luma(c), zero=np.zeros(c.shape[:2]), one=np.ones(c.shape[:2]))
    return np.stack([planes[v] for v in (p.red, p.green, p.blue, p.alpha)], axis=2)


@oracle('input_unpack', dict(red='blue', green='green', blue='red', alpha='alpha'), dict(alpha='one'),
        dict(red='green', green='blue', blue='alpha', alpha='red'))
def input_unpack(c, p):
    return map_channel(c, p)


@oracle('copy_image', bound=1e-7)
def copy_image(c, p):
    return c


@oracle('color_swizzle')
def color_swizzle(c, p):
    return c[..., [2, 1, 0, 3]]


@oracle('alpha_separate')
@oracle('alpha_show')
def alpha_separate(c, p):
    return grey(c, c[..., 3], 1)


@oracle('alpha_test', dict(threshold=0.5), dict(threshold=0.3), dict(threshold=0))
def alpha_test(c, p):
    doubt(np.abs(c[..., 3] - p.threshold) < 1e-7)
    return c * (alpha(c) >= p.threshold)


@oracle('premultiply')
def premultiply(c, p):
    return with_rgb(c, rgb(c) * alpha(c))


@oracle('unpremultiply', wild=False)
def unpremultiply(c, p):
    return with_rgb(c, np.where(alpha(c) > 0, rgb(c) / np.where(alpha(c) > 0, alpha(c), 1), 0))


@oracle('corner_response', dict(method='harris', sensitivity=5, k=0.04),
        dict(method='noble'), dict(k=0.1, sensitivity=2), dict(method='shi_tomasi', sensitivity=1.5))
def corner_response(c, p):
    if p.method == 'noble':  # values that cancel
        doubt((c[..., 0] + c[..., 1] < 1e-3) & (c[..., 0] + c[..., 1] != 0))
    return grey(c, measure_of_corners(*np.moveaxis(rgb(c), 2, 0), p.method, p.k) * p.sensitivity, 1)


def measure_of_corners(a, b, product, method, k):
    """Of the matrix (a, product; product, b)."""
    if method == 'shi_tomasi':
        return a + b - np.hypot(a - b, 2 * product)
    determinant = a * b - product ** 2
    if method == 'noble':
        return np.where(a + b > 1e-12, determinant / np.where(a + b > 1e-12, a + b, 1), 0)
    return determinant - k * (a + b) ** 2


def squares(points, size, shape):
    """Where squares at points lie; those at the edge are moved inside."""
    ink = np.zeros(shape, bool)
    for point in points.split(';'):
        first = [max(0, min(int(float(v) * n) - size // 2, n - size))
                 for v, n in zip(point.split(','), shape[::-1])]
        ink[first[1]:first[1] + size, first[0]:first[0] + size] = True
    return ink[..., None]


@oracle('draw_points', dict(size=5, color=(1, 0, 0, 1), points='0.5,0.5'),
        dict(size=12, points='0.2,0.3;0.61,0.93;0.99,0.4'),
        dict(size=1, color=(0.2, 0.7, 0.4, 0.5), points='0.03,0.7;0.62,0.31'))
def draw_points(c, p):
    t = squares(p.points, p.size, c.shape[:2]) * (tuple(p.color) + (1,))[3]
    return np.concatenate([mix(rgb(c), three(p.color), t), mix(alpha(c), 1, t)], axis=2)


@oracle('draw_rect', dict(x=0, y=0, width=1, height=1, line_width=1, color=(1, 0, 0, 1), unit='size'),
        dict(x=2, y=1, width=12, height=9, unit='px'),
        dict(x=0.26, y=0.13, width=0.41, height=0.7, line_width=3),
        dict(x=0.53, y=0.8, width=0, height=0), dict(x=0.7, y=0.7, width=0.9, height=0.3),
        dict(line_width=2, color=(0.2, 0.7, 0.4, 0.5)))
def draw_rect(c, p):
    h, w = c.shape[:2]
    across, down = (w, h) if p.unit == 'size' else (1, 1)
    left, top = min(int(p.x * across), w - 1), min(int(p.y * down), h - 1)
    inside = np.zeros((h, w, 1))
    inside[top:top + max(1, int(p.height * down)), left:left + max(1, int(p.width * across))] = 1
    rows, columns = np.nonzero(inside[..., 0])
    inside[rows.min() + p.line_width:max(rows.max() + 1 - p.line_width, 0),
           columns.min() + p.line_width:max(columns.max() + 1 - p.line_width, 0)] = 0
    t = inside * (tuple(p.color) + (1,))[3]
    return np.concatenate([mix(rgb(c), three(p.color), t), mix(alpha(c), 1, t)], axis=2)


def natural_spline(points, x):
    """The cubic through the points whose second derivative is 0 at the ends, clamped to 0..1."""
    px, py = np.array(sorted(points), float).T
    n = len(px)
    system, right = np.eye(n), np.zeros(n)
    for i in range(1, n - 1):
        before, behind = px[i] - px[i - 1], px[i + 1] - px[i]
        system[i, i - 1:i + 2] = before / 6, (before + behind) / 3, behind / 6
        right[i] = (py[i + 1] - py[i]) / behind - (py[i] - py[i - 1]) / before
    second = np.linalg.solve(system, right)
    k = np.clip(np.searchsorted(px, x, side='right') - 1, 0, n - 2)
    h = px[k + 1] - px[k]
    t = (x - px[k]) / h
    y = (1 - t) * py[k] + t * py[k + 1] + h * h / 6 * (
        ((1 - t) ** 3 - (1 - t)) * second[k] + (t ** 3 - t) * second[k + 1])
    return clamp01(np.where(x < px[0], py[0], np.where(x > px[-1], py[-1], y)))


def curve_points(text):
    """"x,y;x,y ..." as pairs."""
    return [tuple(float(v) for v in pair.split(',')) for pair in text.split(';')]


STRAIGHT = '0,0;0.5,0.5;1,1'


@oracle('tone_curve', dict(red=STRAIGHT, green=STRAIGHT, blue=STRAIGHT, composite=STRAIGHT),
        dict(composite='0,0;0.3,0.2;0.7,0.85;1,1'),
        dict(red='0.2,0.1;0.8,0.7', blue='0.1,1;0.5,0.2;0.6,0.4'),
        dict(red='0,0;0.25,0.4;1,1', green='0,0.1;0.6,0.5;1,0.9', blue='0,1;1,0',
             composite='1,1;0,0;0.5,0.6'), bound=2e-3)
def tone_curve(c, p):
    x = clamp01(rgb(c))
    out = np.empty_like(x)
    for k, own in enumerate((p.red, p.green, p.blue)):
        out[..., k] = natural_spline(curve_points(p.composite),
                                     natural_spline(curve_points(own), x[..., k]))
    return with_rgb(c, out)


@oracle('highlight_shadow', dict(shadows=0, highlights=1), dict(shadows=0.7),
        dict(highlights=0.2), dict(shadows=1, highlights=0), bound=2e-4)
def highlight_shadow(c, p):
    l = 0.3 * rgb(c).sum(axis=2)
    doubt((l < 1e-3) & (l != 0))  # the ratio grows without bound towards 0
    doubt((l < 0) | (l > 1))
    s = np.clip(power(l, 1 / (p.shadows + 1)) - 0.76 * power(l, 2 / (p.shadows + 1)) - l, 0, 1)
    d = 1 - l
    h = np.clip(1 - (power(d, 1 / (2 - p.highlights)) - 0.8 * power(d, 2 / (2 - p.highlights))) - l,
                -1, 0)
    ratio = np.where(l > 0, (l + s + h) / np.where(l == 0, 1, l), 1)
    return with_rgb(c, rgb(c) * ratio[..., None])


@oracle('highlight_shadow_tint',
        dict(shadow_tint_color=(1, 0, 0), shadow_tint_intensity=0,
             highlight_tint_color=(0, 0, 1), highlight_tint_intensity=0),
        dict(shadow_tint_intensity=0.6, highlight_tint_intensity=0.9),
        dict(shadow_tint_color=(0.2, 0.4, 0.1), shadow_tint_intensity=1,
             highlight_tint_color=(0.9, 0.8, 0.5), highlight_tint_intensity=0.3))
def highlight_shadow_tint(c, p):
    l, x = luma(c)[..., None], rgb(c)
    shadow = mix(x, np.maximum(x, mix(three(p.shadow_tint_color), x, l)), p.shadow_tint_intensity)
    light = mix(x, np.minimum(shadow, mix(shadow, three(p.highlight_tint_color), l)),
                p.highlight_tint_intensity)
    return with_rgb(c, mix(shadow, light, l))


def look_up(c, table, intensity, tetrahedral):
    """table[b, g, r], between its entries trilinear or in the tetrahedron around the place."""
    x = clamp01(rgb(c)) * (len(table) - 1)
    low = np.minimum(np.floor(x).astype(int), len(table) - 2)
    t = x - low
    out = 0
    if tetrahedral:
        # From the low corner along the axes, the largest fraction first.
        order = np.argsort(-t, axis=2, kind='stable')
        sizes = np.take_along_axis(t, order, axis=2)
        ends = np.concatenate([np.ones(t.shape[:2] + (1,)), sizes, np.zeros(t.shape[:2] + (1,))], 2)
        corner = low
        for k in range(4):
            weight = ends[..., k] - ends[..., k + 1]
            out = out + weight[..., None] * table[corner[..., 2], corner[..., 1], corner[..., 0]]
            if k < 3:
                corner = corner + (order[..., k:k + 1] == np.arange(3))
    else:
        for corner in range(8):
            bits = [corner >> k & 1 for k in range(3)]
            weight = np.prod([t[..., k] if bits[k] else 1 - t[..., k] for k in range(3)], axis=0)
            r, g, b = (low[..., k] + bits[k] for k in range(3))
            out = out + weight[..., None] * table[b, g, r]
    return with_rgb(c, mix(rgb(c), out, intensity))


def table_of_picture(picture):
    """512 x 512 picture of 8 x 8 tiles -> [b, g, r]."""
    tiles = picture[..., :3].reshape(8, 64, 8, 64, 3)
    return tiles.transpose(0, 2, 1, 3, 4).reshape(64, 64, 64, 3)


@oracle('lookup', dict(intensity=1, interpolation='trilinear'), dict(intensity=0.35),
        dict(interpolation='tetrahedral'), inputs=2, over='lookup', bound=1e-4)
def lookup(c, picture, p):
    return look_up(c, table_of_picture(picture), p.intensity, p.interpolation == 'tetrahedral')


@oracle('amatorka', dict(intensity=1), dict(intensity=0.6))
def amatorka(c, p):
    """Ours: the table of that name is under a licence of its own."""
    x = clamp01(rgb(c))
    k = (x + smoothstep(0, 1, x)) / 2
    k = mix((k @ L709)[..., None], k, 0.9)
    look = k + k * (1 - k) * [0.08, 0.02, -0.1] + (1 - k) ** 2 * [0, 0, 0.03]
    return with_rgb(c, mix(rgb(c), look, p.intensity))


@oracle('miss_etikate', dict(intensity=1), dict(intensity=0.6))
def miss_etikate(c, p):
    """Ours, as amatorka."""
    x = clamp01(rgb(c))
    k = mix((x @ L709)[..., None], x, 0.7)
    look = k * [0.84, 0.84, 0.76] + [0.06, 0.08, 0.16] + k * (1 - k) * [0, 0.02, 0.08]
    return with_rgb(c, mix(rgb(c), look, p.intensity))


def to_hsv(x):
    r, g, b = np.moveaxis(x, 2, 0)
    v, low = x.max(axis=2), x.min(axis=2)
    d = v - low
    safe = np.where(d == 0, 1, d)
    h = np.select([d == 0, v == r, v == g], [0 * d, (g - b) / safe, 2 + (b - r) / safe],
                  4 + (r - g) / safe) / 6
    return mod(h, 1), d / np.where(v == 0, 1, v), v


def from_hsv(h, s, v):
    k = mod(h[..., None] + np.array([1, 2 / 3, 1 / 3]), 1) * 6
    return v[..., None] * mix(1, clamp01(np.abs(k - 3) - 1), s[..., None])


@oracle('skin_tone', dict(skin_tone_adjust=0, skin_hue=0.05, skin_hue_threshold=40,
                          max_hue_shift=0.25, max_saturation_shift=0.4,
                          upper_skin_tone_color='green'),
        dict(skin_tone_adjust=0.3), dict(skin_tone_adjust=-0.3, skin_hue=0.1),
        dict(skin_tone_adjust=0.2, upper_skin_tone_color='orange'),
        dict(skin_tone_adjust=-0.2, upper_skin_tone_color='orange'), wild=False, bound=2e-4)
def skin_tone(c, p):
    h, s, v = to_hsv(rgb(c))
    d = mod(h - p.skin_hue + 0.5, 1) - 0.5
    w = clamp01(np.exp(-(d / 0.5) ** 2 * p.skin_hue_threshold))
    if p.upper_skin_tone_color == 'orange' and p.skin_tone_adjust > 0:
        s = s + p.skin_tone_adjust * w * p.max_saturation_shift
    else:
        h = h + p.skin_tone_adjust * w * p.max_hue_shift
    return with_rgb(c, from_hsv(h, s, v))


@oracle('color_invert')
def color_invert(c, p):
    return with_rgb(c, 1 - rgb(c))


@oracle('grayscale')
def grayscale(c, p):
    return grey(c, luma(c))


@oracle('monochrome', dict(intensity=1, color=(0.6, 0.45, 0.3)), dict(intensity=0.5),
        dict(color=(0.1, 0.9, 0.5), intensity=0.8))
def monochrome(c, p):
    return with_rgb(c, mix(rgb(c), tinted(luma(c)[..., None], three(p.color)), p.intensity))


@oracle('false_color', dict(first_color=(0, 0, 0.5), second_color=(1, 0, 0)),
        dict(first_color=(0.1, 0.9, 0.3), second_color=(0.7, 0.2, 1)))
def false_color(c, p):
    return with_rgb(c, mix(three(p.first_color), three(p.second_color), luma(c)[..., None]))


@oracle('haze', dict(distance=0.2, slope=0), dict(distance=-0.3, slope=0.3),
        dict(distance=0.1, slope=-0.25))
def haze(c, p):
    y = places(c.shape)[1][..., None]
    d = y * p.slope + p.distance
    return with_rgb(c, (rgb(c) - d) / (1 - d))


SEPIA = (.3588, .7044, .1368, 0, .2990, .5870, .1140, 0, .2392, .4696, .0912, 0, 0, 0, 0, 1)


@oracle('sepia', dict(intensity=1), dict(intensity=0.3))
def sepia(c, p):
    return weigh(c, SEPIA, p.intensity)


@oracle('opacity', dict(opacity=1), dict(opacity=0.3), dict(opacity=0))
def opacity(c, p):
    return np.concatenate([rgb(c), alpha(c) * p.opacity], axis=2)


@oracle('luminance_threshold', dict(threshold=0.5), dict(threshold=0.2), dict(threshold=0.83))
def luminance_threshold(c, p):
    return grey(c, step(p.threshold, luma(c)))


def key_distance(c, key):
    """Distance from the key in the plane of Cr and Cb."""
    def plane(x):
        y = x @ np.array([0.2989, 0.5866, 0.1145])
        return np.stack([0.7132 * (x[..., 0] - y), 0.5647 * (x[..., 2] - y)], axis=-1)
    return np.linalg.norm(plane(rgb(c)) - plane(three(key)), axis=-1)


KEY = dict(color_to_replace=(0, 1, 0), threshold_sensitivity=0.4, smoothing=0.1)


@oracle('chroma_key', KEY,
        dict(color_to_replace=(0.6, 0.4, 0.3), threshold_sensitivity=0.05, smoothing=0.2),
        dict(threshold_sensitivity=0.2, smoothing=0.4), bound=1e-4)
def chroma_key(c, p):
    d = key_distance(c, p.color_to_replace)
    v = smoothstep(p.threshold_sensitivity, p.threshold_sensitivity + p.smoothing, d)
    return np.concatenate([rgb(c), alpha(c) * v[..., None]], axis=2)


@oracle('chroma_key_matting',
        dict(luma_mask=1, chroma_color=(0, 1, 0), alpha_cutoff_min=0.2, alpha_scale=10,
             alpha_exponent=0.1, despill_scale=0, despill_exponent=0.1, ambient_scale=0,
             ambient_color=(0, 0, 0)),
        dict(chroma_color=(0.2, 0.7, 0.3), despill_scale=1, despill_exponent=0.5,
             alpha_exponent=0.5, alpha_scale=4, alpha_cutoff_min=0.05),
        dict(chroma_color=(0.6, 0.5, 0.45), luma_mask=4, ambient_scale=1, alpha_exponent=1,
             ambient_color=(0.4, 0.5, 0.9), alpha_scale=8, alpha_cutoff_min=0.02),
        wild=False, bound=3e-4)
def chroma_key_matting(c, p):
    def chromaticity(x):
        l = x.sum(axis=-1, keepdims=True)
        m = np.exp(-2 * np.pi * l / p.luma_mask)
        star = mix(x, l, m)
        total = 2 * star.sum(axis=-1, keepdims=True)
        return np.where(total > 0, star / np.where(total > 0, total, 1), 1 / 6)
    x, key = rgb(c), three(p.chroma_color)
    d = np.linalg.norm(chromaticity(key) - chromaticity(x), axis=-1)
    t = np.maximum((d - p.alpha_cutoff_min) * p.alpha_scale, 0)
    # A power with a small exponent is steep at 0.
    doubt(np.abs(d - p.alpha_cutoff_min) < 1e-4)
    a = clamp01(t ** p.alpha_exponent)
    spill = (1 - clamp01(t ** p.despill_exponent))[..., None]
    out = x - x * key * spill * p.despill_scale
    light = x * LPDF * three(p.ambient_color) * p.ambient_scale * spill
    return np.concatenate([out + light, alpha(c) * a[..., None]], axis=2)


@oracle('solarize', dict(threshold=0.5), dict(threshold=0.3))
def solarize(c, p):
    dark = 1 - step(p.threshold, luma(c))  # at the threshold itself: in doubt
    return with_rgb(c, np.where(dark[..., None] == 1, 1 - rgb(c), rgb(c)))


@oracle('luminance_range', dict(range_reduction_factor=0.6), dict(range_reduction_factor=0.25),
        dict(range_reduction_factor=1))
def luminance_range(c, p):
    return with_rgb(c, rgb(c) + ((0.5 - luma(c)) * p.range_reduction_factor)[..., None])


@oracle('posterize', dict(color_levels=10), dict(color_levels=3), dict(color_levels=256),
        doubtful=0.02)
def posterize(c, p):
    n = p.color_levels
    x = c * n + 0.5
    doubt(np.abs(x - np.round(x)) < 1e-5 * np.maximum(1, np.abs(x)))
    return np.floor(x) / n


@oracle('vignette', dict(vignette_center=(0.5, 0.5), vignette_color=(0, 0, 0), vignette_start=0.3,
                         vignette_end=0.75),
        dict(vignette_center=(0.2, 0.7), vignette_color=(0.9, 0.5, 0.1), vignette_end=0.5),
        bound=1e-4)
def vignette(c, p):
    x, y, _ = places(c.shape)
    d = np.hypot(x - p.vignette_center[0], y - p.vignette_center[1])
    t = smoothstep(p.vignette_start, p.vignette_end, d)[..., None]
    return with_rgb(c, mix(rgb(c), three(p.vignette_color), t))


@oracle('crosshatch', dict(cross_hatch_spacing=0.03, line_width=0.003),
        dict(cross_hatch_spacing=0.06, line_width=0.02),
        dict(cross_hatch_spacing=0.0413, line_width=0.0171))
def crosshatch(c, p):
    x, y, _ = places(c.shape)
    s, l = max(p.cross_hatch_spacing, 1 / c.shape[1]), luma(c)
    ink = np.zeros(c.shape[:2], bool)
    for below, at in ((1, x + y), (0.75, x - y), (0.5, x + y - s / 2), (0.3, x - y - s / 2)):
        rest = mod(at, s)
        unsure = ((np.abs(rest - p.line_width) < 2e-6) | (rest < 2e-6) | (s - rest < 2e-6))
        doubt(unsure & (l < below + 1e-5))
        doubt((np.abs(l - below) < 1e-5) & (rest <= p.line_width + 2e-6))
        ink |= (l < below) & (rest <= p.line_width)
    return grey(c, 1.0 - ink)


def hue_rotation(degrees):
    """Haeberli: the grey axis to z, luminance planes made horizontal by a shear, turn, and back."""
    def turn_x(s, k):
        return np.array([[1, 0, 0], [0, k, s], [0, -s, k]])

    def turn_y(s, k):
        return np.array([[k, 0, -s], [0, 1, 0], [s, 0, k]])

    def turn_z(s, k):
        return np.array([[k, s, 0], [-s, k, 0], [0, 0, 1]])

    def shear(dx, dy):
        return np.array([[1, 0, dx], [0, 1, dy], [0, 0, 1]])
    to_z = turn_x(1 / np.sqrt(2), 1 / np.sqrt(2)) @ turn_y(-1 / np.sqrt(3), np.sqrt(2 / 3))
    lx, ly, lz = LPDF @ to_z
    to_z = to_z @ shear(lx / lz, ly / lz)
    angle = np.radians(degrees)
    return to_z @ turn_z(np.sin(angle), np.cos(angle)) @ np.linalg.inv(to_z)


@oracle('hsb', dict(hue=0, saturation=1, brightness=1), dict(hue=70), dict(saturation=0.3),
        dict(hue=-130, saturation=1.6, brightness=0.7), bound=1e-4)
def hsb(c, p):
    s = (1 - p.saturation) * np.tile(LPDF[:, None], (1, 3)) + p.saturation * np.eye(3)
    return with_rgb(c, rgb(c) @ hue_rotation(p.hue) @ s * p.brightness)


@oracle('motion_center')
def motion_center(c, p):
    share = np.where(c[..., 2:3] > 0, c[..., 2:3], np.inf)
    out = c.copy()
    out[..., :2] = c[..., :2] / share
    faint(np.minimum(1, np.abs(c[..., 2:3])))
    return out


# The first run of filters over time; tests/delayed.c has the others.
@oracle('low_pass', dict(filter_strength=0.5), dict(filter_strength=0.9), wild=False)
@oracle('image_buffer', dict(buffer_size=1), dict(buffer_size=3))
def first_image(c, p):
    return c


@oracle('high_pass', dict(filter_strength=0.5), dict(filter_strength=0.2), wild=False)
def high_pass(c, p):
    return with_rgb(c, np.zeros(rgb(c).shape))


@oracle('motion_detector', dict(low_pass_filter_strength=0.5, threshold=0.2), dict(threshold=0.9), wild=False)
def motion_detector(c, p):
    return np.concatenate([np.zeros(rgb(c).shape), np.ones(alpha(c).shape)], axis=2)
