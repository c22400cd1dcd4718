"""Levels of multi-Otsu against dynamic programming in exact fractions, and scikit-image's where it is
installed."""
from fractions import Fraction

import numpy as np

import thresholds
from measures import judge, measurement, report
import pictures

try:
    import skimage.filters
except ImportError:
    skimage = None

SLOW = 5  # scikit-image tries every way to cut: beyond five classes it takes minutes


def grey(session, name):
    image = session.images[name]
    return image if image.ndim == 2 else image[..., 1]


def images(session):
    """Grey pictures: of few values, of many, and of values that most bins do not have."""
    random = np.random.default_rng(41)
    humps = random.normal(random.integers(1, 8, (60, 80)) * 30, 6)
    yield 'few', grey(session, 'photo.npy') // 6
    yield 'humps', np.clip(humps, 0, 255).astype(np.uint8) // 2
    yield 'ends', random.choice(np.array([0, 1, 7, 100, 101, 180, 200, 254, 255], np.uint8), (9, 31))


def total(counts, levels):
    """The sum of S^2 / n of the classes."""
    ends = [0] + [int(v) + 1 for v in levels] + [len(counts)]
    sums = [(sum(i * counts[i] for i in range(a, b)), sum(counts[a:b])) for a, b in zip(ends, ends[1:])]
    return sum(Fraction(s * s, n) if n else -10 ** 30 for s, n in sums)


@measurement('multi-otsu')
def check(session, engines):
    for name, image in images(session):
        file = session.inputs / ('levels_%s.npy' % name)
        pictures.write(file, image)
        counts = [int(v) for v in np.bincount(image.ravel(), minlength=256)]
        for classes in range(2, 9):
            want = thresholds.multi_otsu(counts, classes)
            for engine in engines:
                out = session.work / 'classes.npy'
                got = report(session, engine, ['threshold', '--method', 'multi-otsu:%d' % classes,
                                               str(file), '-o', str(out)])
                if not got:
                    continue
                what = 'multi-otsu, %s in %d classes [%s]' % (name, classes, engine)
                judge(session, what, '' if got[0]['levels'] == want else
                      'levels %s, not %s' % (got[0]['levels'], want))
                shades = np.searchsorted(want, image, 'left') * 255 // (classes - 1)
                judge(session, what, '' if np.array_equal(np.load(out), shades) else
                      'the image of classes differs')
            if skimage and classes <= SLOW:
                theirs = skimage.filters.threshold_multiotsu(image, classes)
                same = list(theirs) == want or total(counts, want) > total(counts, theirs)
                judge(session, 'multi-otsu, %s in %d classes' % (name, classes), '' if same else
                      'levels %s, of scikit-image %s' % (want, theirs))
    if not skimage:
        session.skip('multi-otsu is not compared with scikit-image: it is not installed')
