"""Components and their figures: the table and the labels of the tool against a flood fill and plain
formulas here, and against OpenCV and scikit-image where they are installed."""
import json
import math

import numpy as np

import pictures

try:
    import cv2
except ImportError:
    cv2 = None
try:
    import skimage.measure
except ImportError:
    skimage = None

STEPS = {4: [(0, 1), (0, -1), (1, 0), (-1, 0)]}
STEPS[8] = STEPS[4] + [(1, 1), (1, -1), (-1, 1), (-1, -1)]
# Relative to the larger of 1 and the figure. The smaller eigenvalue of something thin is a small
# difference in the computations here, and a quotient of exact integers in the tool.
BOUND, THIN_BOUND = 1e-9, 1e-6
THIN = ('minor_axis', 'axis_minor_length', 'eccentricity')


def flood(image, connectivity):
    """Labels in raster order of first pixels; equal values join."""
    labels = np.zeros(image.shape, np.int64)
    count = 0
    for y, x in zip(*np.nonzero(image)):
        if labels[y, x]:
            continue
        count += 1
        labels[y, x] = count
        todo = [(y, x)]
        while todo:
            v, u = todo.pop()
            for dy, dx in STEPS[connectivity]:
                a, b = v + dy, u + dx
                if (0 <= a < image.shape[0] and 0 <= b < image.shape[1] and not labels[a, b]
                        and image[a, b] == image[v, u]):
                    labels[a, b] = count
                    todo.append((a, b))
    return labels, count


def holes_of(mask, connectivity):
    background, count = flood(np.pad(~mask, 1, constant_values=True).astype(np.uint8),
                              12 - connectivity)
    return count - 1


def perimeter(mask):
    """Benkrid and Crookes: border pixels by how the border goes on around them."""
    padded = np.pad(mask, 2)
    inner = padded.copy()
    for dy, dx in STEPS[4]:
        inner &= np.roll(padded, (dy, dx), (0, 1))
    border = padded & ~inner
    total = 0
    for y, x in zip(*np.nonzero(border)):
        straight = sum(int(border[y + dy, x + dx]) for dy, dx in STEPS[4])
        corner = sum(int(border[y + dy, x + dx]) for dy, dx in STEPS[8][4:])
        if straight in (2, 3) and corner <= 2:
            total += 1
        elif (straight, corner) in ((0, 2), (1, 3)):
            total += math.sqrt(2)
        elif (straight, corner) in ((1, 1), (1, 2)):
            total += (1 + math.sqrt(2)) / 2
    return total


def crofton(mask):
    padded = np.pad(mask, 1).astype(int)
    total = 0
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        crossings = np.abs(padded - np.roll(padded, (dy, dx), (0, 1))).sum()
        total += crossings / 2 / math.hypot(dy, dx)
    return math.pi / 4 * total


def figures(mask, label, connectivity, values):
    ys, xs = np.nonzero(mask)
    n = len(ys)
    box = mask[ys.min():ys.max() + 1, xs.min():xs.max() + 1]
    cov = np.cov(np.stack([ys, xs]), bias=True) if n > 1 else np.zeros((2, 2))
    large = np.linalg.eigvalsh(cov).clip(0)
    v = values[mask].astype(float)
    around = perimeter(mask)
    pieces = flood(mask.astype(np.uint8), connectivity)[1]
    out = dict(
        label=label, area=n, x=xs.min(), y=ys.min(), width=box.shape[1], height=box.shape[0],
        cx=xs.mean(), cy=ys.mean(), extent=n / box.size, equivalent_diameter=2 * math.sqrt(n / math.pi),
        edge=int(ys.min() == 0 or xs.min() == 0 or ys.max() == mask.shape[0] - 1
                 or xs.max() == mask.shape[1] - 1),
        major_axis=4 * math.sqrt(large[1]), minor_axis=4 * math.sqrt(large[0]),
        perimeter=around, crofton_perimeter=crofton(box),
        circularity=4 * math.pi * n / around ** 2 if around else None,
        euler_number=pieces - holes_of(mask, connectivity),
        sum=v.sum(), mean=v.mean(), min=v.min(), max=v.max(), variance=v.var(), stddev=v.std(),
        stddev_sample=v.std(ddof=1) if n > 1 else None,
        mx=(xs * v).sum() / v.sum() if v.sum() else None,
        my=(ys * v).sum() / v.sum() if v.sum() else None)
    if large[1] > 0 and large[1] - large[0] > 1e-6 * large[1]:
        out['eccentricity'] = math.sqrt(1 - large[0] / large[1])
        turn = math.atan2(2 * cov[0, 1], cov[0, 0] - cov[1, 1]) / 2
        if abs(turn) < 1.57:
            out['orientation'] = turn
    return out


def images():
    """Pictures with thin, round and ragged components, holes and all edges."""
    random = np.random.default_rng(8)
    ys, xs = np.mgrid[:36, :52]
    blobs = np.sin(xs / 5.) * np.cos(ys / 4. + xs / 17.) + random.normal(0, 0.15, xs.shape) > 0.3
    noise = random.random((23, 37)) < 0.45
    rings = (np.hypot(ys - 17, xs - 20).astype(int) // 3 % 2 == 0) & (xs < 45)
    lines = (xs == 3) | (ys == xs - 10) | (ys == 60 - xs) | (ys == 30)
    return {'blobs': blobs, 'noise': noise, 'rings': rings, 'lines': lines,
            'pixel': np.ones((1, 1), bool), 'row': (xs[:1] % 5 > 1)}


def compare(session, what, got, expected):
    """One check for each figure of a table: how many differ, and the first of them."""
    names = sorted(set().union(*expected)) if expected else []
    for name in names:
        wrong, bound = '', THIN_BOUND if name in THIN else BOUND
        for row, want in zip(got, expected):
            if name not in want:
                continue
            have, value = row.get(name, 'missing'), want[name]
            value = None if value is not None and not np.isfinite(value) else value
            if have == 'missing' or (have is None) != (value is None) or (
                    value is not None and abs(have - value) > bound * max(1, abs(value))):
                wrong = wrong or '%s of label %s is %s, not %s' % (name, row.get('label'), have, value)
        if wrong:
            session.fail('label, %s: %s' % (what, wrong))
        else:
            session.passed += 1


def tables(session, name, file, values, connectivity, preset):
    out = session.work / ('labels_%s.npy' % name)
    done = session.tool.call(['label', '--json', '-c', str(connectivity), '--intensity', str(values),
                              str(file), '-o', str(out), '--device', 'cpu'] + preset)
    if done.returncode:
        session.fail('label, %s: %s' % (name, done.stderr.strip()))
        return None, None
    return json.loads(done.stdout)['table'], np.load(out)


def of_skimage(labels, values, connectivity):
    """regionprops_table as rows. It counts the Euler number for 8 neighbours always, and the direction of a
    component that has none hangs on the last bits."""
    wanted = ['label', 'area', 'bbox', 'centroid', 'axis_major_length', 'axis_minor_length', 'extent',
              'equivalent_diameter_area', 'perimeter', 'perimeter_crofton', 'intensity_mean',
              'intensity_min', 'intensity_max']
    wanted += ['euler_number'] if connectivity == 8 else []
    found = skimage.measure.regionprops_table(labels, values, properties=wanted)
    rows = [{key: float(column[i]) for key, column in found.items()} for i in range(len(found['label']))]
    # Where both second moments are the same, some releases (0.19) have the other sign.
    other_sign = skimage.measure.regionprops(np.eye(5, dtype=int))[0].orientation < 0
    for row, part in zip(rows, skimage.measure.regionprops(labels)):
        turn = part.orientation
        if other_sign and abs(turn) == math.pi / 4:
            turn = -turn
        if row['axis_major_length'] > row['axis_minor_length'] + 1e-6 and abs(turn) < 1.57:
            row.update(eccentricity=part.eccentricity, orientation=turn)
    return rows


def of_volume(inside, label, spacing):
    """Figures of the surface: faces of voxels, and lines in 13 directions."""
    padded = np.pad(inside, 1)
    sides = np.array(spacing)[::-1]  # of layers, rows and columns
    faces = [int((np.diff(padded.astype(int), axis=axis) != 0).sum()) for axis in range(3)]
    share, lines = {1: 0.09155578240952, 2: 0.07396125575216, 3: 0.07039127956464}, 0
    for z, y, x in [d for d in np.ndindex(3, 3, 3) if d > (1, 1, 1)]:
        step = np.array((z, y, x)) - 1
        other = np.roll(padded, tuple(-step), (0, 1, 2))
        lines += share[int(abs(step).sum())] * (padded & ~other).sum() / np.sqrt(abs(step).sum())
    n, crofton = int(inside.sum()), 4 * lines
    return dict(label=label, area=n, faces_x=faces[2], faces_y=faces[1], faces_z=faces[0],
                surface_area=sum(faces), crofton_surface_area=crofton,
                sphericity=(36 * math.pi * n * n) ** (1 / 3) / crofton,
                surface_area_um2=sum(f * sides.prod() / side for f, side in zip(faces, sides)))


def check_volumes(session):
    random = np.random.default_rng(10)
    zs, ys, xs = np.mgrid[:9, :19, :26]
    solids = np.sin(xs / 3.) * np.cos(ys / 3.) + np.sin(zs / 2.) + random.normal(0, 0.2, xs.shape) > 0.6
    file, out = session.inputs / 'solids.npy', session.work / 'solids.npy'
    np.save(file, solids.astype(np.uint8) * 200)
    columns = ('label,area,faces_x,faces_y,faces_z,surface_area,crofton_surface_area,sphericity,'
               'surface_area_um2')
    for connectivity in (6, 18, 26):
        what = 'surfaces with %d neighbours' % connectivity
        done = session.tool.call(['label', '--json', '-c', str(connectivity), '--spacing', '2,1,0.5',
                                  '--columns', columns, str(file), '-o', str(out), '--device', 'cpu'])
        if done.returncode:
            session.fail('label, %s: %s' % (what, done.stderr.strip()))
            continue
        labels = np.load(out)
        rows = [of_volume(labels == i + 1, i + 1, (2, 1, 0.5)) for i in range(labels.max())]
        compare(session, what, json.loads(done.stdout)['table'], rows)


def check(session):
    check_volumes(session)
    random = np.random.default_rng(9)
    for name, mask in images().items():
        values = random.integers(0, 256, mask.shape).astype(np.uint8)
        file, weights = session.inputs / ('mask_%s.npy' % name), session.inputs / ('values_%s.npy' % name)
        pictures.write(file, mask.astype(np.uint8) * 200)
        pictures.write(weights, values)
        for connectivity in (4, 8):
            what = '%s with %d neighbours' % (name, connectivity)
            table, got = tables(session, name, file, weights, connectivity, ['--columns', 'all'])
            labels, count = flood(mask.astype(np.uint8), connectivity)
            if table is None:
                continue
            if len(table) == count and np.array_equal(got, labels):
                session.passed += 1
            else:
                session.fail('label, %s: the labels are not those of a flood fill' % what)
                continue
            compare(session, what, table, [figures(labels == i + 1, i + 1, connectivity, values)
                                           for i in range(count)])
            if skimage:
                table, _ = tables(session, name, file, weights, connectivity, ['--preset', 'skimage'])
                compare(session, what + ', scikit-image', table or [],
                        of_skimage(labels, values, connectivity))
            if cv2 is not None:
                table, _ = tables(session, name, file, weights, connectivity, ['--preset', 'opencv'])
                n, there, stats, centers = cv2.connectedComponentsWithStats(
                    mask.astype(np.uint8), connectivity=connectivity)
                order = np.argsort([np.flatnonzero(there == i)[0] if i else -1 for i in range(n)
                                    if i == 0 or (there == i).any()])
                keys = ['CC_STAT_' + key for key in ('LEFT', 'TOP', 'WIDTH', 'HEIGHT', 'AREA')]
                rows = [dict(zip(keys, map(int, stats[i])), centroid_x=centers[i, 0],
                             centroid_y=centers[i, 1]) for i in order]
                compare(session, what + ', OpenCV', (table or [])[int(mask.all()):],
                        rows[int(mask.all()):])
    for module, there in (('OpenCV', cv2), ('scikit-image', skimage)):
        if there is None:
            session.skip('components are not compared with %s: it is not installed' % module)
