"""areasum of the tool: percentiles of boxes, polygons and masks, and shapes through layers, in NumPy."""
from fractions import Fraction

import numpy as np

import pictures
from measures import judge, measurement, report

POLYGON = [(2.0, 1.0), (25.5, 3.0), (20.0, 18.25), (6.0, 14.0)]


def inside(points, height, width):
    """Pixels whose centre an odd number of edges lies left of."""
    ys, xs = np.mgrid[:height, :width] + 0.5
    odd = np.zeros((height, width), bool)
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
        if y0 != y1:
            crosses = (y0 <= ys) != (y1 <= ys)
            odd ^= crosses & (x0 + (ys - y0) * (x1 - x0) / (y1 - y0) <= xs)
    return odd


def files(session):
    """Layers are made as a film of PGM frames in one file."""
    random = np.random.default_rng(77)
    frames = random.integers(0, 256, (4, 21, 33)).astype(np.uint8)
    film = session.inputs / 'film.pgm'
    film.write_bytes(b''.join(b'P5\n33 21\n255\n' + f.tobytes() for f in frames))
    mask = (random.random(frames.shape[1:]) < 0.4).astype(np.uint8)
    pictures.write(session.inputs / 'cells.npy', mask * 255)
    polygon = session.inputs / 'cell.csv'
    polygon.write_text(''.join('a,%r,%r\n' % p for p in POLYGON))
    return frames, film, mask > 0, polygon


@measurement('areas')
def check(session, engines):
    frames, film, mask, polygon = files(session)
    shapes = {('--mask', str(session.inputs / 'cells.npy')): mask,
              ('--polygons', str(polygon)): inside(POLYGON, *frames.shape[1:])}
    for engine in engines:
        for (option, file), picture in shapes.items():
            for layers in (None, (2, 1), (1, 3)):
                if session.short and engine == 'vulkan' and layers != (2, 1):
                    continue
                extra = ['--layers', '%d+%d' % layers] if layers else []
                part = frames[layers[1]:sum(layers)] if layers else frames
                values = part[:, picture].astype(float)
                got = report(session, engine, ['areasum', option, file, str(film), '-f', 'sum,count,max',
                                               '-p', '5,50,95'] + extra)
                row = got[0]['results'][0] if got else {}
                want = dict(sum=[int(values.sum())], count=[values.size], max=[values.max()])
                wrong = [k for k in want if row.get(k) != want[k]]
                for p in (5, 50, 95):
                    found = row.get('percentiles', {}).get(str(p), [1e9])[0]
                    if abs(found - np.percentile(values, p)) > 1e-9:
                        wrong.append('p%d' % p)
                judge(session, 'areasum %s in layers %s [%s]' % (option, layers, engine), ', '.join(wrong))
        plane = frames[1].astype(float)
        for x, y, w, h in ((0, 0, 33, 21), (5, 3, 11, 1), (20, 8, 9, 12)):
            got = report(session, engine, ['areasum', '--page', '1', '-b', '%dx%d+%d+%d' % (w, h, x, y),
                                           '-p', '0,12.5,75', str(film)])
            found = got[0]['results'][0]['percentiles'] if got else {}
            wrong = [p for p in ('0', '12.5', '75') if abs(
                found.get(p, [1e9])[0] - np.percentile(plane[y:y + h, x:x + w], float(p))) > 1e-9]
            judge(session, 'percentiles of a box [%s]' % engine, ', '.join(wrong))


@measurement('moments')
def check_moments(session, engines):
    """Coordinates weighted by the samples, in exact integers."""
    for name in ('photo.npy', 'sixteen.npy'):
        image = session.images[name]
        image = image if image.ndim == 3 else image[..., None]
        h, w = image.shape[:2]
        ys, xs = (a.astype(object) for a in np.mgrid[:h, :w])
        for x, y, wide, high in ((0, 0, w, h), (w // 3, h // 4, w // 2, h // 2), (1, 0, 1, h)):
            box = np.s_[y:y + high, x:x + wide]
            for engine in engines:
                got = report(session, engine, ['areasum', '-b', '%dx%d+%d+%d' % (wide, high, x, y), '-f',
                                               'mx,my,var_x,var_y,cov_xy', str(session.inputs / name)])
                for c in range(image.shape[2] if got else 0):
                    v = image[..., c].astype(object)[box]
                    s, sx, sy = v.sum(), (v * xs[box]).sum(), (v * ys[box]).sum()
                    second = [(v * a[box] * b[box]).sum() for a, b in ((xs, xs), (ys, ys), (xs, ys))]
                    central = [s * m - a * b for m, a, b in zip(second, (sx, sy, sx), (sx, sy, sy))]
                    want = [sx / s, sy / s] + [float(Fraction(int(m), int(s * s))) for m in central]
                    row = got[0]['results'][0]
                    found = [row[k][c] for k in ('mx', 'my', 'var_x', 'var_y', 'cov_xy')]
                    judge(session, 'moments of %s, box at %d, %d [%s]' % (name, x, y, engine),
                          '' if found == want else '%s, not %s' % (found, want))
