"""Area sums: figures of many boxes and shapes of one array, from a table or a ripmap."""
from collections import namedtuple

from . import _core
from ._arrays import as_image, numpy
from ._context import core_of
from ._tables import Table

_NAN = {"ignore": 0, "error": 2}
_WHOLE = ("histogram", "exact_sum")

Cover = namedtuple("Cover", "boxes pixels missing extra")
Cover.__doc__ = """How boxes cover a turned rectangle: how many boxes there are, the pixels of the
rectangle inside the array, those of them in no box, and pixels of boxes outside it."""


class _Home:
    """Which context a table asks: one on a device is read by the context that built it alone."""

    def _build(self, core, make):
        made = make(core)
        self._home = core if core.device()["kind"] != "cpu" else None
        return made

    def _asks(self, context):
        return core_of(context) if context is not None or self._home is None else self._home


def _samples(array, channel_axis):
    """An array that area sums read: channels last and adjacent, strides not negative."""
    np = numpy()
    array = np.asarray(array)
    has_channels = channel_axis is not None
    if has_channels and channel_axis % array.ndim != array.ndim - 1:
        array = np.moveaxis(array, channel_axis, -1)
    if any(s < 0 for s in array.strides) or array.dtype.byteorder == ">" or (
            has_channels and array.strides[-1] != array.itemsize):
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return array


def _check_inside(first, last, shape):
    """The library counts axes from the last, so that its message would name another one."""
    wrong = (first < 0) | (last > shape) | (first >= last)
    if not wrong.any():
        return
    box, axis = numpy().argwhere(wrong)[0]
    low, high = first[box, axis], last[box, axis]
    what = "is empty" if low == high else "is inverted" if low > high else "reaches outside"
    raise _core.ArgumentError(f"box {box} {what}: along axis {axis} it goes from {low} to {high}, the "
                              f"array from 0 to {shape[axis]}")


def _bounds(start, end, axes, shape=None):
    """Boxes in the library's order: the axes from the last to the first. They lie in `shape`."""
    np = numpy()
    first, last = np.atleast_2d(np.asarray(start)), np.atleast_2d(np.asarray(end))
    if first.shape != last.shape or first.ndim != 2 or first.shape[1] != axes:
        raise ValueError(f"start and end have the shapes {first.shape} and {last.shape}; they have a "
                         f"row for each box and {axes} columns")
    if first.dtype.kind not in "iu" or last.dtype.kind not in "iu":
        raise TypeError("start and end are whole numbers")
    if shape is not None:
        _check_inside(first, last, shape)
    bounds = np.hstack([first[:, ::-1], last[:, ::-1]])
    if bounds.size and (bounds.max() > 0x7fffffff or bounds.min() < 0):
        raise ValueError("a box reaches outside the array")
    return np.ascontiguousarray(bounds, np.int32)


def _polygon(polygon, winding):
    """A polygon as the extension takes it. Points are (row, column)."""
    np = numpy()
    if winding not in ("even-odd", "non-zero"):
        raise ValueError(f"winding is '{winding}'; it is even-odd or non-zero")
    single = len(polygon) > 0 and np.ndim(polygon[0]) == 1
    rings = [np.asarray(ring, np.float64) for ring in ((polygon,) if single else polygon)]
    for ring in rings:
        if ring.ndim != 2 or ring.shape[1] != 2:
            raise ValueError(f"a ring of the shape {ring.shape}; it has a row for each point, and 2 "
                             "columns: row and column")
    points = np.concatenate([ring[:, ::-1] for ring in rings] or [np.empty((0, 2))])
    return np.ascontiguousarray(points).tobytes(), tuple(map(len, rings)), winding == "non-zero"


def _rectangle(center, size, angle):
    return (float(center[1]), float(center[0]), float(size[1]), float(size[0]), float(angle))


def _mask(mask):
    np = numpy()
    mask = np.asarray(mask)
    return as_image(mask if mask.dtype in (np.uint8, bool) else mask != 0)


class AreaSums(_Home):
    """Sums of all boxes of an array, whose time does not depend on the size of a box.

    Made by integral_image (a table of prefix sums) and Ripmap. The array has one to six axes, and
    with channel_axis=-1 one of 1 to 4 channels, of bool, uint8, uint16, int32, float16, float32 or
    float64. Sums are exact; floats are multiples of a unit (`unit`), of which samples differ by at
    most half. plain=True adds float32 instead, as the textbook does: half the memory, and figures
    that are not exact. Calls without `context=` take the one that built it when that has a Vulkan
    device, where the sums are; another one is refused then.
    """

    def __init__(self, array, *, ripmap=False, squares=False, extremes=False, bins=0, range=None,
                 above=None, plain=False, channel_axis=None, nan="ignore", memory_limit=None,
                 context=None):
        low, high = (0.0, 1.0) if range is None else map(float, range)
        self._channel_axis, self._bins = channel_axis, bins
        params = (squares, extremes, plain, bins, low, high, _NAN[nan],
                  None if above is None else float(above), memory_limit)
        self._core = self._build(core_of(context), lambda core: _core.AreaSum(
            core, _samples(array, channel_axis), channel_axis is not None, ripmap, params))

    shape = property(lambda self: self._core.info()[0], doc="Extents, without channels.")
    nbytes = property(lambda self: self._core.info()[2], doc="Bytes of memory in use.")
    exact = property(lambda self: self._core.info()[3], doc="Whether no sample is rounded.")
    unit = property(lambda self: self._core.info()[4], doc="Samples are multiples of it.")

    def update(self, array, *, context=None):
        """The same for another array of this shape and type, such as the next frame, in the memory
        of the old one. Returns the AreaSums."""
        self._build(self._asks(context), lambda core: self._core.update(
            core, _samples(array, self._channel_axis)))
        return self

    def query(self, figure, start, end, *, context=None):
        """A figure of boxes: "sum", "exact_sum" (int64, of integers), "mean", "variance", "min",
        "max", "count", "count_above" (samples above `above`), "probability" (the sum over that of the
        array), "histogram" or a percentile such as "p50".

        start and end are arrays of (boxes, axes), in the order of the array's axes: the first
        element of each box, and the one behind its last. One box may be given as a tuple.
        """
        np = numpy()
        bounds = _bounds(start, end, len(self.shape), self.shape)
        data = self._core.query(self._asks(context), figure, bounds)
        out = np.frombuffer(data, np.int64 if figure in _WHOLE else np.float64)
        channels = self._core.info()[1]
        counts = figure == "histogram"
        out = out.reshape(len(bounds), channels, self._bins if counts else 1)
        if not counts:
            out = out[:, :, 0]
        if self._channel_axis is None:
            out = out[:, 0]
        return out if np.ndim(start) == 2 else out[0]

    def sum(self, start, end):
        """The sum of each box; see query."""
        return self.query("sum", start, end)

    def mean(self, start, end):
        """The mean of each box; see query."""
        return self.query("mean", start, end)

    def _of_shape(self, figure, shape, layers, most, context):
        first, count = (0, -1) if layers is None else (int(layers[0]), int(layers[1]) - int(layers[0]))
        data, cover = self._core.query_shape(self._asks(context), figure, shape, first, count, most)
        out = numpy().frombuffer(data, numpy().float64)
        return (float(out[0]) if self._channel_axis is None else out), Cover(*cover)

    def query_polygon(self, figure, polygon, *, winding="even-odd", layers=None, context=None):
        """A figure of all pixels of a polygon: an array of (row, column) for each corner, or a list of
        such rings, of which further ones are holes.

        The centre of the first pixel is (0.5, 0.5); a pixel counts when its centre is inside. winding:
        "even-odd" or "non-zero". layers: (first, behind the last) of an array of three axes. Figures are
        those of `query` without histograms, percentiles and exact_sum.
        """
        return self._of_shape(figure, _polygon(polygon, winding), layers, 0, context)[0]

    def query_mask(self, figure, mask, *, layers=None, context=None):
        """A figure of all pixels where a mask of (rows, columns) is not zero; see query_polygon."""
        return self._of_shape(figure, _mask(mask), layers, 0, context)[0]

    def query_rectangle(self, figure, center, size, angle=0.0, *, most=64, context=None):
        """A figure of a turned rectangle, from at most `most` boxes, and the Cover of these.

        center and size are (row, column) and (height, width) in pixels; angle is in degrees, clockwise
        on a screen.
        """
        return self._of_shape(figure, _rectangle(center, size, angle), None, most, context)


class Ripmap(AreaSums):
    """Sums of all boxes with sides of powers of two: also extremes and histograms of boxes.

    lumagraph.Ripmap(image, extremes=True).query("max", start, end)
    """

    def __init__(self, array, *, squares=False, extremes=False, bins=0, range=None, above=None,
                 plain=False, channel_axis=None, nan="ignore", memory_limit=None, context=None):
        super().__init__(array, ripmap=True, squares=squares, extremes=extremes, bins=bins,
                         range=range, above=above, plain=plain, channel_axis=channel_axis, nan=nan,
                         memory_limit=memory_limit, context=context)


def integral_image(image, *, squares=False, above=None, plain=False, channel_axis=None, nan="ignore",
                   memory_limit=None, context=None):
    """A table of prefix sums for integrate(): an AreaSums. Unlike that of skimage.transform it is
    no array, has its sums exact, and takes any axes."""
    return AreaSums(image, squares=squares, above=above, plain=plain, channel_axis=channel_axis,
                    nan=nan, memory_limit=memory_limit, context=context)


def integrate(ii, start, end):
    """Sums over boxes, as skimage.transform.integrate: `end` is the last element of a box, not the
    one behind it. Returns a number for each box."""
    np = numpy()
    return ii.query("sum", np.atleast_2d(start), np.atleast_2d(np.asarray(end)) + 1)


class _Windows(_Home):
    """Queries of a table that was built once."""

    def __init__(self, array, channel_axis, order, max_side, memory_limit, context):
        self._has_channels = channel_axis is not None
        self._core = self._build(core_of(context), lambda core: _core.Windows(
            core, _samples(array, channel_axis), self._has_channels, order, max_side, memory_limit or 0))

    def _query(self, start, end, numbers, context):
        np = numpy()
        axes, channels, _ = self._core.info()
        bounds = _bounds(start, end, axes)
        out = np.frombuffer(self._core.query(self._asks(context), bounds), np.float64)
        out = out.reshape(len(bounds), channels, numbers)
        if not self._has_channels:
            out = out[:, 0]
        return out if np.ndim(start) == 2 else out[0]


class SmoothSums(_Windows):
    """Means under smooth windows of many sizes, from one table: a box convolved with itself `order`
    times, from 1 (a box) over 2 (a pyramid) to 4, nearly a Gaussian.

    lumagraph.SmoothSums(image, order=3, max_side=31).mean(start, end)

    max_side: the largest side of a box, odd. Sums are exact, of floats in multiples of `unit`.
    """

    def __init__(self, array, order=2, max_side=31, *, channel_axis=None, memory_limit=None,
                 context=None):
        if order == 0:
            raise ValueError("order is 0; it is 1 to 4")
        super().__init__(array, channel_axis, order, max_side, memory_limit, context)

    unit = property(lambda self: self._core.info()[2], doc="Samples are multiples of it.")

    def mean(self, start, end, *, context=None):
        """The mean under the window of each box, whose sides are odd. The window has the centre of the
        box, inside the array, and goes order * (side - 1) / 2 elements to either side; what of it is
        outside the array does not count. start and end are as in `AreaSums.query`."""
        return self._query(start, end, 1, context)[..., 0]


class BoxMoments(_Windows):
    """Where the samples of boxes of a picture lie: sums of samples times powers of their coordinates,
    each exact and rounded once.

    The array has two axes, and with channel_axis channels, of uint8, uint16 or bool.
    """

    COLUMNS = ("sum", "x", "y", "xx", "xy", "yy", "mean_x", "mean_y", "variance_x", "variance_y",
               "covariance")

    def __init__(self, array, *, channel_axis=None, memory_limit=None, context=None):
        super().__init__(array, channel_axis, 0, 0, memory_limit, context)

    def query(self, start, end, *, context=None):
        """A Table: sum, x, y, xx, xy and yy are sums of v, v x, v y, v x^2, v x y and v y^2; mean_x,
        mean_y, variance_x, variance_y and covariance follow from them, and are NaN where the sum is 0.
        x counts columns of the array, y rows."""
        out = self._query(start, end, len(self.COLUMNS), context)
        return Table((name, out[..., i]) for i, name in enumerate(self.COLUMNS))


def _shape_boxes(shape, size, most=0):
    np = numpy()
    height, width = size
    data, cover = _core.shape_boxes(core_of(None), shape, int(width), int(height), most)
    bounds = np.frombuffer(data, np.int32).reshape(-1, 2, 2)
    return bounds[:, 0, ::-1], bounds[:, 1, ::-1], Cover(*cover)


def polygon_boxes(polygon, shape, *, winding="even-odd"):
    """The pixels of a polygon as boxes of height 1, for `AreaSums.query`: start and end.

    shape: (rows, columns) of the array, to which they are clipped. See AreaSums.query_polygon.
    """
    return _shape_boxes(_polygon(polygon, winding), shape)[:2]


def mask_boxes(mask):
    """The pixels where a mask of (rows, columns) is not zero as boxes of height 1: start and end."""
    return _shape_boxes(_mask(mask), numpy().shape(mask))[:2]


def rectangle_boxes(center, size, angle, shape, *, most=64):
    """At most `most` boxes that nearly cover a turned rectangle: start, end and the Cover. See
    AreaSums.query_rectangle."""
    return _shape_boxes(_rectangle(center, size, angle), shape, most)
