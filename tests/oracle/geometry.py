"""Filters that move pixels, and those that make images of other sizes."""
from types import SimpleNamespace

import numpy as np

from color import gamma, map_channel
from registry import border_index, grey, oracle, over_premultiplied, with_rgb


@oracle('flip', dict(direction='horizontal'), dict(direction='none'), dict(direction='vertical'),
        dict(direction='both'), exact=True, bound=1e-7)
def flip(c, p):
    c = c[:, ::-1] if p.direction in ('horizontal', 'both') else c
    return c[::-1] if p.direction in ('vertical', 'both') else c


@oracle('operate', dict(red='red', green='green', blue='blue', alpha='alpha', flip='none', gamma=1),
        dict(red='blue', green='luminance', alpha='one', flip='horizontal', gamma=2.2), dict(flip='both'),
        dict(flip='vertical', gamma=0.45), bound=1e-4)
def operate(c, p):
    return gamma(flip(map_channel(c, p), SimpleNamespace(direction=p.flip)), p)


@oracle('repeat_rows', dict(times=3), dict(times=1), dict(times=5), exact=True, bound=1e-7)
def repeat_rows(c, p):
    return np.concatenate([c] * p.times)


@oracle('tensor_plane', dict(mean=(0,), scale=(1 / 255,), order='rgb'),
        dict(mean=(127.5, 104, 3), scale=(0.0078125, 0.01, -0.5), order='bgr'), bound=1e-4)
def tensor_plane(c, p):
    """Row j of H is of plane floor(3 (j + 1/2) / H)."""
    plane = 3 * (2 * np.arange(len(c)) + 1) // (2 * len(c))
    plane = 2 - plane if p.order == 'bgr' else plane
    mean, scale = (np.resize(v, 3)[plane][:, None] for v in (p.mean, p.scale))
    return grey(c, (255 * c[np.arange(len(c)), :, plane] - mean) * scale, 1)


@oracle('nn_tensor_pack', dict(mean=(0,), scale=(1 / 255,), order='rgb'),
        dict(mean=(127.5, 104, 3), scale=(0.0078125, 0.01, -0.5)), dict(order='bgr', scale=(0.25,)),
        bound=1e-4)
def nn_tensor_pack(c, p):
    planes = np.concatenate([(255 * c[..., k] - np.resize(p.mean, 3)[k]) * np.resize(p.scale, 3)[k]
                             for k in ((0, 1, 2) if p.order == 'rgb' else (2, 1, 0))])
    return grey(np.concatenate([c] * 3), planes, 1)


@oracle('transpose', dict(diagonal='main'), dict(diagonal='anti'), exact=True, bound=1e-7)
def transpose(c, p):
    c = c if p.diagonal == 'main' else c[::-1, ::-1]
    return c.transpose(1, 0, 2)


@oracle('rotate', dict(angle=90), dict(angle=180), dict(angle=270), exact=True, bound=1e-7)
def rotate(c, p):
    """np.rot90 turns counterclockwise."""
    return np.rot90(c, -p.angle // 90)


@oracle('pad', dict(left=0, right=0, top=0, bottom=0, width=0, height=0, border='constant',
                    color=(0, 0, 0, 0)),
        dict(left=2, top=1, color=(0.2, 0.6, 0.4, 1)), dict(width=700, height=301, bottom=3),
        dict(left=3, right=70, bottom=2, border='mirror'),
        dict(left=30, right=7, top=20, border='wrap'),
        dict(left=3, right=70, top=9, border='replicate'), exact=True, bound=1e-7)
def pad(c, p):
    lists, outside = [], []
    for side, first, last, wanted in ((c.shape[0], p.top, p.bottom, p.height),
                                      (c.shape[1], p.left, p.right, p.width)):
        size = side + first + last
        extra = wanted - size if wanted else 0
        index, constant = border_index(np.arange(size + extra) - first - extra // 2, side, p.border)
        lists.append(index)
        outside.append(constant)
    out = c[np.ix_(*lists)]
    color = np.array((tuple(p.color) + (1,))[:4])
    if p.grey:
        color[1:3] = color[0]
    if not p.has_alpha:
        color[3] = 1
    out[np.logical_or.outer(*outside)] = color
    return out


@oracle('canvas', dict(width=0, height=0, outside='transparent'), dict(width=200, height=20),
        dict(width=9, height=170), dict(width=5, height=2), dict(width=301, outside='tile'),
        dict(width=31, height=99, outside='tile'), exact=True, bound=1e-7)
def canvas(c, p):
    """In the middle of nothing, or over and over."""
    sides = [wanted or side for side, wanted in zip(c.shape, (p.height, p.width))]
    if p.outside == 'tile':
        return np.tile(c, [-(-n // s) for n, s in zip(sides, c.shape)] + [1])[:sides[0], :sides[1]]
    more = [max(n - s, 0) for n, s in zip(sides, c.shape)]
    less = [max(s - n, 0) for n, s in zip(sides, c.shape)]
    c = c[less[0] // 2:, less[1] // 2:][:sides[0], :sides[1]]
    return np.pad(c, [(m // 2, m - m // 2) for m in more] + [(0, 0)])


KERNELS = {
    'bilinear': (1, lambda x: 1 - x),
    'bicubic': (2, lambda x: np.where(x < 1, 1.5 * x ** 3 - 2.5 * x ** 2 + 1,
                                      -0.5 * x ** 3 + 2.5 * x ** 2 - 4 * x + 2)),
    'lanczos3': (3, lambda x: np.sinc(x) * np.sinc(x / 3)),
}


def shares(method, antialias, size, count, start, length):
    """The weights of all inputs (columns) in all outputs (rows) of an axis."""
    ratio, edge = length / count, np.arange(size)
    low = start + np.arange(count)[:, None] * ratio
    if method == 'nearest':
        middle = np.floor(start + (2 * np.arange(count)[:, None] + 1) * length / (2 * count))
        return (np.clip(middle, 0, size - 1) == edge).astype(float)
    if method == 'area':
        w = np.clip(np.minimum(low + ratio, edge + 1) - np.maximum(low, edge), 0, None)
    else:
        radius, kernel = KERNELS[method]
        x = np.abs(edge + 0.5 - low - ratio / 2) / (max(ratio, 1) if antialias else 1)
        w = np.where(x < radius, kernel(np.minimum(x, radius)), 0)
    w /= w.sum(axis=1, keepdims=True)
    return np.where(np.abs(w) < 2.0 ** -23, 0, w)  # as multiples of 2^-22 they are nothing


def new_size(p, h, w):
    if not p.width and not p.height:
        return tuple(max(1, int(np.floor(n * np.float32(s or p.scale).astype(float) + 0.5)))
                     for n, s in ((h, p.scale_y), (w, p.scale_x)))
    wide, high = p.width, p.height
    if not high or (high and wide and p.fit == 'inside' and wide * h <= high * w):
        return max(1, (2 * h * wide + w) // (2 * w)), wide
    if not wide or p.fit == 'inside':
        return high, max(1, (2 * w * high + h) // (2 * h))
    return high, wide


def light(c):
    power = ((np.maximum(c, 0.04045) + 0.055) / 1.055) ** 2.4
    return np.where(c <= 0.04045, c / 12.92, power)


def encoded(c):
    power = 1.055 * np.maximum(c, 0.0031308) ** (1 / 2.4) - 0.055
    return np.where(c <= 0.0031308, c * 12.92, power)


@oracle('resize', dict(width=0, height=0, scale=1, fit='stretch', method='bicubic', antialias=1,
                       light='stored', scale_x=0, scale_y=0),
        dict(scale=0.4), dict(scale=1.7, method='bilinear'),
        dict(width=40, height=23, method='lanczos3', light='linear'),
        dict(width=50, method='bilinear', antialias=0), dict(scale=0.6, method='nearest'),
        dict(width=30, height=30, fit='inside', method='area'), dict(height=30, method='area'),
        dict(width=31, height=28, fit='cover', method='bicubic'), dict(scale_x=0.3, method='area'),
        dict(scale=2, scale_x=1.4, scale_y=0.7), bound=4e-5, bytes_bound=2e-4)
def resize(c, p):
    h, w = c.shape[:2]
    high, wide = new_size(p, h, w)
    part_h, part_w = h, w
    if p.fit == 'cover' and p.width and p.height:
        if wide * h >= high * w:
            part_h = high * w / wide
        else:
            part_w = wide * h / high
    down = shares(p.method, p.antialias, h, high, (h - part_h) / 2, part_h)
    across = shares(p.method, p.antialias, w, wide, (w - part_w) / 2, part_w)

    def mixed(planes):
        return np.einsum('yj,jik,xi->yxk', down, planes, across, optimize=True)
    if p.method == 'nearest' or (high, wide, part_h, part_w) == (h, w, h, w):
        rows, columns = down.argmax(axis=1), across.argmax(axis=1)
        return c[np.ix_(rows, columns)]
    linear = p.light == 'linear'
    c = with_rgb(c, light(c[..., :3])) if linear else c
    out = over_premultiplied(c, True, mixed) if p.has_alpha else mixed(c)
    return with_rgb(out, encoded(out[..., :3])) if linear else out


@oracle('lanczos_resampling', dict(width=0, height=0, scale=1), dict(scale=0.4), dict(height=30),
        bound=4e-5, bytes_bound=2e-4)
def lanczos_resampling(c, p):
    p.fit, p.method, p.antialias, p.light = 'stretch', 'lanczos3', 1, 'stored'
    p.scale_x = p.scale_y = 0
    return resize(c, p)


@oracle('size_scale', dict(fx=1, fy=1, method='bilinear'), dict(fx=0.5, fy=2), dict(fx=1.7),
        dict(fx=0.3, fy=0.9, method='nearest'), bound=4e-5, bytes_bound=2e-4)
def size_scale(c, p):
    p.width = p.height = p.antialias = 0
    p.scale, p.scale_x, p.scale_y, p.fit, p.light = 1, p.fx, p.fy, 'stretch', 'stored'
    return resize(c, p)
