"""Pipelines of filters: run(), Plan and figures()."""
from . import _core
from ._arrays import as_array, as_image, restore_axes
from ._context import core_of
from ._cuda import cuda_number, in_place
from ._pipeline import _resolved
from ._tables import Table

_TYPES = {"uint8": 0, "uint16": 1, "float16": 2, "float32": 3, "bool": 0}
_KEPT = 8  # plans of run() that a context keeps
_kept = None


def type_number(dtype):
    if dtype is None:
        return -1
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    name = name.rsplit(".", 1)[-1]  # torch.uint8
    if name not in _TYPES:
        raise TypeError(f"dtype {name} is not one of uint8, uint16, float16 and float32")
    return _TYPES[name]


def _figure_pairs(figures):
    """Names and texts of figures: a list of texts, or a dictionary of name and text."""
    if isinstance(figures, str):
        figures = (figures,)
    if isinstance(figures, dict):
        return tuple((str(name), text) for name, text in figures.items())
    return tuple((text.lstrip("@"), text) for text in figures)


def _split_figures(figures):
    """Two tables of the core's tuples: figures that were asked for, and what parameters took."""
    asked, taken = Table(), Table()
    for _, filter_name, name, values in figures:
        value = values[0] if len(values) == 1 else values
        if filter_name is None:
            asked[name] = value
        else:
            taken[f"{filter_name}.{name}"] = value
    return asked, taken


def _figure_table(core_plan):
    return _split_figures(core_plan.figures())[0]


class _Kept:
    """The last plans of run() on one context: a call on the same shapes compiles nothing."""

    def __init__(self):
        self.plans = {}

    def find(self, core, key, make):
        key = (id(core), *key)
        entry = self.plans.pop(key, None)
        if entry is None or entry[0] is not core:
            entry = (core, make())
            while len(self.plans) >= _KEPT:
                del self.plans[next(iter(self.plans))]
        self.plans[key] = entry
        return entry[1]

    def forget(self, core):
        """Drops the plans of a context that is closed."""
        for key in [k for k, entry in self.plans.items() if entry[0] is core]:
            del self.plans[key]


def _plans():
    from ._context import _own
    if not hasattr(_own, "plans"):
        _own.plans = _Kept()
    return _own.plans


def _inputs_of(image, inputs, channel_axis, layer_axis, cast, context):
    first = as_image(image, channel_axis, layer_axis, cast, context=context)
    if not inputs:
        return ("image",), (first,)
    names, images = ["image"], [first]
    for name, other in inputs.items():
        names.append(name)
        images.append(other if type(other) is _core.Image else _second(other, channel_axis,
                                                                        layer_axis, cast, context))
    return tuple(names), tuple(images)


def _second(array, channel_axis, layer_axis, cast, context):
    """A further image has the axes of the first, or only rows and columns."""
    ndim = len(getattr(array, "shape", ()))
    axes = 2 + (channel_axis is not None) + (layer_axis is not None)
    if ndim == 2 and axes > 2:
        return as_image(array, None, None, cast, context=context)
    if ndim == 3 and axes == 4:
        return as_image(array, channel_axis, None, cast, context=context)
    if ndim == 3 and axes == 2:
        return as_image(array, -1, None, cast, context=context)
    return as_image(array, channel_axis, layer_axis, cast, context=context)


def _result_into(core_plan, images, out, channel_axis, layer_axis, afresh, context):
    """Runs into the caller's array: in its memory, or, where the library cannot write there, by a
    copy."""
    try:
        target = as_image(out, channel_axis, layer_axis, copy=False, context=context)
    except ValueError:
        if cuda_number(out) is not None:
            raise
        target = None
    shape = core_plan.output()
    padded = shape is not None and shape[5] and target is not None and target.size[3] == 3
    if target is not None and not padded:
        core_plan.run(images, target, afresh)
        return out
    result = restore_axes(as_array(core_plan.run(images, None, afresh)), channel_axis, layer_axis)
    if getattr(out, "shape", None) != result.shape or out.dtype != result.dtype:
        raise ValueError(f"out is an array of {getattr(out, 'shape', None)} "
                         f"{getattr(out, 'dtype', '')}; the result is one of {result.shape} "
                         f"{result.dtype}")
    out[...] = result
    return out


class Plan:
    """A pipeline that is compiled once, for images like `like`, and runs any number of times.

    plan = Plan("gaussian_blur:sigma=2 | threshold:level=@otsu", like=image, figures=["@mean"])
    result = plan(image); plan.figures
    """

    def __init__(self, pipeline, like, *, inputs=None, figures=(), channel_axis=None,
                 layer_axis=None, dtype=None, cast=False, context=None):
        pipeline, inputs = _resolved(pipeline, inputs)
        self._bound = inputs
        self._axes = channel_axis, layer_axis
        self._cast = cast
        self._context = context
        self._names, images = _inputs_of(like, inputs, channel_axis, layer_axis, cast, context)
        self._core = _core.Plan(core_of(context, *images), pipeline, self._names, images,
                                _figure_pairs(figures), type_number(dtype), 0, True)
        self.pipeline = pipeline

    def _images(self, image, inputs):
        """The images of a run, in the order in which the plan has them."""
        given = {**self._bound, **inputs} if inputs else self._bound
        names, images = _inputs_of(image, given, *self._axes, self._cast, self._context)
        if set(names) != set(self._names):
            raise ValueError(f"the plan's images are called {', '.join(self._names)}, "
                             f"not {', '.join(names)}")
        by_name = dict(zip(names, images))
        return tuple(by_name[name] for name in self._names)

    def __call__(self, image, *, inputs=None, out=None):
        """The result for an image of the plan's shape; written to `out` where it is given."""
        images = self._images(image, inputs)
        if out is not None:
            return _result_into(self._core, images, out, *self._axes, False, self._context)
        return restore_axes(as_array(self._core.run(images, None, False)), *self._axes)

    def submit(self, image, *, inputs=None, out=None, figures=None, stream=1):
        """Runs on a GPU without waiting: what the CUDA stream `stream` (a handle; 1 is the legacy
        default stream) has now comes first, and what it is given later sees the results.

        All arrays are of `empty`, or tensors made of them, on the device of the plan. out: gets the
        pixels. figures: an array of float32 that gets a row of four columns for each figure of the
        plan. An error of the run is raised by a later call with the plan.
        """
        given = {**self._bound, **inputs} if inputs else self._bound
        places = {"image": image, **given}
        if set(places) != set(self._names):
            raise ValueError(f"the plan's images are called {', '.join(self._names)}")
        images = tuple(in_place(places[name], *self._axes, self._context) for name in self._names)
        self._core.submit(images, None if out is None else in_place(out, *self._axes, self._context),
                          None if figures is None else in_place(figures, None, None, self._context),
                          stream)

    @property
    def figures(self):
        """Figures of the last run that were asked for, by name."""
        return _figure_table(self._core)

    @property
    def measured(self):
        """What the pipeline's parameters took in the last run, as `filter.parameter`."""
        return _split_figures(self._core.figures())[1]

    def set(self, node, parameter, value):
        """Changes a parameter of the compiled plan. `node` is the name of a filter of the
        pipeline, or the one that `#name` gave it."""
        self._core.set(node, parameter, _text_of(value))

    def reset(self):
        """Forgets what is kept from run to run, such as images of earlier ones."""
        self._core.reset()

    def explain(self):
        """One line per stage: what it reads, does and writes."""
        return self._core.explain()

    def profile(self):
        """Stages of the last run: name, seconds, bytes."""
        return [dict(zip(("name", "seconds", "bytes"), stage)) for stage in self._core.profile()]

    def _repr_html_(self):
        from ._display import plan_html
        return plan_html(self.explain(), self._core.profile())

    def __repr__(self):
        return f"<lumagraph.Plan {self.pipeline!r}>"


def _text_of(value):
    """A parameter as pipelines have it: numbers, yes and no, words, colours."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "__iter__"):
        return ",".join(_text_of(v) for v in value)
    return repr(float(value)) if not isinstance(value, int) else str(value)


def run(pipeline, image, *, channel_axis=None, layer_axis=None, inputs=None, out=None, dtype=None,
        cast=False, context=None, figures=()):
    """Runs a pipeline of filters on an image and returns the result as a NumPy array; for an image on
    a GPU (`empty`, torch, CuPy) as a DeviceArray there.

    lumagraph.run("gaussian_blur:sigma=2 | threshold:level=@otsu", image)

    image: an array of (rows, columns), of uint8, uint16, float16, float32 or bool, or of another
    type whose values are all float32 (cast=True rounds those that are not). channel_axis names the
    axis of 1 to 4 channels, layer_axis that of layers: nothing is guessed. inputs: further images,
    by the names that the pipeline uses. out: an array that takes the result. dtype: of the result,
    by default that of the image. figures: texts such as "@mean" or a dictionary of name and text;
    then the return value is the result and a Table of figures of it.

    The result of three channels is a view of pixels of four samples, without the last one.
    """
    pipeline, inputs = _resolved(pipeline, inputs)
    names, images = _inputs_of(image, inputs, channel_axis, layer_axis, cast, context)
    core = core_of(context, *images)
    pairs = _figure_pairs(figures) if figures else ()
    number = -1 if dtype is None else type_number(dtype)
    key = (pipeline, names, tuple([i.key for i in images]), pairs, number)
    plan = _plans().find(core, key, lambda: _core.Plan(core, pipeline, names, images, pairs, number,
                                                       0, True))
    if out is not None:
        result = _result_into(plan, images, out, channel_axis, layer_axis, True, context)
    else:
        result = restore_axes(as_array(plan.run(images, None, True)), channel_axis, layer_axis)
    return (result, _figure_table(plan)) if pairs else result


def figures(figures, image, pipeline="", *, channel_axis=None, layer_axis=None, inputs=None,
            cast=False, context=None):
    """Figures of an image, or of what a pipeline makes of it: a Table by name.

    lumagraph.figures(["mean", "otsu", "p99"], image)

    The units are those of colours, 0..1 for integer samples. Figures of components are counts and
    pixels.
    """
    pipeline, inputs = _resolved(pipeline, inputs)
    names, images = _inputs_of(image, inputs, channel_axis, layer_axis, cast, context)
    core = core_of(context, *images)
    pairs = _figure_pairs(figures)
    key = (pipeline, names, tuple([i.key for i in images]), pairs, None)
    plan = _plans().find(core, key, lambda: _core.Plan(core, pipeline, names, images, pairs, -1, 0,
                                                       False))
    plan.run(images, None, True)
    return _figure_table(plan)
