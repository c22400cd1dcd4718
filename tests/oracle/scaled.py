"""--scale of the measuring commands: figures of the image that the second implementation of resize makes,
and the same figures as those of the file that `run resize` writes."""
import numpy as np

import pictures
from measures import judge, measurement, report
from registry import ORACLES


@measurement('scale')
def check(session, engines):
    for name in ('photo.npy', 'float.npy', 'grey.npy', 'sixteen.npy'):
        image = session.images[name]
        top, left = image.shape[0] // 5, image.shape[1] // 7
        part = image[top:, left:][:(image.shape[0] + 1) // 2, :image.shape[1] // 2]
        file = session.inputs / ('part_%s' % name)
        pictures.write(file, np.ascontiguousarray(part))
        region = '%dx%d+%d+%d' % (part.shape[1], part.shape[0], left, top)
        for method in ('area', 'bilinear'):
            for factor in (0.5, 0.23):
                given = dict(scale=factor, method=method)
                want, _, _ = ORACLES['resize'].compute([pictures.to_color(part)], given,
                                                       part.ndim == 3 and part.shape[2] in (2, 4),
                                                       part.dtype.name)
                for engine in engines:
                    judge_one(session, engine, name, region, file, factor, method, want)


def judge_one(session, engine, name, region, file, factor, method, want):
    out = session.work / 'scaled.npy'
    what = 'stats --scale %g --resample %s of %s [%s]' % (factor, method, name, engine)
    got = report(session, engine, ['stats', '--scale', str(factor), '--resample', method,
                                   '--region', region, str(session.inputs / name)])
    done = session.tool.call(['run', 'resize:scale=%g:method=%s' % (factor, method), str(file),
                              '-o', str(out), '--device', 'cpu'])
    if not got or done.returncode:
        judge(session, what, done.stderr.strip() or 'no report')
        return
    theirs = report(session, engine, ['stats', str(out)])[0]['channels']
    mine = got[0]['channels']
    judge(session, what, '' if mine == theirs else 'other figures than those of the file')
    image = np.load(out)
    high = pictures.MAX.get(image.dtype.name, 1)
    for k, channel in enumerate(mine):
        plane = want[..., k] * high
        slack = 0.51 + 1e-6 * high if high > 1 else 2e-5 * (1 + np.abs(plane).max())
        wrong = max(abs(channel['mean'] - plane.mean()), abs(channel['max'] - plane.max())) > slack
        judge(session, what, 'mean %g and max %g, not %g and %g' % (
            channel['mean'], channel['max'], plane.mean(), plane.max()) if wrong else '')
