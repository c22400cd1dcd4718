"""Arrays of any layout and type against NumPy: what goes in, what comes out, what is refused."""

import gc
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lumagraph as lg
from lumagraph import _core

KEPT = ["bool", "uint8", "uint16", "float16", "float32"]
CONVERTED = ["int8", "int16", "int32", "int64", "uint32", "uint64", "float64"]


def filled(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(np.float16).astype(dtype)
    low = -100 if np.dtype(dtype).kind == "i" else 0
    return rng.integers(low, 2 if dtype == "bool" else 120, shape).astype(dtype)


def plain(image):
    """The pixels that the library sees, as an array."""
    return np.asarray(image)


@st.composite
def laid_out(draw, dtypes=KEPT + CONVERTED):
    """An array with rows, columns, and perhaps layers and channels, in any order and with any
    strides, and the places of its channels and layers."""
    has_channels, has_layers = draw(st.booleans()), draw(st.booleans())
    shape = [draw(st.integers(1, 9)), draw(st.integers(1, 9))]
    if has_layers:
        shape.insert(0, draw(st.integers(1, 4)))
    if has_channels:
        shape.append(draw(st.integers(1, 4)))
    places = draw(st.permutations(range(len(shape))))
    dtype = draw(st.sampled_from(dtypes))
    steps = [draw(st.sampled_from([1, 1, 1, 2, -1, -2])) for _ in shape]
    wide = [n * abs(s) for n, s in zip(shape, steps)]
    base = filled([wide[p] for p in places], dtype, draw(st.integers(0, 99)))
    base = base[tuple(slice(None, None, steps[p]) for p in places)]
    if draw(st.booleans()) and dtype not in ("bool", "uint8", "int8"):
        base = base.astype(base.dtype.newbyteorder())
    if draw(st.booleans()):
        base = np.asfortranarray(base)
    axis = {p: i for i, p in enumerate(places)}
    rest = [a for p, a in axis.items()]
    channel = axis[len(shape) - 1] if has_channels else None
    layer = axis[0] if has_layers else None
    rows = [a for a in range(len(shape)) if a not in (channel, layer)]
    order = ([layer] if has_layers else []) + rows + ([channel] if has_channels else [])
    assert sorted(order) == sorted(rest)
    return base, channel, layer, np.transpose(base, order)


@given(laid_out())
@settings(max_examples=300, deadline=None)
def test_pixels_of_any_layout(case):
    array, channel, layer, wanted = case
    got = plain(_core.Image(array, channel, layer))
    assert got.shape == wanted.shape
    assert np.array_equal(got, wanted)
    if array.dtype.name in KEPT:
        assert got.dtype == wanted.dtype.newbyteorder("=")
    else:
        assert got.dtype == np.float32


@given(laid_out(["uint8", "float32", "float64", "int16"]), st.data())
@settings(max_examples=150, deadline=None)
def test_stats_of_any_layout(case, data):
    array, channel, layer, ordered = case
    rows = ordered.shape[1:3] if layer is not None else ordered.shape[:2]
    mask = data.draw(st.none() | st.integers(0, 99))
    if mask is not None:
        mask = np.random.default_rng(mask).random(rows) < 0.6
        assume(mask.any())
    s = lg.stats(array, mask, channel_axis=channel, layer_axis=layer, stack=True)
    flat = ordered.astype(np.float64)
    flat = flat if channel is not None else flat[..., None]
    flat = flat if layer is not None else flat[None]
    for c in range(flat.shape[-1]):
        chosen = flat[..., c][:, mask] if mask is not None else flat[..., c]
        pick = (lambda v: v[c]) if channel is not None else (lambda v: v)
        assert pick(s.count) == chosen.size
        assert pick(s.min) == chosen.min() and pick(s.max) == chosen.max()
        assert pick(s.mean) == pytest.approx(chosen.mean(), rel=1e-12, abs=1e-12)
        assert pick(s.variance) == pytest.approx(chosen.var(), rel=1e-9, abs=1e-12)


@given(laid_out(["uint8", "uint16", "float32"]))
@settings(max_examples=150, deadline=None)
def test_results_have_the_axes_of_the_image(case):
    array, channel, layer, _ = case
    out = lg.run("brightness:brightness=0", array, channel_axis=channel, layer_axis=layer)
    assert out.shape == array.shape and out.dtype == array.dtype.newbyteorder("=")
    assert np.array_equal(out, array)


# ---- without a copy -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        lambda a: a[2:9, 3:17],
        lambda a: a[::2],
        lambda a: a.view(np.float16),
    ],
)
def test_read_in_place(make):
    array = make(filled((20, 30), "uint16"))
    assert np.shares_memory(plain(_core.Image(array, None, None, False, False)), array)


@pytest.mark.parametrize(
    "make",
    [
        lambda a: np.asfortranarray(a),
        lambda a: a[::-1],
        lambda a: a[:, ::2],
        lambda a: a.astype(">u2"),
        lambda a: a.astype(np.int32),
    ],
)
def test_a_copy_is_refused_on_request(make):
    array = make(filled((20, 30), "uint16"))
    with pytest.raises(ValueError, match="without a copy"):
        _core.Image(array, None, None, False, False)
    image = _core.Image(array)
    assert np.array_equal(plain(image), array) and not np.shares_memory(plain(image), array)


def test_three_channels_are_read_in_place():
    rgb = filled((7, 9, 3), "uint8")
    image = _core.Image(rgb, -1, None, False, False)
    assert image.size == (9, 7, 1, 3, 3)
    assert np.shares_memory(plain(image), rgb)


def test_three_of_four_channels_are_read_in_place():
    rgba = filled((7, 9, 4), "float32")
    view = rgba[..., :3]
    image = _core.Image(view, -1, None, False, False)
    assert image.size == (9, 7, 1, 4, 3)
    assert np.array_equal(plain(image), view) and np.shares_memory(plain(image), rgba)
    assert np.array_equal(lg.stats(view, channel_axis=-1).max, view.max((0, 1)))
    # The last three begin in the middle of a pixel: there the fourth would lie behind the array.
    with pytest.raises(ValueError, match="without a copy"):
        _core.Image(rgba[..., 1:], -1, None, False, False)
    assert np.array_equal(lg.stats(rgba[..., 1:], channel_axis=-1).max, rgba.max((0, 1))[1:])


def test_a_result_of_three_channels_is_read_in_place_again():
    out = lg.run("color_invert", filled((7, 9, 3), "uint8"), channel_axis=-1)
    assert out.shape == (7, 9, 3) and out.strides == (36, 4, 1)
    assert _core.Image(out, -1, None, False, False).size == (9, 7, 1, 4, 3)


def test_read_only_arrays():
    array = filled((8, 8), "uint8")
    array.setflags(write=False)
    assert lg.stats(array).mean == array.mean()
    with pytest.raises(ValueError, match="read-only"):
        lg.run("color_invert", filled((8, 8), "uint8"), out=array)


def test_misaligned_samples():
    raw = np.zeros(8 * 9 * 4 + 1, np.uint8)
    array = raw[1:].view(np.float32).reshape(8, 9)
    array[:] = filled((8, 9), "float32")
    assert not array.flags.aligned
    assert lg.stats(array).max == array.max()


def test_other_objects_with_a_buffer():
    assert lg.stats(memoryview(bytes(range(12))).cast("B", (3, 4))).sum == 66
    assert lg.stats([[1, 2], [3, 4]]).mean == 2.5


def test_the_array_lives_as_long_as_its_image():
    array = filled((8, 8), "uint8")
    before = sys.getrefcount(array)
    image = _core.Image(array)
    assert sys.getrefcount(array) > before
    del image
    assert sys.getrefcount(array) == before


def test_the_memory_lives_as_long_as_its_arrays():
    out = lg.run("color_invert", np.full((300, 300), 3, np.uint8))
    corner = out[-5:, -5:]
    del out
    gc.collect()
    filled((300, 300), "uint8")
    assert (corner == 252).all()


# ---- DLPack -----------------------------------------------------------------------------------------


class Tensor:
    """An array that has DLPack alone."""

    def __init__(self, array, old=False):
        self.array, self.old = array, old

    def __dlpack__(self, **words):
        if self.old and words:
            raise TypeError("unexpected word")
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("dtype", KEPT + CONVERTED)
def test_dlpack_in(dtype, old):
    array = filled((9, 12), dtype)[1:, ::2]
    before = sys.getrefcount(array)
    assert lg.stats(Tensor(array, old)).sum == pytest.approx(float(array.sum(dtype=np.float64)))
    after = sys.getrefcount(array)  # outside of the assertion, which keeps references
    assert after == before


def test_dlpack_of_other_devices_and_types():
    class Elsewhere(Tensor):
        def __dlpack__(self, **words):
            raise BufferError("on another device")

    with pytest.raises(BufferError, match="another device"):
        lg.stats(Elsewhere(np.zeros((2, 2))))
    with pytest.raises(TypeError, match="cannot be read"):
        lg.stats(Tensor(np.zeros((2, 2), np.complex64)))


@pytest.mark.parametrize("dtype", KEPT)
def test_dlpack_out(dtype):
    array = filled((9, 12), dtype)
    image = _core.Image(array)
    assert image.__dlpack_device__() == (1, 0)
    back = np.from_dlpack(image)
    assert back.dtype == array.dtype and np.array_equal(back, array)
    assert np.shares_memory(back, array)
    del image
    gc.collect()
    assert np.array_equal(back, array)


def test_dlpack_capsules_that_nobody_takes():
    image = _core.Image(filled((4, 4), "uint8"))
    before = sys.getrefcount(image)
    for version in (None, (1, 0)):
        capsule = image.__dlpack__(max_version=version)
        assert sys.getrefcount(image) == before + 1
        del capsule
    assert sys.getrefcount(image) == before
    with pytest.raises(BufferError):
        image.__dlpack__(dl_device=(2, 0))


def test_dlpack_of_read_only_pixels():
    array = filled((4, 4), "uint8")
    array.setflags(write=False)
    image = _core.Image(array)
    with pytest.raises(BufferError, match="DLPack 1"):
        image.__dlpack__()
    assert image.__dlpack__(max_version=(1, 0)) is not None


# ---- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype, value",
    [
        ("float64", 0.1),
        ("int32", 2**24 + 1),
        ("int64", -(2**60) - 1),
        ("uint32", 2**32 - 1),
        ("uint64", 2**64 - 1),
    ],
)
def test_samples_that_float32_does_not_hold(dtype, value):
    array = np.zeros((5, 6), dtype)
    array[3, 4] = value
    shown = "%.17g" % value if dtype == "float64" else str(value)
    with pytest.raises(TypeError) as caught:
        lg.stats(array)
    assert dtype in str(caught.value) and shown in str(caught.value)
    assert "[3, 4]" in str(caught.value) and "cast=True" in str(caught.value)
    s = lg.stats(array, cast=True)
    assert s.max == max(np.float32(value), 0) and s.conversion == dtype
    assert lg.stats(np.zeros((2, 2), np.float32)).conversion is None


def test_the_place_of_a_lost_sample_is_that_of_the_array():
    array = np.zeros((3, 5, 6, 2))
    array[1, 2, 3, 0] = 0.1
    with pytest.raises(TypeError, match=r"\[1, 2, 3, 0\]"):
        lg.stats(array, layer_axis=2, channel_axis=0)
    with pytest.raises(TypeError, match=r"\[1, 2, 3, 0\]"):
        lg.stats(array, layer_axis=0, channel_axis=-1)


def test_nan_and_infinity_survive():
    s = lg.stats(np.array([[np.nan, np.inf, 1.5, -np.inf]]))
    assert (s.nan_count, s.inf_count, s.mean) == (1, 2, 1.5)


@pytest.mark.parametrize("shape", [(5, 6, 3), (5, 6, 4), (3, 5, 6), (5, 6, 1)])
def test_three_axes_are_not_guessed(shape):
    with pytest.raises(ValueError, match="channel_axis=-1.*layer_axis=0"):
        lg.stats(np.zeros(shape, np.uint8))


@pytest.mark.parametrize(
    "shape, words, match",
    [
        ((5,), {}, "1 axes|one"),
        ((), {}, "axes"),
        ((2, 3, 4, 5), {}, "layer_axis"),
        ((2, 3, 4, 5), {"channel_axis": -1}, "layer_axis"),
        ((2, 3, 4, 5, 6), {}, "5 axes"),
        ((0, 4), {}, "empty"),
        ((4, 0, 3), {"channel_axis": -1}, "empty"),
        ((4, 5), {"channel_axis": -1}, "rows and columns"),
        ((4, 5), {"channel_axis": 7}, "no axis"),
        ((4, 5, 3), {"channel_axis": -1, "layer_axis": 2}, "same axis"),
        ((1, 2**24 + 1), {}, "over the limit"),
    ],
)
def test_shapes_that_are_no_image(shape, words, match):
    with pytest.raises(ValueError, match=match):
        lg.stats(np.zeros(shape, np.uint8), **words)


@pytest.mark.parametrize("thing", [None, 3, "text", object(), {}])
def test_things_without_pixels(thing):
    with pytest.raises(TypeError):
        lg.stats(thing)


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "M8[s]", "S3", "V4", "object", "longdouble"])
def test_types_that_are_not_read(dtype):
    with pytest.raises((TypeError, ValueError, BufferError)):
        lg.stats(np.zeros((3, 3), dtype))


def test_five_channels_are_measured_one_by_one_and_not_filtered():
    array = filled((6, 7, 5), "uint8")
    s = lg.stats(array, channel_axis=-1)
    assert s.mean == pytest.approx(array.mean((0, 1))) and s.mean.shape == (5,)
    assert np.array_equal(lg.stats(np.moveaxis(array, -1, 0), channel_axis=0).max, array.max((0, 1)))
    stacked = filled((3, 6, 7, 5), "float32")
    assert lg.stats(stacked, channel_axis=-1, layer_axis=0).max == pytest.approx(stacked.max((1, 2)))
    with pytest.raises(ValueError, match="1 to 4 channels"):
        lg.run("color_invert", array, channel_axis=-1)


def test_cast_does_not_change_what_survives():
    array = np.arange(12.0).reshape(3, 4)
    assert lg.stats(array, cast=True).sum == 66
    assert lg.stats(array).conversion == "float64"
