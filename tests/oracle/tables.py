"""Tables of `lookup`: files with curves and ranges, HALD pictures, curve files of Photoshop."""
import pathlib
import struct
import tempfile

import numpy as np

import color
import judge
import pictures
from registry import clamp01, mix, rgb, with_rgb

FIRST = ('photo.npy', 'float.npy', 'sixteen.npy', 'grey.npy', 'wild.npy')


def place(c, low, high):
    """Colours in the range of a table, which goes on as at its ends."""
    low, high = np.array(low, float), np.array(high, float)
    return with_rgb(c, clamp01((rgb(c) - low) / (high - low)))


def curve(c, row, low, high, intensity):
    x = rgb(place(c, low, high)) * (len(row) - 1)
    found = np.stack([np.interp(x[..., k], np.arange(len(row)), row[:, k]) for k in range(3)], 2)
    return with_rgb(c, mix(rgb(c), found, intensity))


def volume(c, table, low, high, tetrahedral, intensity):
    found = color.look_up(place(c, low, high), table, 1, tetrahedral)
    return with_rgb(c, mix(rgb(c), rgb(found), intensity))


def cube_text(table, low, high, size, extra=()):
    lines = ['# made up', *extra, '%s %d' % (size, len(table))]
    if (low, high) != ((0, 0, 0), (1, 1, 1)):
        lines += ['DOMAIN_MIN %r %r %r' % low, 'DOMAIN_MAX %r %r %r' % high]
    return '\n'.join(lines + ['%r %r %r' % tuple(float(v) for v in entry)
                              for entry in table.reshape(-1, 3)]) + '\n'


def hald(table):
    """[b, g, r] -> a picture of L^3 x L^3 pixels."""
    side = round(len(table) ** 1.5)
    return table.reshape(side, side, 3)


def natural_spline(points, x):
    """Through points (x, y) with second derivatives 0 at both ends, by a dense system."""
    px, py = np.array(points, float).T
    n, h = len(px), np.diff(px)
    a, b = np.eye(n), np.zeros(n)
    for i in range(1, n - 1):
        a[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 6 * ((py[i + 1] - py[i]) / h[i] - (py[i] - py[i - 1]) / h[i - 1])
    bend = np.linalg.solve(a, b)
    x = np.clip(x, px[0], px[-1])
    i = np.clip(np.searchsorted(px, x, 'right') - 1, 0, n - 2)
    t = (x - px[i]) / h[i]
    y = (1 - t) * py[i] + t * py[i + 1] + h[i] ** 2 / 6 * (
        ((1 - t) ** 3 - (1 - t)) * bend[i] + (t ** 3 - t) * bend[i + 1])
    return clamp01(y)


def acv_bytes(curves):
    """Curves of (input, output) bytes: composite, red, green, blue."""
    out = struct.pack('>HH', 4, len(curves))
    for points in curves:
        out += struct.pack('>H', len(points))
        for x, y in points:
            out += struct.pack('>HH', y, x)
    return out


def tone(c, curves):
    """Every channel's own curve, then the composite; between entries at multiples of 1/1024."""
    grid = np.arange(1025) / 1024
    whole, own = curves[0], list(curves[1:4]) + [[(0, 0), (255, 255)]] * (4 - len(curves))
    planes = []
    for k in range(3):
        scaled = [[(x / 255, y / 255) for x, y in p] for p in (own[k], whole)]
        table = natural_spline(scaled[1], natural_spline(scaled[0], grid))
        planes.append(np.interp(clamp01(c[..., k]), grid, table))
    return with_rgb(c, np.stack(planes, 2))


CURVES = ([(0, 10), (60, 30), (128, 150), (255, 245)], [(0, 0), (100, 140), (255, 255)],
          [(20, 0), (240, 255)], [(0, 255), (50, 60), (90, 30), (255, 0)])


def cases(folder, random):
    """name, pipeline, the table's file, the formula."""
    smooth = np.sort(random.random((17, 3)), axis=0)
    noise = random.random((5, 5, 5, 3)) * 1.5 - 0.2
    usual, other = ((0, 0, 0), (1, 1, 1)), ((-0.5, 0.1, 0), (1.5, 0.6, 4))
    for name, (low, high) in (('usual', usual), ('other', other)):
        file = folder / ('row_%s.cube' % name)
        file.write_text(cube_text(smooth, low, high, 'LUT_1D_SIZE'))
        for t in (1, 0.3):
            yield ('lookup:intensity=%g' % t, file,
                   lambda c, low=low, high=high, t=t: curve(c, smooth, low, high, t))
        file = folder / ('cube_%s.cube' % name)
        file.write_text(cube_text(noise, low, high, 'LUT_3D_SIZE'))
        for way in ('trilinear', 'tetrahedral'):
            yield ('lookup:interpolation=' + way, file,
                   lambda c, low=low, high=high, way=way:
                   volume(c, noise, low, high, way == 'tetrahedral', 1))
    file = folder / 'ranged.cube'
    file.write_text(cube_text(smooth, *usual, 'LUT_1D_SIZE', ['LUT_1D_INPUT_RANGE -0.25 1.25']))
    yield 'lookup', file, lambda c: curve(c, smooth, (-0.25,) * 3, (1.25,) * 3, 1)
    for level in (2, 3, 8):
        table = random.random((level * level,) * 3 + (3,))
        for kind in (np.float32, np.uint8):
            stored = (table * 255).astype(kind) if kind == np.uint8 else table.astype(kind)
            file = folder / ('hald_%d_%s.npy' % (level, kind.__name__))
            np.save(file, hald(stored))
            for way in ('trilinear', 'tetrahedral'):
                text = 'lookup:interpolation=%s%s' % (way, ':layout=hald' if level == 8 else '')
                scale = 255 if kind == np.uint8 else 1
                yield (text, file, lambda c, s=stored / scale, way=way:
                       volume(c, s, *usual, way == 'tetrahedral', 1))


def curve_files(folder):
    for count in (1, 4):
        file = folder / ('curves_%d.acv' % count)
        file.write_bytes(acv_bytes(CURVES[:count]))
        for text in ('tone_curve:over=#table', 'lookup'):
            yield text, file, lambda c, count=count: tone(c, CURVES[:count])


def judge_one(session, case, name, engine):
    text, file, formula = case
    with tempfile.TemporaryDirectory(dir=session.work) as folder:
        out = pathlib.Path(folder) / 'out.npy'
        done = session.tool.call(['run', '--strict', text, str(session.inputs / name), '--input',
                                  'table=%s' % file, '-o', str(out), '--device',
                                  'vulkan' if engine == 'vulkan' else 'cpu'], engine)
        expected = formula(session.colors[name])
        none = np.zeros(expected.shape[:2], bool)
        wrong = done.stderr.strip() if done.returncode else judge.difference(
            pictures.read(out), expected, none, 1.0 - none, 1e-4)
    if wrong:
        session.fail('%s of %s with %s [%s]: %s' % (text, name, file.name, engine, wrong))
    else:
        session.passed += 1


def check(session, engines, top):
    random = np.random.default_rng(77)
    with tempfile.TemporaryDirectory(dir=session.work) as name:
        folder = pathlib.Path(name)
        for number, case in enumerate([*cases(folder, random), *curve_files(folder)]):
            for first in FIRST:
                judge_one(session, case, first, top)
            if 'vulkan' in engines and number % 4 == 3:
                judge_one(session, case, 'float.npy', 'vulkan')
