"""Three tasks of somebody with a notebook, as docs/python.md tells them, and five slips of each: every
message says what to do."""

import numpy as np
import pytest

import lumagraph as lg


def cells():
    image = np.random.default_rng(1).integers(40, 60, (60, 80)).astype("uint8")
    image[10:20, 10:25] += 100
    image[30:45, 40:60] += 120
    return image


def slip(error, text, call):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


# ---- cells to a table ------------------------------------------------------------------


def test_cells_to_a_table():
    image = cells()
    labels = lg.label(image > lg.threshold_otsu(image), keep="area >= 50")
    table = lg.regionprops_table(labels, image, ("label", "area", "centroid", "intensity_mean"))
    assert list(table["area"]) == [150, 300]
    assert list(table["centroid-0"]) == [14.5, 37]
    assert table["intensity_mean"][1] == image[30:45, 40:60].mean()


def test_slips_with_a_table():
    image = cells()
    labels = lg.label(image > 100)
    slip(TypeError, "another library opens files", lambda: lg.stats("images/coins.png"))
    slip(ValueError, "did you mean 'area'?", lambda: lg.regionprops_table(labels, image, ("aera",)))
    slip(TypeError, "label(mask) makes them", lambda: lg.regionprops_table(image > 100, image))
    slip(ValueError, "among them are area", lambda: lg.label(image > 100, keep="size > 3"))
    slip(AttributeError, "did you mean 'threshold_otsu'?", lambda: lg.otsu(image))


# ---- filters and pipelines ---------------------------------------------------------------


def test_a_pipeline_on_colours():
    grey = cells()
    image = np.stack([grey, grey // 2, grey // 4], -1)
    out = lg.run("levels:min=@p1:max=@p99", image, channel_axis=-1)
    assert out.shape == image.shape and out.min() == 0 and out.max() == 255
    steps = lg.filters.gaussian_blur(sigma=1) | lg.filters.threshold(level="@otsu")
    assert set(np.unique(steps(grey))) == {0, 255}


def test_slips_with_a_pipeline():
    image = cells()
    slip(TypeError, "a pipeline stands in front of the image", lambda: lg.run(image, "median"))
    slip(AttributeError, "did you mean 'gaussian_blur'?", lambda: lg.filters.gausian_blur(image))
    slip(AttributeError, "it is a filter: lumagraph.filters.box_blur", lambda: lg.box_blur(image))
    slip(ValueError, "pass channel_axis=-1", lambda: lg.run("median", np.stack([image] * 3, -1)))
    slip(ValueError, "is 0.501961 meant", lambda: lg.filters.threshold(image, level=128))


# ---- a stack, and images in parts ------------------------------------------------------------


def test_a_stack_in_parts():
    stack = np.stack([cells(), cells() // 2, cells() // 3])
    whole = lg.stats(stack, layer_axis=0, stack=True)
    state, other = (lg.State.moments(stack.shape, stack.dtype) for _ in range(2))
    for z, layer in enumerate(stack):
        (state if z else other).add(layer, layer=z)
    state |= other
    assert state.finish().exact_sum == whole.exact_sum
    assert lg.label(stack > 100, connectivity=3).max() == 2


def test_slips_with_a_stack():
    image = cells()
    stack = np.stack([image] * 3)
    slip(ValueError, "layer_axis=0 for layers", lambda: lg.stats(stack))
    slip(ValueError, "are the same axis", lambda: lg.stats(stack, layer_axis=0, channel_axis=0))
    slip(ValueError, "it must have 80x60", lambda: lg.stats(image, mask=image[:5] > 3))
    slip(ValueError, "region is (x, y, width, height)", lambda: lg.stats(image, region="9x9+0+0"))
    slip(ValueError, "vulkan:INDEX", lambda: lg.Context("gpu"))


def test_what_tools_ask_for():
    assert not hasattr(lg, "__wrapped__") and not hasattr(lg.filters, "__wrapped__")


# ---- axes as NumPy counts them ------------------------------------------------------------


def test_slips_with_axes():
    sums = lg.integral_image(cells())  # 60 rows of 80 columns
    slip(lg.ArgumentError, "box 0 reaches outside: along axis 0 it goes from 0 to 99, the array from 0 to 60",
         lambda: sums.mean([(0, 0)], [(99, 9)]))
    slip(lg.ArgumentError, "box 1 is inverted: along axis 1 it goes from 7 to 3",
         lambda: sums.mean([(0, 0), (0, 7)], [(9, 9), (9, 3)]))
    slip(lg.ArgumentError, "along axis 1 it goes from -1 to 9", lambda: sums.mean([(0, -1)], [(9, 9)]))
    five = np.zeros((2, 2, 3, 4, 5), "uint8")
    slip(ValueError, "5 axes", lambda: lg.stats(five, layer_axis=0, channel_axis=-1))
    slip(ValueError, "(2, 3, 4, 5)", lambda: lg.stats(five[0], channel_axis=-1))
    slip(ValueError, "(2, 3, 4, 5)", lambda: lg.histogram(five[0], channel_axis=-1))
