"""run(), Plan and figures(): against NumPy, and against each other."""

import numpy as np
import pytest

import lumagraph as lg


def picture(shape=(40, 50), dtype="uint8", seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(0, 256, shape).astype(dtype) if dtype != "float32" else rng.random(shape, np.float32)
    )


def test_a_filter_of_every_type():
    for dtype, most in (("uint8", 255), ("uint16", 65535)):
        array = picture(dtype=dtype)
        out = lg.run("color_invert", array)
        assert out.dtype == dtype and np.array_equal(out, most - array)
    array = picture(dtype="float32")
    assert np.array_equal(lg.run("color_invert", array), 1 - array)
    assert np.array_equal(lg.run("color_invert", array.astype(np.float64)), 1 - array)
    assert lg.run("color_invert", picture(), dtype=np.float32).dtype == np.float32
    assert lg.run("color_invert", picture(), dtype="float16").dtype == np.float16
    with pytest.raises(TypeError, match="int32"):
        lg.run("color_invert", array, dtype=np.int32)


def test_an_empty_pipeline_is_the_image():
    array = picture((9, 11, 3))
    assert np.array_equal(lg.run("", array, channel_axis=-1), array)


@pytest.mark.parametrize(
    "shape, words",
    [
        ((20, 30), {}),
        ((20, 30, 3), {"channel_axis": -1}),
        ((3, 20, 30), {"channel_axis": 0}),
        ((20, 30, 4), {"channel_axis": 2}),
        ((5, 20, 30), {"layer_axis": 0}),
        ((20, 30, 5), {"layer_axis": -1}),
        ((5, 20, 30, 3), {"layer_axis": 0, "channel_axis": 3}),
        ((3, 20, 5, 30), {"layer_axis": 2, "channel_axis": 0}),
        ((20, 30, 1), {"channel_axis": -1}),
    ],
)
def test_out(shape, words):
    array = picture(shape)
    wanted = 255 - array
    if shape[-1] == 4:
        wanted[..., 3] = array[..., 3]
    assert np.array_equal(lg.run("color_invert", array, **words), wanted)
    out = np.zeros_like(array)
    assert lg.run("color_invert", array, out=out, **words) is out and np.array_equal(out, wanted)
    wide = np.zeros((shape[0], 2 * shape[1], *shape[2:]), np.uint8)
    part = wide[:, ::2]
    lg.run("color_invert", array, out=part, **words)
    assert np.array_equal(part, wanted) and not wide[:, 1::2].any()
    mirrored = np.zeros_like(array)[::-1]
    lg.run("color_invert", array, out=mirrored, **words)
    assert np.array_equal(mirrored, wanted)


def test_out_that_does_not_fit():
    array = picture()
    for out in (
        np.zeros((40, 51), np.uint8),
        np.zeros((40, 50), np.uint16),
        np.zeros((40, 50, 3), np.uint8)[..., 0:1],
    ):
        with pytest.raises(ValueError):
            lg.run("color_invert", array, out=out)
    with pytest.raises(lg.ArgumentError, match="input|memory"):
        lg.run("color_invert", array, out=array)


def test_second_images():
    a, b = picture(seed=1), picture(seed=2)
    wanted = np.maximum(a, b)
    assert np.array_equal(lg.run("lighten_blend", a, inputs={"over": b}), wanted)
    assert np.array_equal(
        lg.run("color_invert | lighten_blend:over=#other", a, inputs={"other": b}), np.maximum(255 - a, b)
    )
    colours = picture((40, 50, 3), seed=3)
    out = lg.run("lighten_blend", colours, channel_axis=-1, inputs={"over": b})
    assert np.array_equal(out, np.maximum(colours, b[..., None]))


def test_results_that_gain_and_lose_channels():
    grey, rgb = picture(), picture((40, 50, 3))
    assert lg.run("convert_channels:to=rgb", grey).shape == (40, 50, 3)
    assert lg.run("convert_channels:to=grey", rgb, channel_axis=-1).shape == (40, 50)
    stack = picture((2, 40, 50, 3))
    assert lg.run("convert_channels:to=grey", stack, channel_axis=-1, layer_axis=0).shape == (2, 40, 50)
    turned = np.moveaxis(stack, (0, -1), (3, 0))
    assert lg.run("convert_channels:to=grey", turned, channel_axis=0, layer_axis=3).shape == (40, 50, 2)
    assert lg.run("convert_channels:to=rgb", turned[0], layer_axis=-1).shape == (40, 50, 2, 3)


def test_figures():
    array = picture()
    found = lg.figures(["mean", "@max", "largest.center", "rgb.mean"], array)
    assert found["mean"] == pytest.approx(array.mean() / 255, rel=1e-6) and found[
        "max"
    ] == array.max() / np.float32(255)
    assert len(found["largest.center"]) == 2 and len(found["rgb.mean"]) == 4
    assert lg.figures({"bright": "mean"}, array, "color_invert")["bright"] == pytest.approx(
        1 - array.mean() / 255, rel=1e-6
    )
    out, figures = lg.run("color_invert", array, figures=["mean"])
    assert np.array_equal(out, 255 - array) and figures["mean"] == pytest.approx(out.mean() / 255, rel=1e-6)
    assert type(figures) is lg.Table
    with pytest.raises(lg.ArgumentError, match="mean"):
        lg.figures(["maen"], array)


def test_plans():
    array = picture((40, 50, 3))
    plan = lg.Plan(
        "color_invert #inverted | threshold:level=@otsu", array, channel_axis=-1, figures=["mean"]
    )
    first = plan(array)
    assert np.array_equal(first, lg.run(plan.pipeline, array, channel_axis=-1))
    assert plan.figures["mean"] == pytest.approx(first[..., 0].mean() / 255, rel=1e-6)
    assert list(plan.measured) == ["luminance_threshold.threshold"]
    assert "luminance_threshold" in plan.explain() and plan.profile()[0]["seconds"] >= 0
    assert plan.pipeline in repr(plan)
    out = np.zeros_like(array)
    assert plan(array, out=out) is out and np.array_equal(out, first)
    with pytest.raises(ValueError, match="make another plan"):
        plan(array[1:])
    with pytest.raises(ValueError, match="called image"):
        plan(array, inputs={"more": array})


def test_plans_are_set():
    array = picture(dtype="float32")
    plan = lg.Plan("brightness:brightness=0 #a | contrast:contrast=1 | brightness:brightness=0 #b", array)
    plan.set("a", "brightness", 0.25)
    assert np.allclose(plan(array), array + 0.25)
    plan.set("contrast", "contrast", 2)
    plan.set("b", "brightness", "0.5")
    assert np.array_equal(
        plan(array),
        lg.run("brightness:brightness=0.25 | contrast:contrast=2 | brightness:brightness=0.5", array),
    )
    with pytest.raises(ValueError, match="2 filters"):
        plan.set("brightness", "brightness", 0)
    with pytest.raises(ValueError, match="no filter of the pipeline is called 'blur'"):
        plan.set("blur", "sigma", 1)
    with pytest.raises(lg.ArgumentError, match="brightness"):
        plan.set("a", "brightnes", 1)


def test_runs_begin_afresh_and_plans_remember():
    a, b = np.full((4, 4), 0.25, np.float32), np.full((4, 4), 0.75, np.float32)
    text = "brightness:brightness=@prev.mean*-1+0.5"
    first = lg.run(text, a)
    lg.run(text, b)
    assert np.array_equal(lg.run(text, a), first)
    plan = lg.Plan(text, a)
    assert np.array_equal(plan(a), first)
    assert not np.array_equal(plan(b), lg.run(text, b))
    plan.reset()
    assert np.array_equal(plan(a), first)


def test_a_plan_outlives_its_context():
    context = lg.Context("cpu", threads=1)
    plan = lg.Plan("color_invert", picture(), context=context)
    context.close()
    del context
    assert np.array_equal(plan(picture()), 255 - picture())


def test_mistakes_in_pipelines():
    with pytest.raises(lg.ArgumentError, match="character 1: .*did you mean 'color_invert'"):
        lg.run("colour_invert", picture())
    with pytest.raises(lg.ArgumentError) as caught:
        lg.run("gaussian_blur:sigma=-1", picture())
    assert caught.value.status == "argument" and isinstance(caught.value, (lg.Error, ValueError))
    with pytest.raises(ValueError, match="1 to 16 images"):
        lg.run("color_invert", picture(), inputs={f"n{i}": picture() for i in range(16)})


# ---- names of scikit-image --------------------------------------------------------------------------


def test_gaussian_and_median():
    ndimage = pytest.importorskip("scipy.ndimage")
    array = picture()
    for mode in ("nearest", "wrap"):
        exact = ndimage.gaussian_filter(array.astype(float), 1.5, mode=mode)
        assert np.abs(lg.gaussian(array.astype(np.float32), 1.5, mode=mode) - exact).max() < 0.3
        for radius in (1, 3):
            wanted = ndimage.median_filter(array, 2 * radius + 1, mode=mode)
            assert np.array_equal(lg.median(array, radius, mode=mode), wanted)
    rgb = picture((20, 30, 3))
    assert lg.gaussian(rgb, 1, channel_axis=-1, dtype="float32").dtype == np.float32
    with pytest.raises(ValueError, match="mode 'reflected'"):
        lg.gaussian(array, mode="reflected")


def test_canny():
    array = np.zeros((30, 30), np.uint8)
    array[10:20, 10:20] = 255
    edges = lg.canny(array)
    assert edges.dtype == bool and 30 <= edges.sum() <= 45
    assert not edges[12:18, 12:18].any() and not edges[:7].any()
    assert np.array_equal(lg.canny(np.repeat(array[..., None], 3, 2), channel_axis=-1), edges)
