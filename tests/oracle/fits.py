"""Second images of other sizes: what the tool makes of them against the blend of an image that is
resized, cut, framed or repeated here."""
import pathlib
import tempfile
from types import SimpleNamespace

import geometry
import judge
import pictures
from registry import ORACLES

FITS = ('stretch', 'none', 'cover', 'contain', 'tile')
BLENDS = ('normal_blend', 'multiply_blend', 'overlay_blend', 'mask', 'dissolve_blend', 'band_mix',
          'alpha_combine')
# First and second image: larger and smaller on each axis, other types, grey, with and without alpha.
PAIRS = (('noise.npy', 'float.npy'), ('photo_float.npy', 'sixteen.npy'), ('photo.npy', 'noise.npy'),
         ('sixteen.npy', 'photo.npy'), ('float.npy', 'grey_alpha.npy'), ('noise.npy', 'one.npy'),
         ('square_float.npy', 'ends.npy'))


def fitted(over, has_alpha, fit, height, width):
    """`over` with the size of the first image."""
    p = SimpleNamespace(width=width, height=height, scale=1, method='bilinear', antialias=1,
                        light='stored', has_alpha=has_alpha, outside='transparent',
                        fit='inside' if fit == 'contain' else fit)
    if fit in ('stretch', 'cover', 'contain'):
        over = geometry.resize(over, p)
    p.outside = 'tile' if fit == 'tile' else 'transparent'
    return geometry.canvas(over, p)


def judge_one(session, name, fit, first, second, engine):
    base, file = session.colors[first], session.images[first]
    over, over_file = session.colors[second], session.images[second]
    has_alpha = over_file.ndim == 3 and over_file.shape[2] in (2, 4)
    expected = ORACLES[name].compute([base, fitted(over, has_alpha, fit, *base.shape[:2])], {},
                                     file.ndim == 3 and file.shape[2] in (2, 4))
    with tempfile.TemporaryDirectory(dir=session.work) as folder:
        out = pathlib.Path(folder) / 'out.npy'
        text = name if fit == 'stretch' else '%s:fit=%s' % (name, fit)
        done = session.tool.call(['run', '--strict', text, str(session.inputs / first), '--input',
                                  'over=%s' % (session.inputs / second), '-o', str(out), '--device',
                                  'vulkan' if engine == 'vulkan' else 'cpu'], engine)
        wrong = done.stderr.strip() if done.returncode else judge.difference(
            pictures.read(out), *expected, 2e-4)
    if wrong:
        session.fail('%s of %s and %s [%s]: %s' % (text, first, second, engine, wrong))
    else:
        session.passed += 1


def check(session, engines, top):
    for number, (first, second) in enumerate(PAIRS):
        judge_one(session, 'alpha_scale_combine', 'stretch', first, second, top)
        for fit in FITS:
            for name in BLENDS:
                judge_one(session, name, fit, first, second, top)
            if 'vulkan' in engines and number < 2:
                judge_one(session, BLENDS[number], fit, first, second, 'vulkan')
