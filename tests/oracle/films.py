"""Films: RGB of y4m, from the definition of Y'CbCr in double precision, and figures of planes."""
import json

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
            judge_figures(session, planes, tag, kind)


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


def spread_of(name, values):
    line = np.sort(values.ravel())
    low, high = (line[max(round(part * line.size / 10), 1) - 1] for part in (1, 9))
    return {name + 'MIN': line[0], name + 'LOW': low, name + 'AVG': line.mean(), name + 'HIGH': high,
            name + 'MAX': line[-1]}


def judge_figures(session, planes, tag, kind):
    film = session.work / 'figures.y4m'
    what = '--lavfi of %s, %dx%d' % (tag, planes[0].shape[1], planes[0].shape[0])
    other = [p[::-1, ::-1] for p in planes]
    write(film, planes, tag, kind, False)
    body = b''.join(p.astype('<u2' if kind[0] > 8 else 'u1').tobytes() for p in other)
    film.write_bytes(film.read_bytes() + b'FRAME\n' + body)
    done = session.tool.call(['stats', '--lavfi', '--json', str(film)])
    if done.returncode:
        judge(session, what, done.stderr.strip())
        return
    got = json.loads(done.stdout.splitlines()[1])['figures']
    cb, cr = (p - 2 ** (kind[0] - 1) for p in other[1:])
    hue = np.floor(180 + np.degrees(np.arctan2(cb, cr))) % 360
    want = {**spread_of('Y', other[0]), **spread_of('U', other[1]), **spread_of('V', other[2]),
            **spread_of('SAT', np.floor(np.sqrt(cb * cb + cr * cr).astype('f4')).astype(float)),
            'HUEMED': np.sort(hue.ravel())[hue.size // 2], 'HUEAVG': hue.mean()}
    for name, a, b in zip('YUV', other, planes):
        want[name + 'DIF'] = np.abs(a - b).mean()
        want[name + 'BITDEPTH'] = bin(int(np.bitwise_or.reduce(a.astype(int).ravel()))).count('1')
    wrong = [k for k in want if abs(got.get(k, np.inf) - want[k]) > 1e-9 * abs(want[k])]
    judge(session, what, 'other figures: %s' % ', '.join(wrong) if wrong or len(got) != len(want) else '')
