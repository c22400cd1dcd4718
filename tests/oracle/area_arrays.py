"""areasum of the tool on .npy arrays of one to six axes, in NumPy: direct sums over each box."""
from fractions import Fraction
import itertools
import math

import numpy as np

from measures import judge, measurement, report

SHAPES = ((17,), (5, 9), (3, 1, 8), (2, 3, 4, 5), (3, 2, 1, 4, 3), (2, 3, 2, 2, 3, 4))
TYPES = ('u1', 'u2', 'i4', 'f2', 'f4', '>i2', 'i8', '?', 'u4', '>f8')


def samples(random, kind, shape):
    """Random samples whose sums are exact: integers over the whole range, floats as multiples of 2^-6."""
    kind = np.dtype(kind)
    if kind.itemsize == 8 and kind.kind == 'f':  # of all magnitudes that a unit covers, with 53 bits
        return (random.normal(size=shape) * 2.0 ** random.integers(-30, 30, shape)).astype(kind)
    if kind.kind == 'f':
        return (random.integers(-2000, 2000, shape) / 64).astype(kind)
    if kind.kind == 'b':
        return random.random(shape) < 0.5
    limits = np.iinfo(kind if kind.itemsize < 8 else np.int32)
    return random.integers(limits.min, limits.max, shape, endpoint=True).astype(kind)


def boxes(random, shape):
    """Everything, a single element, and boxes between."""
    yield [(0, n) for n in shape]
    yield [(n - 1, n) for n in shape]
    for _ in range(3):
        yield [sorted(random.choice(n + 1, 2, replace=False).tolist()) for n in shape]


def wanted(values, squares, whole):
    """Figures of exact integers or fractions, rounded once."""
    exact = [Fraction(v) for v in values.reshape(-1).tolist()]
    total, n = sum(exact), len(exact)
    out = dict(sum=int(total) if whole else float(total), mean=float(total / n), count=n,
               min=float(min(exact)), max=float(max(exact)))
    if squares:
        out['variance'] = float(sum(v * v for v in exact) / n - (total / n) ** 2)
    return out


def text(box, shape, form):
    """A box as --box takes it: ends that are those of the array may be left out."""
    ranges = []
    for (first, end), n in zip(box, shape):
        ranges.append('%s:%s' % ('' if form and first == 0 else first, '' if form and end == n else end))
    return ','.join(ranges)


@measurement('arrays')
def check(session, engines):
    random = np.random.default_rng(61)
    for number, (shape, kind) in enumerate(itertools.product(SHAPES, TYPES)):
        if session.short and number % 3:
            continue
        array = samples(random, kind, shape)
        order = 'CF'[number % 2]
        path = session.inputs / 'array.npy'
        np.save(path, np.asarray(array, order=order))
        values = array.astype('u1') if kind == '?' else array
        squares = kind not in ('i4', 'i8', '>f8')  # random ones overflow: refused; and below
        whole = values.dtype.kind != 'f' and (kind != 'u4' or values.max() < 2 ** 31)
        some = list(boxes(random, shape))
        ranges = session.inputs / 'ranges.csv'
        names = ['%s_%d' % (end, axis) for end in ('first', 'end') for axis in range(len(shape))]
        ranges.write_text('\n'.join([','.join(names)] + [
            ','.join(str(r[end]) for end in (0, 1) for r in box) for box in some]) + '\n')
        engine = session.turn(engines, number)
        for given in (['--boxes', str(ranges)],
                      [x for box in some for x in ('-b', text(box, shape, number % 3))]):
            for figures in ('sum,mean,count', 'sum,min,max,mean' + (',variance' if squares else '')):
                got = report(session, engine, ['areasum', '-f', figures, str(path)] + given)
                wrong = [] if got and got[0]['shape'] == list(shape) else ['the shape']
                for box, row in zip(some, got[0]['results'] if got else []):
                    want = wanted(values[tuple(slice(*r) for r in box)], squares, whole)
                    want = {k: [want[k]] for k in figures.split(',')}
                    want.update(first=[r[0] for r in box], end=[r[1] for r in box])
                    wrong += ['%s of %s' % (k, box) for k in want if row.get(k) != want[k]]
                judge(session, 'areasum of %s %s in %s order [%s]' % (kind, shape, order, engine),
                      ', '.join(wrong[:3]))
    doubles(session, engines)
    smooth(session, engines)
    turned(session, engines)
    derived(session, engines)


def derived(session, engines):
    """Densities and percentiles of boxes of arrays: of u8 exact, of others within the width of a bin."""
    random = np.random.default_rng(12)
    for number, (shape, kind) in enumerate(itertools.product(SHAPES, ('u1', 'u2', 'i4', 'f4', 'f8'))):
        if session.short and number % 2:
            continue
        array = abs(samples(random, kind, shape) // 2)
        path = session.inputs / 'derived.npy'
        np.save(path, np.asarray(array, order='CF'[number % 2]))
        engine, wrong = session.turn(engines, number), []
        some = list(boxes(random, shape))
        scope = 'type' if kind == 'u1' else 'auto'
        got = report(session, engine, [
            'areasum', '--density', '-p', '0,25,50,99', '--range', scope, str(path)] + [
                x for b in some for x in ('-b', text(b, shape, 0))])
        total = sum(map(Fraction, array.reshape(-1).tolist()))
        for box, row in zip(some, got[0]['results'] if got else []):
            values = array[tuple(slice(*r) for r in box)].astype('f8')
            want = float(sum(map(Fraction, values.reshape(-1).tolist()))) / float(total)
            if row['probability'] != [want]:
                wrong.append('probability %r, not %r' % (row['probability'], want))
            for p, found in row['percentiles'].items():
                want = np.percentile(values, float(p))
                if abs(found[0] - want) > (1e-9 if kind == 'u1' else got[0]['bin_width']):
                    wrong.append('p%s %r, not %r' % (p, found, want))
        judge(session, 'densities of %s %s [%s]' % (kind, shape, engine), ', '.join(wrong[:3]))


def turned(session, engines):
    """Turned boxes: with enough parts the pixels whose centres are inside; with few, within what is said."""
    random = np.random.default_rng(30)
    array = random.integers(0, 256, (60, 80)).astype('u1')
    path = session.inputs / 'turned.npy'
    np.save(path, array)
    ys, xs = np.mgrid[:60, :80] + 0.5
    for number in range(12):
        wide, high = (int(v) for v in random.integers(3, 40, 2))
        x, y = int(random.integers(0, 80 - wide)), int(random.integers(0, 60 - high))
        angle = round(float(random.uniform(-180, 180)), 2)
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        dx, dy = xs - x - wide / 2, ys - y - high / 2
        inside = (abs(dx * c + dy * s) < wide / 2) & (abs(dy * c - dx * s) < high / 2)
        engine, wrong = session.turn(engines, number), []
        for parts in (1, 5, 80):
            got = report(session, engine, [
                'areasum', '-b', '%dx%d+%d+%d' % (wide, high, x, y), '--angle', str(angle),
                '--parts', str(parts), '-f', 'sum,count', str(path)])
            if not got:
                continue
            row = got[0]['results'][0]
            differ = row['missing'] + row['extra']
            rows, columns = (int(np.ptp(np.nonzero(inside)[axis])) + 1 for axis in (0, 1))
            most = min(-(-rows // parts) * columns, -(-columns // parts) * rows)
            if row['pixels'] != inside.sum() or row['boxes'] > parts or differ > most:
                wrong.append('%d parts: %r' % (parts, row))
            if abs(row['sum'][0] - int(array[inside].sum())) > 255 * differ:
                wrong.append('%d parts: sum' % parts)
            if row['count'][0] != row['pixels'] - row['missing'] + row['extra']:
                wrong.append('%d parts: count' % parts)
        judge(session, 'areasum of %dx%d turned by %s [%s]' % (wide, high, angle, engine), ', '.join(wrong))


def smooth(session, engines):
    """Means under boxes that are convolved with themselves, by numpy.convolve, clipped to the array."""
    random = np.random.default_rng(99)
    for number, (order, shape, kind) in enumerate(itertools.product(
            (1, 2, 3, 4), ((40,), (21, 17), (7, 9, 8)), ('u1', 'i4', 'f4'))):
        array = samples(random, kind, shape)
        if kind == 'i4':
            array //= 2 ** 16  # windows leave 62 bits
        path = session.inputs / 'smooth.npy'
        np.save(path, array)
        side = [int(random.integers(0, 3)) * 2 + 1 for _ in shape]
        first = [int(random.integers(0, n - s + 1)) for n, s in zip(shape, side)]
        weights = np.ones((), object)
        for n, s, at in zip(shape, side, first):
            box = np.ones(s, np.int64)
            kernel = box
            for _ in range(order - 1):
                kernel = np.convolve(kernel, box)
            line = np.zeros(n + 2 * len(kernel), np.int64)
            start = at + s // 2 - len(kernel) // 2 + len(kernel)
            line[start:start + len(kernel)] = kernel
            weights = np.multiply.outer(weights, line[len(kernel):len(kernel) + n].astype(object))
        exact = np.vectorize(Fraction, otypes=[object])(array.astype('f8'))
        want = float((weights * exact).sum() / Fraction(int(weights.sum())))
        engine = session.turn(engines, number)
        given = ','.join('%d:%d' % (at, at + s) for at, s in zip(first, side))
        got = report(session, engine, ['areasum', '-b', given, '-f', 'smooth', '--order', str(order),
                                       str(path)])
        found = got[0]['results'][0]['smooth'][0] if got else None
        judge(session, 'areasum smooth of %s %s, order %d [%s]' % (kind, shape, order, engine),
              '' if found == want else '%r, not %r' % (found, want))


def doubles(session, engines):
    """f64 of many magnitudes in a larger array: sums as math.fsum has them, variances within their bound."""
    random = np.random.default_rng(64)
    array = random.normal(size=(150, 220)) * 2.0 ** random.integers(-12, 12, (150, 220)) + 1e6
    array[random.random(array.shape) < 0.02] = np.nan
    path = session.inputs / 'doubles.npy'
    np.save(path, np.asfortranarray(array))
    for engine in engines:
        for kind in ('table', 'ripmap'):
            some = list(boxes(random, array.shape))
            got = report(session, engine, [
                'areasum', '--kind', kind, '-f', 'sum,mean,variance,count', str(path)] + [
                    x for box in some for x in ('-b', text(box, array.shape, 1))])
            wrong = []
            # The unit of squares, from that of sums, and the bound of docs/definitions.md.
            unit = got[0]['unit'] * 2.0 ** (62 - math.ceil(math.log2(array.size)) + 1) if got else 0
            for box, row in zip(some, got[0]['results'] if got else []):
                values = array[tuple(slice(*r) for r in box)]
                values = values[np.isfinite(values)]
                total = math.fsum(values)
                if row['sum'] != [total] or row['count'] != [values.size]:
                    wrong.append('sum %r, not %r' % (row['sum'], total))
                if values.size and row['mean'] != [float(sum(map(Fraction, values.tolist())) / values.size)]:
                    wrong.append('mean %r' % row['mean'])
                exact = [Fraction(v) for v in values.tolist()]
                n = max(len(exact), 1)
                variance = float(sum(v * v for v in exact) / n - (sum(exact) / n) ** 2)
                bound = unit * math.sqrt(variance) + unit * unit / 4 + 1e-15 * variance
                if exact and abs(row['variance'][0] - variance) > bound:
                    wrong.append('variance %r, not %r' % (row['variance'], variance))
            judge(session, 'areasum of f64 by a %s [%s]' % (kind, engine), ', '.join(wrong[:3]))
