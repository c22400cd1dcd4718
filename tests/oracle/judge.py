"""Whether an image that the tool wrote is what the oracle computed."""
import numpy as np

from pictures import MAX


def stored(expected, channels):
    """The expected colours as that many channels of a file, and what would be lost."""
    if channels <= 2 and np.ptp(expected[..., :3], axis=2).max() > 1e-3:
        return None, 'a grey image of a coloured result'
    if channels in (1, 3) and np.abs(expected[..., 3] - 1).max() > 1e-3:
        return None, 'no alpha, though the result is not opaque'
    picked = {1: [0], 2: [0, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[channels]
    return expected[..., picked], None


def difference(got, expected, doubts, trust, bound, exact=False):
    """None, or what is wrong. `got` as in the file; `expected` H x W x 4; doubts are not compared;
    colours may be off by bound / trust. `exact`: whole samples are the nearest, halves up."""
    got = got[..., None] if got.ndim == 2 else got
    if got.shape[:2] != expected.shape[:2]:
        return '%d x %d pixels, not %d x %d' % (got.shape[1::-1] + expected.shape[1::-1])
    expected, loss = stored(expected, got.shape[2])
    if loss:
        return loss
    bounds = np.full(expected.shape, float(bound))
    with np.errstate(divide='ignore'):
        bounds[..., :3 if got.shape[2] > 2 else 1] /= trust[..., None]
    most = MAX.get(got.dtype.name)
    if most:
        expected = np.clip(expected, 0, 1) * most
        allowed = 0.5 + bounds * most  # half a step is the rounding
        if exact:
            expected, allowed = np.floor(expected + 0.5 + 1e-9), 0 * expected
    else:
        allowed = bounds * np.maximum(1, np.abs(expected))
    same = got.astype(float) == expected  # infinities, of which the difference is NaN
    error = np.where(same, 0, np.abs(got.astype(float) - np.where(same, 0, expected)))
    wrong = ~(error <= allowed) & ~doubts[..., None]  # NaN is wrong
    if not wrong.any():
        return None
    ratio = np.where(wrong, np.nan_to_num(error / np.maximum(allowed, 1e-9), nan=np.inf), 0)
    y, x, channel = np.unravel_index(np.argmax(ratio), ratio.shape)
    return '%d of %d samples differ, most at x=%d y=%d channel %d: %.7g expected, %.7g got' % (
        wrong.sum(), wrong.size, x, y, channel, expected[y, x, channel], got[y, x, channel])
