"""Poisson blends of photographs against the exact solution, by conjugate gradients in doubles."""
import numpy as np

import pictures
from measures import judge, measurement

MOST = 1 / 255  # that a result may be off


def solved(base, over, inside):
    """Inside, the mean of the neighbours in the image less the pixel is that of `over`."""
    if inside.all():
        return over + (base - over).mean(axis=(0, 1))
    inside = inside[..., None]

    def equations(w):
        """The sum of the neighbours' differences, negative, where an equation holds."""
        out = np.zeros_like(w)
        down, right = np.diff(w, axis=0), np.diff(w, axis=1)
        out[:-1] -= down
        out[1:] += down
        out[:, :-1] -= right
        out[:, 1:] += right
        return np.where(inside, out, 0)

    outside = np.where(inside, 0, base - over)
    w, rest = np.zeros_like(outside), -equations(outside)
    way, size = rest, (rest ** 2).sum(axis=(0, 1))
    for _ in range(20000):
        if size.max() < 1e-22:
            break
        turned = equations(way)
        length = size / np.maximum((way * turned).sum(axis=(0, 1)), 1e-300)
        w, rest = w + length * way, rest - length * turned
        last, size = size, (rest ** 2).sum(axis=(0, 1))
        way = rest + size / np.maximum(last, 1e-300) * way
    return np.where(inside, over + w, base)


def masks(h, w):
    """Name -> where the equations hold."""
    random = np.random.default_rng(11)
    y, x = np.mgrid[0:h, 0:w]
    out = {'disc': (x - w / 2) ** 2 + (y - h / 2) ** 2 < (0.4 * min(h, w)) ** 2,
           'half': x < w / 2, 'lines': (y % 4 == 1) | (x % 8 == 3), 'islands': (y // 5 + x // 5) % 2 == 0,
           'comb': (y % 2 == 1) | (x == w - 1), 'rooms': (y % 8 > 0) | (x == y * 5 % w),
           'walls': (x + y) % 16 != 5, 'pin': (x != w // 2) | (y != h // 2), 'corner': x + y > 0,
           'pins': random.random((h, w)) > 0.002, 'all': x >= 0}
    for share in (0.5, 0.6, 0.8):
        out['random %g' % share] = random.random((h, w)) < share
    return out


@measurement('poisson')
def check(session, engines):
    """Sizes that halve badly, masks with holes, lines of a pixel, islands and single pixels left out."""
    base = pictures.read_png(pictures.IMAGES / 'astronaut.png', 257)
    over = pictures.read_png(pictures.IMAGES / 'chelsea.png', 257)
    files = [session.inputs / name for name in ('under.npy', 'laid.npy')]
    target = session.work / 'blended.npy'
    top = [e for e in engines if e != 'vulkan'][-1]
    for turn, (w, h) in enumerate(((211, 1), (1, 90), (3, 5), (2, 2), (129, 257), (200, 70))):
        b = (base[:h, 100:100 + w] / 255).astype(np.float32)
        for number, (name, inside) in enumerate(masks(h, w).items()):
            if session.short and (turn + number) % 3 != 1:
                continue
            o = np.dstack([over[:h, 50:50 + w] / 255, inside]).astype(np.float32)
            want = solved(b.astype(float), o[..., :3].astype(float), inside)
            for file, image in zip(files, (b, o)):
                pictures.write(file, image)
            for engine in engines if name == 'disc' else [top]:  # all have the same bits
                done = session.tool.call(['run', 'poisson_blend', str(files[0]), '-i', 'over=%s' % files[1],
                                          '-o', str(target), '--device',
                                          'vulkan' if engine == 'vulkan' else 'cpu'], engine)
                wrong = done.stderr if done.returncode else ''
                if not wrong:
                    off = np.abs(pictures.read(target) - want).max()
                    wrong = 'off by %.2g' % off if off > MOST else ''
                judge(session, 'poisson_blend %d x %d %s [%s]' % (w, h, name, engine), wrong)
