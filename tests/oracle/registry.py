"""How an oracle is written down, and the words that all of them use.

    @oracle('contrast', dict(contrast=1.0), dict(contrast=1.7), bound=1e-4)
    def contrast(c, p):
        return with_rgb(c, (rgb(c) - 0.5) * p.contrast + 0.5)

is the second implementation of the filter `contrast`: its defaults, the parameters to try (besides
the defaults alone), and the formula. `c` is H x W x 4 float64, straight alpha; a filter of two
images gets (base, over, p). A result is H x W x 4.

Where a formula decides (a step, a nearest colour), float32 may decide otherwise for values next to
the border. Such pixels are marked by `doubt` and not compared; the driver fails when they are many.
Where colour is a sum divided by alpha, `faint` tells how far to trust it: not at all at alpha 0.
"""
from types import SimpleNamespace

import numpy as np

ORACLES = {}
L709 = np.array([0.2125, 0.7154, 0.0721])
NEAR = 1e-5  # decisions closer than this, relative to values around 1, may go either way

_doubts, _trust = [], []


class Oracle:
    def __init__(self, function, name, defaults, variants, options):
        self.function, self.name, self.defaults, self.variants = function, name, defaults, variants
        self.bound = options.pop('bound', 3e-5)    # of float results in 0..1, and relative above
        self.bytes_bound = options.pop('bytes_bound', self.bound)  # of those computed from bytes
        self.inputs = options.pop('inputs', 1)
        self.wild = options.pop('wild', True)      # also with values below 0 and above 1
        self.doubtful = options.pop('doubtful', 0.02)  # share of pixels that may be in doubt
        self.border = options.pop('border', False)     # has the parameter `border`
        self.images = options.pop('images', None)      # names of inputs, all when None
        self.over = options.pop('over', None)          # the second input, when a special one
        self.exact = options.pop('exact', False)  # integers without alpha: the nearest, no bound
        assert not options, options

    def tries(self):
        """Parameter sets: those given to the tool, without the defaults."""
        result = [{}] + list(self.variants)
        if self.border:
            last = result[-1]
            result += [dict(last, border=b) for b in ('mirror', 'wrap', 'constant')]
        return result

    def compute(self, images, given, has_alpha=True, sample='float32', grey=False):
        """The result, the mask of pixels in doubt, and 0..1 how far colours are to be trusted."""
        values = dict(self.defaults, **given)
        if self.border:
            values.setdefault('border', 'replicate')
        values.update(has_alpha=has_alpha, sample=sample, grey=grey)  # of the first image's file
        _doubts.clear(), _trust.clear()
        with np.errstate(all='ignore'):
            out = self.function(*images, SimpleNamespace(**values))
        doubts, trust = np.zeros(out.shape[:2], bool), np.ones(out.shape[:2])
        for mask in _doubts:
            doubts |= mask if mask.shape == doubts.shape else mask.any()
        for plane in _trust:
            trust = np.minimum(trust, plane)
        return out, doubts, trust


def oracle(name, defaults=None, *variants, **options):
    def register(function):
        ORACLES[name] = Oracle(function, name, defaults or {}, variants, options)
        return function
    return register


def doubt(mask):
    """These pixels are not compared."""
    mask = np.asarray(mask)
    if mask.any():
        _doubts.append(mask.any(axis=2) if mask.ndim == 3 else mask)


def faint(alphas):
    """Colours may be off by more where alpha is small; where it is 0, they are not compared."""
    _trust.append(np.asarray(alphas, float).reshape(alphas.shape[:2]))


def step(edge, x, near=NEAR):
    """1 where x >= edge."""
    doubt(np.abs(x - edge) <= near * np.maximum(1, np.abs(x)))
    return (x >= edge).astype(float)


def rgb(c):
    return c[..., :3]


def alpha(c):
    return c[..., 3:]


def with_rgb(c, value):
    """c with other colour and its own alpha; a plane or three."""
    value = np.asarray(value, float)
    if value.ndim == 2:
        value = value[..., None]
    return np.concatenate([np.broadcast_to(value, c.shape[:2] + (3,)), alpha(c)], axis=2)


def grey(c, value, a=None):
    out = with_rgb(c, value)
    if a is not None:
        out[..., 3] = a
    return out


def luma(c):
    return rgb(c) @ L709


def clamp01(x):
    return np.clip(x, 0, 1)


def mix(a, b, t):
    return a * (1 - t) + b * t


def smoothstep(a, b, x):
    t = clamp01((x - a) / (b - a))
    return t * t * (3 - 2 * t)


def mod(a, b):
    return a - b * np.floor(a / b)


def over_premultiplied(c, has_alpha, linear):
    """A weighted mean (`linear`) of straight colours, in which transparent pixels have no say."""
    if not has_alpha:
        means = linear(rgb(c))
        return np.concatenate([means, np.ones(means.shape[:2] + (1,))], axis=2)
    means = linear(np.concatenate([rgb(c) * alpha(c), alpha(c)], axis=2))
    faint(np.where(alpha(means) <= 1e-6, 0, alpha(means)))
    return np.concatenate([rgb(means) / np.where(alpha(means) == 0, 1, alpha(means)),
                           alpha(means)], axis=2)


def places(shape):
    """x and y of every pixel's centre, as fractions, and H/W."""
    h, w = shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    return (x + 0.5) / w, (y + 0.5) / h, h / w


def border_index(i, size, border):
    """The indices that stand for `i`, and which of them are the constant."""
    i = np.asarray(i)
    outside = (i < 0) | (i >= size)
    if border == 'wrap':
        return i % size, np.zeros_like(outside)
    if border == 'mirror':  # the edge pixel twice: 1 0 | 0 1
        i = i % (2 * size)
        return np.where(i < size, i, 2 * size - 1 - i), np.zeros_like(outside)
    return np.clip(i, 0, size - 1), outside & (border == 'constant')


def at(c, rows, columns, border):
    """c at any rows and columns (arrays of one shape)."""
    r, out_r = border_index(rows, c.shape[0], border)
    k, out_k = border_index(columns, c.shape[1], border)
    values = c[r, k]
    outside = out_r | out_k
    return np.where(outside[..., None] if values.ndim > outside.ndim else outside, 0.0, values)


def shifted(c, dx, dy, border):
    """The image of the neighbours at (dx, dy)."""
    y, x = np.mgrid[0:c.shape[0], 0:c.shape[1]]
    return at(c, y + dy, x + dx, border)
