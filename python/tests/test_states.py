"""States that are added up tile by tile, and area sums, against one pass and NumPy."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lumagraph as lg


def picture(shape=(40, 50), dtype="uint8", seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return (rng.standard_normal(shape) * 1000).astype(dtype)
    return rng.integers(0, 256, shape).astype(dtype)


@given(st.sampled_from(["uint8", "uint16", "float16", "float32"]), st.integers(1, 3), st.data())
@settings(max_examples=60, deadline=None)
def test_tiles_in_any_order(dtype, many, data):
    array = picture((23, 31), dtype)
    rows = data.draw(st.sets(st.integers(1, 22), max_size=3))
    columns = data.draw(st.sets(st.integers(1, 30), max_size=3))
    ys, xs = [0, *sorted(rows), 23], [0, *sorted(columns), 31]
    tiles = [(y, x, array[y:y2, x:x2]) for y, y2 in zip(ys, ys[1:]) for x, x2 in zip(xs, xs[1:])]
    states = [lg.State.moments(array.shape, dtype) for _ in range(many)]
    for y, x, tile in data.draw(st.permutations(tiles)):
        data.draw(st.sampled_from(states)).add(tile, y, x)
    total = states[0]
    for other in states[1:]:
        total |= pickle.loads(pickle.dumps(other))
    one, all_of_them = lg.stats(array), total.finish()
    for name in ("count", "min", "max", "sum", "mean", "variance", "variance_sample"):
        assert getattr(one, name) == getattr(all_of_them, name)


def test_states_of_channels_layers_and_masks():
    array = picture((3, 20, 30, 3))
    mask = np.random.default_rng(1).random((20, 30)) < 0.5
    state = lg.State.moments((3, 20, 30), "uint8", channels=3)
    for layer in range(3):
        state.add(array[layer, :12], 0, 0, layer, mask=mask[:12])
        state.add(array[layer, 12:], 12, 0, layer, mask=mask[12:])
    assert np.array_equal(
        state.finish().mean, lg.stats(array, mask, channel_axis=-1, layer_axis=0, stack=True).mean
    )
    assert state.finish().channels == ("r", "g", "b")


def test_histograms_of_tiles():
    array = picture()
    state, other = (lg.State.histogram(array.shape, "uint8", range=(0, 200), bins=40) for _ in range(2))
    state.add(array[:10])
    other.add(array[10:], 10)
    both = state | other
    counts, edges = both.finish()
    wanted = lg.histogram(array[array <= 200][None], 40, (0, 200))
    assert counts.sum() == (array <= 200).sum() and len(edges) == 41
    values, _ = lg.State.histogram(array.shape, "uint8").add(array).finish()
    assert np.array_equal(values, np.bincount(array.ravel(), minlength=256))
    assert state.finish()[0].sum() == (array[:10] <= 200).sum(), "| leaves its operands"
    assert wanted[0].sum() == counts.sum()


def test_bytes():
    array = picture()
    state = lg.State.moments(array.shape, "uint8").add(array)
    data = state.to_bytes()
    assert lg.State.from_bytes(data).finish().mean == array.mean()
    for damaged in (b"", data[:-1], data[:20] + bytes([data[20] ^ 1]) + data[21:]):
        with pytest.raises(lg.Error):
            lg.State.from_bytes(damaged)
    with pytest.raises(lg.Error):
        lg.State.from_bytes(data, kind="histogram")
    with pytest.raises(ValueError, match="kind"):
        lg.State.from_bytes(data, kind="moment")


def test_states_that_are_refused():
    state = lg.State.moments((10, 10), "uint8")
    state.add(np.zeros((10, 10), np.uint8))
    with pytest.raises(lg.ArgumentError):
        state.add(np.zeros((10, 10), np.uint8))
    with pytest.raises(lg.ArgumentError):
        lg.State.moments((10, 10), "uint8").add(np.zeros((5, 5), np.float32))
    with pytest.raises(lg.ArgumentError):
        lg.State.moments((10, 10), "uint8").add(np.zeros((5, 5), np.uint8), 8, 0)
    with pytest.raises(lg.ArgumentError):
        state.merge(lg.State.moments((10, 11), "uint8"))
    with pytest.raises(TypeError):
        state.merge(lg.State.histogram((10, 10), "uint8"))
    with pytest.raises(TypeError):
        state | 3
    with pytest.raises(TypeError, match="float64"):
        lg.State.moments((10, 10), "float64")
    with pytest.raises(ValueError):
        lg.State.moments((10,), "uint8")
    with pytest.raises(ValueError, match="channels"):
        lg.State.moments((10, 10), "uint8", channels=5)


# ---- area sums --------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.sampled_from(["uint8", "uint16", "int32", "float64"]),
    st.booleans(),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_sums_of_boxes(shape, dtype, ripmap, data):
    array = np.random.default_rng(1).integers(0, 1000, shape).astype(dtype)
    boxes = []
    for _ in range(3):
        pairs = [sorted(data.draw(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)))) for n in shape]
        boxes.append(([a for a, _ in pairs], [b + 1 for _, b in pairs]))
    start, end = np.array([b[0] for b in boxes]), np.array([b[1] for b in boxes])
    sums = lg.Ripmap(array) if ripmap else lg.integral_image(array)
    parts = [array[tuple(slice(a, b) for a, b in zip(*box))] for box in boxes]
    assert np.array_equal(sums.sum(start, end), [p.sum(dtype=float) for p in parts])
    assert np.allclose(sums.mean(start, end), [p.mean() for p in parts], rtol=1e-14)
    assert np.array_equal(lg.integrate(sums, start, end - 1), sums.sum(start, end))
    assert sums.shape == tuple(shape) and sums.nbytes > 0


def test_integrate_is_that_of_scikit_image():
    transform = pytest.importorskip("skimage.transform")
    array = picture()
    start, end = [(0, 0), (3, 5)], [(39, 49), (3, 5)]
    wanted = transform.integrate(transform.integral_image(array), start, end)
    assert np.array_equal(lg.integrate(lg.integral_image(array), start, end), wanted)


def test_ripmaps_have_extremes_histograms_and_channels():
    array = picture((30, 40, 3))
    ripmap = lg.Ripmap(array, squares=True, extremes=True, bins=256, range=(0, 255), channel_axis=-1)
    part = array[3:20, 5:33]
    box = (3, 5), (20, 33)
    assert np.array_equal(ripmap.query("max", *box), part.max((0, 1)))
    assert np.array_equal(ripmap.query("min", *box), part.min((0, 1)))
    assert np.allclose(ripmap.query("variance", *box), part.var((0, 1)))
    assert np.array_equal(ripmap.query("p50", *box), np.percentile(part, 50, (0, 1)))
    counts = ripmap.query("histogram", [box[0]], [box[1]])
    assert counts.shape == (1, 3, 256)
    assert np.array_equal(counts[0, 1], np.bincount(part[..., 1].ravel(), minlength=256))
    first = lg.Ripmap(np.moveaxis(array, -1, 0), channel_axis=0)
    assert np.array_equal(first.sum(*box), part.sum((0, 1)))


def test_boxes_that_are_refused():
    sums = lg.integral_image(picture())
    for start, end in (((0, 0), (0, 5)), ((0, 0), (41, 5)), ((-1, 0), (4, 5))):
        with pytest.raises(ValueError):
            sums.sum(start, end)
    with pytest.raises(ValueError, match="2 columns"):
        sums.sum((0, 0, 0), (1, 1, 1))
    with pytest.raises(TypeError, match="whole"):
        sums.sum((0.5, 0), (1, 1))
    with pytest.raises(ValueError, match="no figure 'median'"):
        sums.query("median", (0, 0), (1, 1))
    with pytest.raises(lg.ArgumentError):
        sums.query("variance", (0, 0), (1, 1))
    with pytest.raises(TypeError, match="int64|format"):
        lg.integral_image(np.zeros((3, 3), np.int64))
