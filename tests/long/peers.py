#!/usr/bin/env python3
"""Compares filters with OpenCV, scikit-image, SciPy and Pillow where these define the same.

usage: peers.py TOOL [WORD]       (WORD: only rows whose name has it)

Every row has the largest difference that was seen and the one that is claimed; exit status 1 when one is
larger. Where the peers are not installed, pip fetches them into an environment beside the tool; what it
cannot fetch is skipped. Rows of another definition are told and not counted.
"""
import importlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

from environment import environment

NEEDED = ['numpy', 'scipy', 'scikit-image', 'pillow', 'opencv-contrib-python-headless']
MODULES = ('numpy', 'scipy', 'skimage', 'PIL', 'cv2')

if not all(importlib.util.find_spec(module) for module in MODULES) and len(sys.argv) > 1:
    PYTHON = environment(sys.executable, pathlib.Path(sys.argv[1]).resolve().parent / 'peers-venv', NEEDED)
    if PYTHON and pathlib.Path(sys.prefix).resolve() != PYTHON.parents[1]:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    print('pip cannot fetch all of ' + ', '.join(NEEDED))
try:
    import numpy as np
except ImportError:
    print('skipped: no NumPy for %s\npeers: 0 passed, 0 failed, 1 skipped' % sys.executable)
    sys.exit()

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'oracle'))
import pictures  # noqa: E402

ROWS = []
OTHER = np.inf  # another definition: the difference is only told
AFFINE = np.array([[0.9, -0.3, 20], [0.25, 1.1, -9], [0, 0, 1]])
PERSPECTIVE = np.array([[0.9, -0.2, 20], [0.15, 1.1, -9], [3e-4, 2e-4, 1]])


def row(name, peer, most, *modules):
    """`most`: the difference claimed, in the unit of the function's result."""
    def register(function):
        ROWS.append((name, peer, most, modules, function))
        return function
    return register


class Tool:
    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)

    def __call__(self, pipeline, image, *others, kind=None):
        names = [str(self.folder / ('%d.npy' % k)) for k in range(len(others) + 1)]
        for name, one in zip(names, (image,) + others):
            np.save(name, one)
        out = str(self.folder / 'out.npy')
        command = [self.path, 'run', '-q', pipeline, names[0], '-o', out, '--device', 'cpu']
        for k, name in enumerate(names[1:]):
            command += ['--input', 'in%d=%s' % (k, name)]
        done = subprocess.run(command + (['--type', kind] if kind else []), capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        return np.load(out)


def photo(name='coffee', size=(150, 201)):
    return np.ascontiguousarray(pictures.read_png(pictures.IMAGES / (name + '.png'), size[0])[:, :size[1]])


def floats(*size):
    return (photo(size=size or (150, 201)) / 255).astype(np.float32)


def grey(*size):
    image = photo('coins', size or (150, 201))
    return image[..., 0] if image.ndim == 3 else image


def away(a, b):
    return float(np.abs(np.asarray(a, float) - np.asarray(b, float)).max())


def inner(a, edge):
    return a[edge:-edge, edge:-edge]


for _scale in (0.5, 2, 0.37, 1.7):
    def _resized(tool, cv2, way, text, scale=_scale):
        image = floats()
        ours = tool('resize:scale=%g:%s' % (scale, text), image)
        return away(ours, cv2.resize(image, ours.shape[1::-1], interpolation=way(cv2)))

    row('resize %g bilinear' % _scale, 'cv2.resize INTER_LINEAR', 1e-6, 'cv2')(
        lambda tool, cv2, f=_resized: f(tool, cv2, lambda m: m.INTER_LINEAR, 'method=bilinear:antialias=no'))
    if _scale < 1:
        row('resize %g area' % _scale, 'cv2.resize INTER_AREA', 1e-6, 'cv2')(
            lambda tool, cv2, f=_resized: f(tool, cv2, lambda m: m.INTER_AREA, 'method=area'))

for _method in ('BILINEAR', 'BICUBIC', 'LANCZOS'):
    @row('resize 0.37 %s' % _method.lower(), 'PIL.Image.resize', 1e-6, 'PIL.Image')
    def _pillow(tool, pil, method=_method):
        image = floats()[..., 0]
        ours = tool('resize:scale=0.37:method=' + {'LANCZOS': 'lanczos3'}.get(method, method.lower()), image)
        return away(ours, pil.fromarray(image).resize(ours.shape[::-1], getattr(pil.Resampling, method)))


def matrix_text(m):
    """Ours has pixel centres at halves, the others at whole numbers."""
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    return ','.join(repr(float(v)) for v in (half @ m @ np.linalg.inv(half)).ravel())


for _name, _matrix in (('affine', AFFINE), ('perspective', PERSPECTIVE)):
    @row('transform, ' + _name, 'skimage.transform.warp, order 1', 2e-4, 'skimage.transform')
    def _warped(tool, transform, m=_matrix):
        image = floats()
        ours = tool('transform:border=replicate:matrix=' + matrix_text(m), image)
        theirs = transform.warp(image.astype(float), np.linalg.inv(m), order=1, mode='edge')
        return away(ours, theirs)


def products(image, ndimage):
    dx, dy = (ndimage.prewitt(image.astype(float), axis, mode='nearest') for axis in (1, 0))
    a, b, c = (ndimage.gaussian_filter(v, 2, mode='nearest', radius=6) for v in (dx * dx, dy * dy, dx * dy))
    return a, b, c


@row('Harris, measure', 'SciPy: prewitt, gaussian_filter', 2e-5, 'scipy.ndimage')
def harris(tool, ndimage):
    image = floats()[..., 1]
    a, b, c = products(image, ndimage)
    ours = tool('xy_derivative:offset=0 | map_channel:alpha=one | gaussian_blur:sigma=2 | corner_response',
                image, kind='f32')
    return away(ours[..., 0] if ours.ndim == 3 else ours, 5 * (a * b - c * c - 0.04 * (a + b) ** 2))


@row('Harris, corners that only one has', 'skimage.feature.peak_local_max', 0, 'scipy.ndimage',
     'skimage.feature')
def harris_peaks(tool, ndimage, feature):
    image = floats()[..., 1]
    a, b, c = products(image, ndimage)
    measure = 5 * (a * b - c * c - 0.04 * (a + b) ** 2)
    theirs = feature.peak_local_max(measure, min_distance=1, threshold_abs=0.005, exclude_border=False)
    ours = np.argwhere(tool('harris_corner_detection:threshold=0.005', image) > 0)
    inside = [{tuple(p[:2]) for p in points if 0 < p[0] < 149 and 0 < p[1] < 200}
              for points in (ours, theirs)]
    assert len(inside[0]) > 10
    return len(inside[0] ^ inside[1])


@row('Hough, share of votes elsewhere', 'skimage.transform.hough_line', 0.005, 'skimage.transform')
def hough(tool, transform):
    edges = tool('canny_edge_detection', grey())
    ours = tool('hough_transform', edges) * max(edges.shape)
    votes, _, _ = transform.hough_line(edges > 0, theta=np.arange(180) * np.pi / 180)
    cut = (votes.shape[0] - ours.shape[0]) // 2
    theirs = votes[cut:cut + ours.shape[0]] if cut >= 0 else np.pad(votes, ((-cut, -cut), (0, 0)))
    return np.abs(ours - theirs).sum() / 2 / votes.sum()


for _radius in (1, 2, 10):
    @row('median, radius %d' % _radius, 'cv2.medianBlur', 0, 'cv2')
    def _median(tool, cv2, radius=_radius):
        return away(tool('median:radius=%d' % radius, photo()), cv2.medianBlur(photo(), 2 * radius + 1))

    @row('median of floats, radius %d' % _radius, 'scipy.ndimage.median_filter', 0, 'scipy.ndimage')
    def _ranked(tool, ndimage, radius=_radius):
        image = floats(60, 71)[..., 0]
        return away(tool('median:radius=%d' % radius, image),
                    ndimage.median_filter(image, 2 * radius + 1, mode='nearest'))


@row('guided filter, within the edge', 'cv2.ximgproc.guidedFilter', 1e-3, 'cv2', 'cv2.ximgproc')
def guided(tool, cv2, ximgproc):
    """OpenCV's determinants of colours of 0..1 vanish: it gets those of 0..255."""
    guide, mask = floats(), (grey() > 107).astype(np.float32)
    ours = tool('alpha_combine:over=#in0 | guided_filter:radius=4:eps=0.001:scale=1', guide, mask)[..., 3]
    theirs = np.clip(ximgproc.guidedFilter(guide * 255, mask, 4, 0.001 * 255 ** 2), 0, 1)
    return away(inner(ours, 9), inner(theirs, 9))


@row('unsharp mask', 'SciPy: gaussian_filter', 1e-5, 'scipy.ndimage')
def unsharp(tool, ndimage):
    image = floats()
    soft = ndimage.gaussian_filter(image.astype(float), (3, 3, 0), mode='nearest', radius=(9, 9, 0))
    return away(tool('unsharp_mask:sigma=3:intensity=1.7', image), image * 1.7 - 0.7 * soft)


@row('unsharp mask, wider taps', 'skimage.filters.unsharp_mask', 0.01, 'skimage.filters')
def unsharp_skimage(tool, filters):
    image = floats()
    theirs = filters.unsharp_mask(image, radius=3, amount=0.7, channel_axis=2)
    ours = np.clip(tool('unsharp_mask:sigma=3:intensity=1.7', image), 0, 1)
    return away(inner(ours, 12), inner(theirs, 12))


for _connectivity in (4, 8):
    @row('components, connectivity %d' % _connectivity, 'scipy.ndimage.label', 0, 'scipy.ndimage')
    def _labels(tool, ndimage, connectivity=_connectivity):
        image = (grey() > 107).astype(np.uint8) * 255
        theirs, _ = ndimage.label(image, np.ones((3, 3)) if connectivity == 8 else None)
        return away(tool('label:connectivity=%d' % connectivity, image), theirs)


@row('Poisson blend, mean in levels', 'cv2.seamlessClone', OTHER, 'cv2')
def poisson(tool, cv2):
    """OpenCV solves the whole box around the mask, with the base's gradients outside of the mask and three
    pixels inside of its edge: another definition. tests/oracle/poisson.py has the exact solution of ours."""
    base, over = photo('astronaut', (150, 160)), photo('chelsea', (150, 160))
    mask = np.zeros((150, 160), np.uint8)
    mask[30:121, 40:121] = 255
    theirs = cv2.seamlessClone(over, base, mask, (80, 75), cv2.NORMAL_CLONE)
    inside = np.zeros_like(mask)
    inside[31:120, 41:120] = 255
    ours = tool('poisson_blend', base, np.dstack([over, inside]))[..., :3]
    return np.abs(ours.astype(int) - theirs)[31:120, 41:120].mean()


def main(arguments):
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, peer, most, modules, function in ROWS:
            if len(arguments) > 2 and arguments[2] not in name:
                continue
            try:
                loaded = [importlib.import_module(m) for m in modules]
            except ImportError as error:
                print('skipped: %s: %s' % (name, error))
                skipped += 1
                continue
            seen = function(Tool(arguments[1], folder), *loaded)
            if most == OTHER:
                print('other  %-38s %-36s %8.2g' % (name, peer, seen))
                continue
            passed, failed = passed + (seen <= most), failed + (not seen <= most)
            verdict = 'ok    ' if seen <= most else 'FAILED'
            print('%s %-38s %-36s %8.2g, at most %g' % (verdict, name, peer, seen, most))
    print('peers: %d passed, %d failed, %d skipped' % (passed, failed, skipped))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
