"""Area sums beyond plain boxes: shapes, smooth windows, moments, further figures; against NumPy."""

import numpy as np
import pytest

import lumagraph as lg


def picture(shape=(40, 50), dtype="uint8", seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape).astype(dtype)


def boxes(shape, count=20, seed=1):
    rng = np.random.default_rng(seed)
    start = np.stack([rng.integers(0, n, count) for n in shape], 1)
    end = np.stack([rng.integers(start[:, i] + 1, n + 1) for i, n in enumerate(shape)], 1)
    return start, end


def parts_of(array, start, end):
    return [array[tuple(slice(a, b) for a, b in zip(*box))] for box in zip(start, end)]


# ---- figures of boxes -------------------------------------------------------------------------------


@pytest.mark.parametrize("ripmap", [False, True])
def test_further_figures(ripmap):
    array = picture((30, 41), "uint16")
    make = lg.Ripmap if ripmap else lg.integral_image
    sums = make(array, above=99.5)
    start, end = boxes(array.shape)
    parts = parts_of(array, start, end)
    exact = sums.query("exact_sum", start, end)
    assert exact.dtype == np.int64 and list(exact) == [int(p.sum()) for p in parts]
    assert list(sums.query("count_above", start, end)) == [(p > 99.5).sum() for p in parts]
    shares = [p.sum() / array.sum() for p in parts]
    assert np.allclose(sums.query("probability", start, end), shares, rtol=1e-15)
    with pytest.raises(lg.UnsupportedError):
        lg.integral_image(array.astype(np.float32)).query("exact_sum", start, end)
    with pytest.raises(lg.ArgumentError, match="counts_above"):
        make(array).query("count_above", start, end)


def test_plain_sums_and_limits_of_memory():
    array = np.random.default_rng(3).random((60, 70), np.float32)
    plain, exact = lg.integral_image(array, plain=True), lg.integral_image(array)
    start, end = boxes(array.shape)
    assert plain.unit == 0 and plain.nbytes < exact.nbytes
    assert np.allclose(plain.sum(start, end), exact.sum(start, end), atol=1e-2)
    with pytest.raises(lg.LimitError):
        lg.integral_image(array, memory_limit=1000)


def test_updates():
    first, second = picture((20, 30, 2)), picture((20, 30, 2), seed=5)
    sums = lg.integral_image(first, channel_axis=-1)
    assert sums.update(second) is sums
    assert np.array_equal(sums.sum((2, 3), (9, 30)), second[2:9, 3:30].sum((0, 1)))
    with pytest.raises(lg.ArgumentError):
        sums.update(second[1:])


# ---- shapes -----------------------------------------------------------------------------------------


def inside(ring, shape):
    """Even-odd by crossings, of pixel centres: left and upper edges belong to the polygon."""
    rows, columns = np.mgrid[: shape[0], : shape[1]] + 0.5
    found = np.zeros(shape, bool)
    for (r0, c0), (r1, c1) in zip(ring, np.roll(ring, -1, 0)):
        crosses = (r0 <= rows) != (r1 <= rows)
        with np.errstate(all="ignore"):
            at = c0 + (rows - r0) * (c1 - c0) / (r1 - r0)
        found ^= crosses & (columns >= at)
    return found


def test_polygons():
    array = picture((60, 70))
    sums = lg.integral_image(array, squares=True)
    for seed in range(5):
        ring = np.random.default_rng(seed).random((7, 2)) * (70, 80) - 5
        mask = inside(ring, array.shape)
        assert sums.query_polygon("sum", ring) == array[mask].sum()
        assert sums.query_polygon("mean", list(map(tuple, ring))) == pytest.approx(array[mask].mean(), 1e-15)
        assert sums.query_mask("variance", mask) == pytest.approx(array[mask].var(), 1e-12)
        found = np.zeros(array.shape, bool)
        for box in zip(*lg.polygon_boxes(ring, array.shape)):
            found[tuple(slice(a, b) for a, b in zip(*box))] = True
        assert np.array_equal(found, mask)
        start, end = lg.mask_boxes(mask)
        assert sums.sum(start, end).sum() == array[mask].sum() and (end - start)[:, 0].max() == 1


def test_polygons_with_holes_windings_channels_and_layers():
    outer = np.array([(2, 2), (2, 30), (30, 30), (30, 2)])
    hole = np.array([(10, 10), (10, 20), (20, 20), (20, 10)])
    array = picture((40, 50, 3))
    sums = lg.integral_image(array, channel_axis=-1)
    whole, inner = array[2:30, 2:30].sum((0, 1)), array[10:20, 10:20].sum((0, 1))
    assert np.array_equal(sums.query_polygon("sum", [outer, hole]), whole - inner)
    assert np.array_equal(sums.query_polygon("sum", [outer, hole], winding="non-zero"), whole)
    volume = picture((6, 40, 50))
    sums = lg.integral_image(volume)
    assert sums.query_polygon("sum", hole, layers=(2, 5)) == volume[2:5, 10:20, 10:20].sum()
    mask = volume[0] > 128
    assert sums.query_mask("sum", mask, layers=(0, 6)) == volume[:, mask].sum()
    assert sums.query_mask("sum", mask * 0.5, layers=(0, 1)) == volume[0, mask].sum()


def test_turned_rectangles():
    array = picture((60, 70))
    sums = lg.integral_image(array)
    value, cover = sums.query_rectangle("sum", (30, 35), (20, 40))
    assert value == array[20:40, 15:55].sum() and cover == (cover.boxes, 800, 0, 0)
    value, cover = sums.query_rectangle("count", (30, 35), (20, 40), 30, most=200)
    turn = np.deg2rad(30)
    along, across = np.array((np.sin(turn), np.cos(turn))), np.array((np.cos(turn), -np.sin(turn)))
    ring = [np.array((30, 35)) + a * 20 * along + b * 10 * across
            for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
    assert value == inside(np.array(ring), array.shape).sum() == cover.pixels
    start, end, few = lg.rectangle_boxes((30, 35), (20, 40), 30, array.shape, most=6)
    assert len(start) == few.boxes <= 6 and few.missing + few.extra > 0
    assert np.prod(end - start, 1).sum() == few.pixels - few.missing + few.extra


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda s: s.query_polygon("sum", [(1, 2), (3, 4)]), lg.ArgumentError, "at least 3"),
        (lambda s: s.query_polygon("sum", []), lg.ArgumentError, "ring"),
        (lambda s: s.query_polygon("sum", [[(1, 2, 3)]]), ValueError, "columns"),
        (lambda s: s.query_polygon("sum", [(1, 2), (3, 4), (5, np.nan)]), lg.ArgumentError, "finite"),
        (lambda s: s.query_polygon("p50", [(1, 2), (3, 4), (5, 1)]), ValueError, "no figure 'p50'"),
        (lambda s: s.query_polygon("sum", [(1, 2), (3, 4), (5, 1)], winding="x"), ValueError, "even-odd"),
        (lambda s: s.query_mask("sum", np.ones((3, 3))), lg.ArgumentError, "mask"),
        (lambda s: s.query_mask("sum", np.ones((40, 50)), layers=(0, 1)), lg.ArgumentError, "dimension"),
        (lambda s: s.query_rectangle("sum", (5, 5), (0, 4)), lg.ArgumentError, "rectangle"),
        (lambda s: s.query_rectangle("sum", (5, 5), (4, 4), most=0), lg.ArgumentError, "0"),
        (lambda s: s.query("min", (0, 0), (1, 1)), lg.ArgumentError, "extremes"),
    ],
)
def test_shapes_that_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call(lg.integral_image(picture()))


# ---- smooth windows, moments ------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_smooth_windows(order):
    array = picture((25, 30), "uint16")
    sums = lg.SmoothSums(array, order, 9)
    assert sums.unit == 1
    for row, column, height, width in ((12, 15, 5, 7), (0, 29, 9, 3), (3, 2, 1, 9)):
        window = np.ones((1, 1))
        for side, axis in ((height, 0), (width, 1)):
            line = np.ones(1)
            for _ in range(order):
                line = np.convolve(line, np.ones(side))
            window = window * (line[:, None] if axis == 0 else line)
        tall, wide = window.shape[0] // 2, window.shape[1] // 2
        around = np.pad(array.astype(float), ((tall, tall), (wide, wide)))
        counts = np.pad(np.ones(array.shape), ((tall, tall), (wide, wide)))
        at = slice(row, row + 2 * tall + 1), slice(column, column + 2 * wide + 1)
        wanted = (around[at] * window).sum() / (counts[at] * window).sum()
        # A box may reach outside; its centre may not.
        start = np.array([row - height // 2, column - width // 2])
        if start.min() >= 0:
            assert sums.mean(start, start + (height, width)) == pytest.approx(wanted, 1e-12)
    with pytest.raises(lg.ArgumentError):
        sums.mean((0, 0), (2, 3))
    with pytest.raises(ValueError, match="order"):
        lg.SmoothSums(array, 0)


@pytest.mark.parametrize("channels", [False, True])
def test_moments_of_boxes(channels):
    array = picture((20, 30, 2) if channels else (20, 30))
    moments = lg.BoxMoments(array, channel_axis=-1 if channels else None)
    start, end = (3, 4), (15, 27)
    table = moments.query(start, end)
    part = array[3:15, 4:27].astype(float).reshape(12, 23, -1)
    y, x = (a[..., None] for a in np.mgrid[3:15, 4:27])
    total = part.sum((0, 1))
    wanted = {"sum": total, "x": (part * x).sum((0, 1)), "xy": (part * x * y).sum((0, 1)),
              "yy": (part * y * y).sum((0, 1)), "mean_y": (part * y).sum((0, 1)) / total}
    for name, column in wanted.items():
        assert np.allclose(table[name], column if channels else column[0], rtol=1e-15), name
    covariance = (part * (x - wanted["x"] / total) * (y - wanted["mean_y"])).sum((0, 1)) / total
    assert np.allclose(table["covariance"], covariance if channels else covariance[0], rtol=1e-9)
    many = moments.query([start, (0, 0)], [end, (1, 1)])
    assert many["sum"].shape == ((2, 2) if channels else (2,))
    with pytest.raises(lg.UnsupportedError):
        lg.BoxMoments(array.astype(np.float32), channel_axis=-1 if channels else None)


# ---- states of boxes, points ------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 3])
def test_states_of_boxes(channels):
    import pickle

    image = picture((40, 50, 3))[..., :channels] if channels > 1 else picture()
    start, end = boxes((40, 50), 6)
    one, two = (lg.State.boxes((40, 50), "uint8", start, end, channels=channels) for _ in range(2))
    axis = -1 if channels > 1 else None
    one.add(image[:17], channel_axis=axis)
    two.add(image[17:, :20], 17, 0, channel_axis=axis).add(image[17:, 20:], 17, 20, channel_axis=axis)
    one |= pickle.loads(pickle.dumps(two))
    again = lg.State.from_bytes(one.to_bytes(), kind="boxes", channels=channels, boxes=6)
    for state in (one, one.copy(), again):
        figures = state.finish()
        for i, part in enumerate(parts_of(image, start, end)):
            assert np.array_equal(figures.mean[i], part.mean((0, 1)))
            assert np.array_equal(figures.max[i], part.max((0, 1)))
    assert figures.mean.shape == ((6,) if channels == 1 else (6, 3)) and len(figures.table()["mean"]) > 0
    with pytest.raises(lg.ArgumentError, match="box"):
        lg.State.boxes((40, 50), "uint8", [(0, 0)], [(41, 5)])
    with pytest.raises(ValueError, match="2 columns"):
        lg.State.boxes((40, 50), "uint8", (0, 0), (1, 1))
    with pytest.raises(TypeError, match="same kind"):
        one.merge(lg.State.moments((40, 50), "uint8"))


def test_points():
    image = np.zeros((20, 30), np.uint8)
    image[3, 4], image[17, 29], image[5, 5] = 100, 255, 100
    table = lg.points(image)
    assert list(table) == ["row", "column", "strength"]
    assert list(zip(table["row"], table["column"])) == [(17, 29), (3, 4), (5, 5)]
    assert table["strength"][0] == 1 and len(lg.points(image, most=1)["row"]) == 1
    assert list(lg.points(np.stack([image, image]), layer_axis=0)["layer"]) == [0, 1, 0, 0, 1, 1]
    assert list(lg.points(image, region=(4, 0, 10, 10))["column"]) == [4, 5]
    assert len(lg.points(image * 0)["row"]) == 0 and len(lg.points(image, image > 200)["row"]) == 1
    corners = lg.points(lg.filters.harris_corner_detection(picture((60, 60))))
    assert len(corners["row"]) > 0 and (np.diff(corners["strength"]) <= 0).all()
