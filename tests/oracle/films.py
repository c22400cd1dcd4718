"""Films: RGB of y4m and of raw frames, from the definition of Y'CbCr in double precision."""
import numpy as np

from measures import judge, measurement

MATRICES = {'bt709': (0.2126, 0.0722), 'bt601': (0.299, 0.114), 'bt2020': (0.2627, 0.0593)}
# tag: bits, columns and rows of luma to one of chroma, and where the first chroma lies
KINDS = {'C420jpeg': (8, 2, 2, 0.5, 0.5), 'C420mpeg2': (8, 2, 2, 0, 0.5), 'C420paldv': (8, 2, 2, 0, 0),
         'C411': (8, 4, 1, 0, 0), 'C422': (8, 2, 1, 0, 0), 'C444': (8, 1, 1, 0, 0),
         'C420p10': (10, 2, 2, 0, 0.5), 'C422p12': (12, 2, 1, 0, 0), 'C444p16': (16, 1, 1, 0, 0)}


def spread(chroma, size, factor, first, axis):
    """Chroma of every sample of luma along an axis, linear between two, constant beyond the last."""
    at = (np.arange(size) - first) / factor
    chroma = np.moveaxis(chroma, axis, -1)
    places = np.arange(chroma.shape[-1])
    out = np.apply_along_axis(lambda line: np.interp(at, places, line), -1, chroma)
    return np.moveaxis(out, -1, axis)


def colors(planes, kind, matrix, full):
    bits, across, down, left, top = kind
    red, blue = MATRICES[matrix]
    green, unit, most = 1 - red - blue, 2.0 ** (bits - 8), 2.0 ** bits - 1
    luma = planes[0] / most if full else (planes[0] - 16 * unit) / (219 * unit)
    cb, cr = (spread(spread(p, luma.shape[1], across, left, 1), luma.shape[0], down, top, 0)
              for p in planes[1:])
    cb, cr = ((c - 128 * unit) / (most if full else 224 * unit) for c in (cb, cr))
    r, b = luma + (2 - 2 * red) * cr, luma + (2 - 2 * blue) * cb
    g = (luma - red * r - blue * b) / green
    return np.stack([r, g, b], 2).clip(0, 1)


def write(path, planes, tag, kind, raw):
    bits, height, width = kind[0], *planes[0].shape
    samples = [p.astype('<u2' if bits > 8 else 'u1').tobytes() for p in planes]
    head = b'' if raw else b'YUV4MPEG2 W%d H%d F25:1 %s\nFRAME\n' % (width, height, tag.encode())
    path.write_bytes(head + b''.join(samples))


@measurement('films')
def check(session, engines):
    random = np.random.default_rng(5)
    for tag, kind in KINDS.items():
        bits, across, down = kind[:3]
        for height, width in ((24, 32), (7, 5), (1, 1)):
            sizes = [(height, width)] + [(-(-height // down), -(-width // across))] * 2
            planes = [random.integers(0, 2 ** bits, size).astype(float) for size in sizes]
            for matrix in MATRICES:
                for full in (False, True):
                    judge_one(session, planes, tag, kind, matrix, full)


def judge_one(session, planes, tag, kind, matrix, full):
    film, out = session.work / 'film.y4m', session.work / 'film'
    given = '%s:%s' % (matrix, 'full' if full else 'limited')
    what = 'RGB of %s, %s, %dx%d' % (tag, given, planes[0].shape[1], planes[0].shape[0])
    write(film, planes, tag, kind, False)
    done = session.tool.call(['run', 'copy', str(film), '-o', str(out) + '/', '--format', 'npy',
                              '--video-colors', given, '--device', 'cpu'])
    if done.returncode:
        judge(session, what, done.stderr.strip())
        return
    got = np.load(out / 'film-000000.npy').astype(float)
    most = 255 if kind[0] == 8 else 65535
    wrong = np.abs(got - colors(planes, kind, matrix, full) * most) > 0.5 + 1e-6
    judge(session, what, '%d samples are not the nearest' % wrong.sum() if wrong.any() else '')
