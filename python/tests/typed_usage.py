"""What type checkers have to accept, and what they have to refuse. Read by test_typing.py, never run."""
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import lumagraph as lg

Array = npt.NDArray[Any]
image = np.zeros((8, 9), np.uint8)

# A filter with an image is an array, without one a pipeline.
assert_type(lg.filters.gaussian_blur(image, sigma=2), Array)
assert_type(lg.filters.gaussian_blur(sigma=2), lg.Pipeline)
assert_type(lg.filters.gaussian_blur(image, blur_radius=2.5, context=lg.Context("cpu")), Array)
assert_type(lg.filters.multiply_blend(image, image, opacity=0.5), Array)
assert_type(lg.filters.multiply_blend(over="#paper"), lg.Pipeline)
assert_type(lg.filters.amatorka(image, image, intensity=0.5), Array)
assert_type(lg.filters.label(image, connectivity=4), Array)
assert_type(lg.filters.threshold(image, level="@otsu"), Array)
assert_type(lg.filters.crop(image, box=(0, 0, 4, 4)), Array)
assert_type(lg.filters.solid_color(image, color=(1, 0, 0)), Array)

# Pipelines.
steps = lg.filters.gaussian_blur(sigma=2) | "grayscale"
assert_type(steps, lg.Pipeline)
assert_type("grayscale" | steps, lg.Pipeline)
assert_type(steps(image), Array)
assert_type(lg.run(steps, image), Array)
assert_type(lg.run("grayscale", image, figures=["@mean"]), tuple[Array, lg.Table])
plan = lg.Plan(steps, image, figures=["mean"])
assert_type(plan(image), Array)
assert_type(plan.figures, lg.Table)
stream = lg.Stream(plan, depth=2, live=True)
for frame in stream([image, (image, {"over": image})]):
    assert_type(frame, lg.Frame)
    assert_type(frame.image, Array)
    assert_type(frame.figures, lg.Table)
assert_type(stream.pull(wait=False), lg.Frame | None)
with lg.Context(threads=1) as context:
    assert_type(context, lg.Context)
    context.progress = lg.Progress("work")

# Measurements and displays.
assert_type(lg.stats(image), lg.Stats)
assert_type(lg.stats(image).table(), lg.Table)
assert_type(lg.Picture(image).note, str)
assert_type(lg.HistogramPlot(*lg.histogram(image)), lg.HistogramPlot)
assert_type(lg.threshold(image), lg.Threshold)
assert_type(lg.threshold(image, layer_axis=0, stack=False), list[lg.Threshold])
assert_type(lg.threshold_otsu(image), float)
assert_type(lg.label(image > 0), Array)
assert_type(lg.label(image > 0, return_num=True), tuple[Array, int])
assert_type(lg.regionprops_table(lg.label(image), image, ["area"]), lg.Table)
assert_type(lg.State.moments((8, 9), "uint8").add(image) | lg.State.moments((8, 9), "uint8"), lg.State)
assert_type(lg.gaussian(image, 2), Array)
assert_type(lg.label(image, keep="area > 5", largest=2), Array)
assert_type(lg.points(image, most=5), lg.Table)
assert_type(lg.integral_image(image).update(image), lg.AreaSums)
assert_type(lg.rectangle_boxes((5, 5), (2, 3), 10.0, (9, 9)), tuple[Array, Array, lg.Cover])
assert_type(lg.BoxMoments(image).query((0, 0), (2, 2)), lg.Table)

# Each of these is one error.
lg.filters.gaussian_blur(image, sigmaa=2)  # type: ignore[call-overload]
lg.filters.gaussian_blur(image, rule="exakt")  # type: ignore[call-overload]
lg.filters.gaussian_blur(image, sigma=[2])  # type: ignore[call-overload]
lg.filters.gaussian_blurr(image)  # type: ignore[attr-defined]
lg.filters.label(image, connectivity=5)  # type: ignore[call-overload]
steps | 3  # type: ignore[operator]
lg.Context("cpu", 1, "v3")  # type: ignore[call-arg]
lg.Stream("color_invert")  # type: ignore[arg-type]
lg.integral_image(image).query_polygon("sum", [(0, 0)], winding="left")  # type: ignore[arg-type]
