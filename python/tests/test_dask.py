"""Figures of Dask arrays against those of one call, bit for bit."""

import random
import struct

import numpy as np
import pytest

import lumagraph as lg

array = pytest.importorskip("dask.array", reason="Dask is not installed")

FIGURES = (
    "count",
    "nan_count",
    "inf_count",
    "min",
    "max",
    "sum",
    "mean",
    "variance",
    "variance_sample",
    "exact_sum",
)


def bits(value):
    return [struct.pack("d", v) if isinstance(v, float) else v for v in np.ravel(value).tolist()]


def assert_same(one, two):
    assert one.channels == two.channels or tuple(one.channels) == tuple(two.channels)
    for figure in FIGURES:
        a, b = getattr(one, figure), getattr(two, figure)
        assert np.shape(a) == np.shape(b) and bits(a) == bits(b), figure


def pixels(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "u":
        return rng.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)
    # Magnitudes for which a sum in floats depends on its order.
    values = rng.normal(size=shape) * 10.0 ** rng.integers(-8, 8, shape)
    return values.astype(dtype)


CASES = [
    ((37, 41), (10, 13), {}, "uint8"),
    ((64, 50), (64, 50), {}, "float32"),
    ((33, 70), (1, 70), {}, "float32"),
    ((20, 31, 3), (7, 9, 3), {"channel_axis": -1}, "uint16"),
    ((3, 20, 31), (3, 9, 10), {"channel_axis": 0}, "float32"),
    ((5, 20, 31), (2, 9, 10), {"layer_axis": 0}, "uint8"),
    ((20, 31, 5), (9, 31, 2), {"layer_axis": 2}, "float32"),
    ((4, 12, 13, 3), (3, 5, 6, 3), {"layer_axis": 0, "channel_axis": -1}, "float32"),
    ((3, 12, 4, 13), (3, 5, 3, 6), {"layer_axis": 2, "channel_axis": 0}, "uint8"),
]


@pytest.mark.parametrize("shape, chunks, axes, dtype", CASES)
@pytest.mark.parametrize("stack", [False, True])
def test_figures_are_those_of_one_call(shape, chunks, axes, dtype, stack):
    image = pixels(shape, dtype)
    assert_same(
        lg.dask.stats(array.from_array(image, chunks), stack=stack, **axes),
        lg.stats(image, stack=stack, **axes),
    )


def test_schedulers_and_orders_change_nothing():
    image = pixels((90, 80), np.float32)
    wanted = lg.stats(image)
    for chunks in [(90, 80), (11, 17), (1, 80), (90, 3)]:
        for scheduler in ("synchronous", "threads"):
            later = lg.dask.stats(array.from_array(image, chunks), compute=False)
            assert_same(later.compute(scheduler=scheduler), wanted)
    parts = [
        lg.dask._block(
            image[y : y + 9, x : x + 8],
            None,
            (0, y, x),
            (1, 90, 80),
            {"channel_axis": None, "layer_axis": None, "cast": False},
            False,
        )
        for y in range(0, 90, 9)
        for x in range(0, 80, 8)
    ]
    for seed in range(5):
        random.Random(seed).shuffle(parts)
        half = [lg.dask._merge(parts[:40]), lg.dask._merge(parts[40:])]
        assert_same(lg.dask._finished(lg.dask._merge(half), None, False, 0), wanted)


def test_the_order_matters_for_floats():
    """The sums of NumPy and Dask differ: what the tests above compare is not trivial."""
    image = pixels((90, 80), np.float32)
    assert float(array.from_array(image, (11, 17)).sum().compute()) != lg.stats(image).sum


def test_masks():
    image = pixels((4, 40, 50), np.float32)
    flat = np.random.default_rng(1).random((40, 50)) > 0.3
    chunks = array.from_array(image, (3, 16, 17))
    assert_same(lg.dask.stats(chunks, flat, layer_axis=0), lg.stats(image, flat, layer_axis=0))
    deep = np.random.default_rng(2).random((4, 40, 50)) > 0.3
    for mask in (deep, array.from_array(deep, (1, 40, 50))):
        assert_same(lg.dask.stats(chunks, mask, layer_axis=0), lg.stats(image, deep, layer_axis=0))
    with pytest.raises(ValueError, match="the mask has the shape"):
        lg.dask.stats(chunks, flat[1:], layer_axis=0)


def test_nan():
    image = pixels((30, 30), np.float32)
    image[3, 4], image[20, 20] = np.nan, np.inf
    chunks = array.from_array(image, (10, 30))
    for nan in ("ignore", "propagate"):
        assert_same(lg.dask.stats(chunks, nan=nan), lg.stats(image, nan=nan))
    with pytest.raises(lg.DataError):
        lg.dask.stats(chunks, nan="error")


def test_refusals():
    image = array.zeros((8, 8, 4), chunks=(4, 4, 2), dtype=np.uint8)
    with pytest.raises(ValueError, match="nothing is guessed"):
        lg.dask.stats(image)
    with pytest.raises(ValueError, match="rechunk"):
        lg.dask.stats(image, channel_axis=-1)
    with pytest.raises(ValueError, match="nan 'x'"):
        lg.dask.stats(image[..., 0], nan="x")


def test_damaged_states_are_refused():
    part = lg.dask._block(
        np.zeros((2, 2), np.uint8),
        None,
        (0, 0, 0),
        (1, 2, 2),
        {"channel_axis": None, "layer_axis": None, "cast": False},
        False,
    )
    state = bytearray(part["states"][0])
    state[len(state) // 2] ^= 1
    with pytest.raises(lg.DataError):
        lg.dask._finished({**part, "states": {0: bytes(state)}}, None, False, 0)
    for channels in (0, 5):
        with pytest.raises(ValueError, match="an image has 1 to 4"):
            lg.State.from_bytes(part["states"][0], channels=channels)


def test_filters_on_chunks():
    image = pixels((60, 70), np.uint8)
    chunks = array.from_array(image, (17, 20))
    assert np.array_equal(
        lg.dask.map_blocks("color_invert", chunks).compute(), lg.run("color_invert", image)
    )
    steps = lg.filters.median() | lg.filters.sobel_edge_detection()
    assert np.array_equal(
        lg.dask.map_blocks(steps, chunks, depth=2).compute()[2:-2, 2:-2], steps(image)[2:-2, 2:-2]
    )
    assert not np.array_equal(lg.dask.map_blocks(steps, chunks).compute(), steps(image))
    color = pixels((2, 40, 41, 3), np.uint8)
    blurred = lg.dask.map_blocks(
        lg.filters.box_blur(radius=3),
        array.from_array(color, (1, 20, 13, 3)),
        depth=3,
        channel_axis=-1,
        layer_axis=0,
    )
    assert np.array_equal(
        blurred.compute(), lg.filters.box_blur(color, radius=3, channel_axis=-1, layer_axis=0)
    )
