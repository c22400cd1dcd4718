"""Moments, histograms and thresholds against NumPy, scikit-image and OpenCV."""

import fractions
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lumagraph as lg

skimage_filters = pytest.importorskip("skimage.filters")


def picture(dtype="uint8", shape=(53, 71), seed=0):
    rng = np.random.default_rng(seed)
    two = np.where(rng.random(shape) < 0.4, 0.3, 0.7) + rng.normal(0, 0.1, shape)
    two = np.clip(two, 0, 1)
    if np.dtype(dtype).kind == "f":
        return two.astype(dtype)
    return (two * np.iinfo(dtype).max).astype(dtype)


# ---- moments ----------------------------------------------------------------------------------------


def exact(values):
    """Mean and variance as fractions, rounded once."""
    values = [fractions.Fraction(float(v)) for v in values.ravel()]
    mean = sum(values) / len(values)
    return float(mean), float(sum((v - mean) ** 2 for v in values) / len(values))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
def test_moments_are_exact(dtype):
    array = picture(dtype, (13, 17))
    mean, variance = exact(array)
    s = lg.stats(array)
    assert (s.mean, s.variance) == (mean, variance)
    assert s.std == math.sqrt(variance)
    assert s.variance_sample == pytest.approx(array.astype(float).var(ddof=1), rel=1e-12)


def test_the_sum_of_integers_is_an_int():
    array = np.full((300, 300), 65535, np.uint16)
    s = lg.stats(array)
    assert s.exact_sum == 300 * 300 * 65535 and isinstance(s.exact_sum, int)
    assert lg.stats(array.astype(np.float32)).exact_sum is None


def test_float32_means_do_not_drift():
    array = np.full((1000, 2000), 0.1, np.float32)
    assert lg.stats(array).mean == float(np.float32(0.1)) and lg.stats(array).variance == 0


@given(st.integers(1, 20), st.integers(1, 20), st.data())
@settings(max_examples=60, deadline=None)
def test_regions_and_masks(height, width, data):
    array = np.random.default_rng(3).integers(0, 65536, (height, width), np.uint16)
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    w, h = data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y))
    mask = np.random.default_rng(4).random((height, width)) < 0.5
    inside = np.zeros_like(mask)
    inside[y : y + h, x : x + w] = True
    chosen = array[inside & mask].astype(float)
    s = lg.stats(
        array, mask.astype(data.draw(st.sampled_from(["bool", "uint8", "int64", "float64"]))), (x, y, w, h)
    )
    assert s.count == chosen.size
    if chosen.size:
        assert (s.min, s.max, s.sum) == (chosen.min(), chosen.max(), chosen.sum())
    else:
        assert math.isnan(s.mean) and s.sum == 0


def test_layers_and_channels_of_stats():
    array = picture("uint8", (4, 20, 30, 3))
    s = lg.stats(array, channel_axis=-1, layer_axis=0)
    assert s.mean == pytest.approx(array.mean((1, 2))) and s.channels == ("r", "g", "b")
    assert lg.stats(array, channel_axis=-1, layer_axis=0, stack=True).mean == pytest.approx(
        array.mean((0, 1, 2))
    )
    table = s.table()
    assert list(table["channel"]) == ["r", "g", "b"] * 4
    assert list(table["layer"]) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert table["mean"] == pytest.approx(array.mean((1, 2)).ravel())
    assert table["std"] == pytest.approx(array.std((1, 2)).ravel())


def test_nan_rules():
    array = np.array([[1, np.nan, 3]], np.float32)
    assert lg.stats(array).mean == 2
    assert math.isnan(lg.stats(array, nan="propagate").mean)
    with pytest.raises(lg.DataError):
        lg.stats(array, nan="error")
    with pytest.raises(ValueError, match="nan 'drop'"):
        lg.stats(array, nan="drop")


def test_step_and_transparency():
    array = picture("uint8", (20, 30, 4))
    array[::2, :, 3] = 0
    assert lg.stats(array[..., 0], step=3).sum == array[::3, ::3, 0].sum()
    s = lg.stats(array, channel_axis=-1, skip_transparent=True)
    assert s.mean[0] == pytest.approx(array[..., 0][array[..., 3] > 0].mean())


def test_stats_are_shown():
    assert "mean" in repr(lg.stats(picture())) and "mean" in repr(
        lg.stats(picture(shape=(9, 9, 3)), channel_axis=2)
    )


# ---- histograms -------------------------------------------------------------------------------------


@given(
    st.sampled_from(["uint8", "uint16", "bool"]),
    st.integers(1, 400),
    st.none() | st.tuples(st.floats(-50, 300), st.floats(0.5, 70000)),
)
@settings(max_examples=120, deadline=None)
def test_histograms_of_integers_are_those_of_numpy(dtype, bins, range):
    array = np.random.default_rng(5).integers(0, 2 if dtype == "bool" else 300, (17, 23)).astype(dtype)
    if range is not None:
        range = range[0], range[0] + range[1]
    got, edges = lg.histogram(array, bins, range)
    counts, wanted = np.histogram(array.astype(np.uint16), bins, range)
    assert np.array_equal(got, counts) and np.array_equal(edges, wanted)


@pytest.mark.parametrize("range", [None, (-0.25, 1.5), (0.2, 0.3)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_histograms_of_floats(dtype, range):
    # Multiples of 2^-11 and edges that are none: no sample lies within a rounding of an edge.
    array = np.floor(picture("float64") * 2048) / 2048
    got, edges = lg.histogram(array.astype(dtype), 37, range)
    counts, wanted = np.histogram(array, 37, range)
    assert np.abs(edges - wanted).max() < 1e-12
    assert got.sum() == counts.sum() and np.abs(np.cumsum(got) - np.cumsum(counts)).max() <= 1


def test_histograms_of_one_value_and_of_none():
    for dtype in ("uint8", "float32"):
        counts, edges = lg.histogram(np.full((4, 5), 3, dtype), 10)
        wanted = np.histogram(np.full(20, 3.0), 10)
        assert np.array_equal(counts, wanted[0]) and np.allclose(edges, wanted[1])
    empty, _ = lg.histogram(np.zeros((4, 5), np.float32), 10, mask=np.zeros((4, 5), bool))
    assert empty.sum() == 0


def test_histograms_of_channels_and_layers():
    array = picture("uint8", (3, 20, 30, 3))
    counts, edges = lg.histogram(array, 16, (0, 256), channel_axis=-1, layer_axis=0)
    assert counts.shape == (3, 3, 16)
    for layer in range(3):
        for channel in range(3):
            wanted = np.histogram(array[layer, ..., channel], 16, (0, 256))
            assert np.array_equal(counts[layer, channel], wanted[0]) and np.array_equal(edges, wanted[1])
    stacked, _ = lg.histogram(array, 16, (0, 256), channel_axis=-1, layer_axis=0, stack=True)
    assert np.array_equal(stacked, counts.sum(0))
    five = picture("uint8", (20, 30, 5))
    for span in (None, (0, 256)):
        counts, edges = lg.histogram(five, 16, span, channel_axis=-1)
        span = span or (five.min(), five.max())
        assert np.array_equal(counts[4], np.histogram(five[..., 4], 16, span)[0])


def test_histograms_of_colour_spaces():
    array = picture("uint8", (20, 30, 3))
    counts, edges = lg.histogram(array, 32, channel_axis=-1, space="hsv")
    assert counts.shape == (3, 32) and edges.shape == (3, 33) and (counts.sum(1) == 600).all()
    assert np.array_equal(counts[2], np.histogram(array.max(-1) / 255, edges[2])[0])
    with pytest.raises(ValueError, match="no colour space"):
        lg.histogram(array, channel_axis=-1, space="hvs")


@pytest.mark.parametrize(
    "words", [{"bins": 0}, {"bins": 65537}, {"bins": 2.5}, {"range": (3, 3)}, {"range": (1, 0)}]
)
def test_histograms_that_are_refused(words):
    with pytest.raises(ValueError):
        lg.histogram(picture(), **words)


# ---- thresholds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_otsu_of_bytes_is_that_of_scikit_image(seed):
    array = picture(seed=seed)
    assert lg.threshold_otsu(array) == skimage_filters.threshold_otsu(array)
    cv2 = pytest.importorskip("cv2")
    assert lg.threshold_otsu(array) == cv2.threshold(array, 0, 255, cv2.THRESH_OTSU)[0]


def test_otsu_of_floats_splits_alike():
    array = picture("float32")
    level, wanted = lg.threshold_otsu(array), skimage_filters.threshold_otsu(array)
    width = (array.max() - array.min()) / 256
    assert abs(level - wanted) <= width  # a bin's upper end here, its centre there


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_multi_otsu_is_that_of_scikit_image(classes):
    array = picture()
    assert np.array_equal(
        lg.threshold_multiotsu(array, classes), skimage_filters.threshold_multiotsu(array, classes)
    )


@pytest.mark.parametrize("method", ["yen", "triangle", "isodata", "mean", "li", "minimum"])
def test_other_levels_lie_near_those_of_scikit_image(method):
    array = skimage_filters.gaussian(picture(), 1, preserve_range=True).astype(np.uint8)
    level = getattr(lg, "threshold_" + method)(array)
    wanted = getattr(skimage_filters, "threshold_" + method)(array)
    assert isinstance(level, (int, float))
    assert abs(level - wanted) <= 3


def test_threshold_tells_what_it_found():
    array = picture()
    t = lg.threshold(array)
    assert t.level == t.levels[0] == t.bins[0] == lg.threshold_otsu(array)
    assert (t.foreground, t.total) == ((array > t.level).sum(), array.size)
    assert 0 < t.separability < 1
    stack = np.stack([array, 255 - array])
    each = lg.threshold(stack, layer_axis=0, stack=False)
    assert [e.level for e in each] == [lg.threshold_otsu(a) for a in stack]
    with pytest.raises(ValueError, match="no threshold method 'otsa'"):
        lg.threshold(array, "otsa")
    with pytest.raises(lg.DataError):
        lg.threshold(array, mask=np.zeros(array.shape, bool))
