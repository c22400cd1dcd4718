"""Area sums: figures of many boxes of one array, from a table or a ripmap."""
from . import _core
from ._arrays import numpy
from ._context import core_of

_NAN = {"ignore": 0, "error": 2}


class AreaSums:
    """Sums of all boxes of an array, whose time does not depend on the size of a box.

    Made by integral_image (a table of prefix sums) and Ripmap. The array has one to six axes, and
    with channel_axis=-1 one of 1 to 4 channels, of bool, uint8, uint16, int32, float16, float32 or
    float64. Sums are exact; floats are multiples of a unit (`unit`), of which samples differ by at
    most half.
    """

    def __init__(self, array, *, ripmap=False, squares=False, extremes=False, bins=0, range=None,
                 channel_axis=None, nan="ignore", context=None):
        np = numpy()
        array = np.asarray(array)
        has_channels = channel_axis is not None
        if has_channels and channel_axis % array.ndim != array.ndim - 1:
            array = np.moveaxis(array, channel_axis, -1)
        if any(s < 0 for s in array.strides) or array.dtype.byteorder == ">" or (
                has_channels and array.strides[-1] != array.itemsize):
            array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        low, high = (0.0, 1.0) if range is None else map(float, range)
        self._has_channels = has_channels
        self._bins = bins
        self._core = _core.AreaSum(core_of(context), array, has_channels, ripmap, squares, extremes,
                                   bins, low, high, _NAN[nan])

    shape = property(lambda self: self._core.info()[0], doc="Extents, without channels.")
    nbytes = property(lambda self: self._core.info()[2], doc="Bytes of memory in use.")
    exact = property(lambda self: self._core.info()[3], doc="Whether no sample is rounded.")
    unit = property(lambda self: self._core.info()[4], doc="Samples are multiples of it.")

    def query(self, figure, start, end, *, context=None):
        """A figure of boxes: "sum", "mean", "variance", "min", "max", "count", "histogram" or a
        percentile such as "p50".

        start and end are arrays of (boxes, axes), in the order of the array's axes: the first
        element of each box, and the one behind its last. One box may be given as a tuple.
        """
        np = numpy()
        shape = self.shape
        first, last = np.atleast_2d(np.asarray(start)), np.atleast_2d(np.asarray(end))
        if first.shape != last.shape or first.ndim != 2 or first.shape[1] != len(shape):
            raise ValueError(f"start and end have the shapes {first.shape} and {last.shape}; they "
                             f"have a row for each box and {len(shape)} columns")
        if first.dtype.kind not in "iu" or last.dtype.kind not in "iu":
            raise TypeError("start and end are whole numbers")
        bounds = np.hstack([first[:, ::-1], last[:, ::-1]])
        if bounds.size and (bounds.max() > 0x7fffffff or bounds.min() < 0):
            raise ValueError("a box reaches outside the array")
        bounds = np.ascontiguousarray(bounds, np.int32)
        data = self._core.query(core_of(context), figure, bounds)
        counts = figure == "histogram"
        out = np.frombuffer(data, np.int64 if counts else np.float64)
        channels = self._core.info()[1]
        out = out.reshape(len(first), channels, self._bins if counts else 1)
        if not counts:
            out = out[:, :, 0]
        if not self._has_channels:
            out = out[:, 0]
        return out if np.ndim(start) == 2 else out[0]

    def sum(self, start, end):
        """The sum of each box; see query."""
        return self.query("sum", start, end)

    def mean(self, start, end):
        """The mean of each box; see query."""
        return self.query("mean", start, end)


class Ripmap(AreaSums):
    """Sums of all boxes with sides of powers of two: also extremes and histograms of boxes.

    lumagraph.Ripmap(image, extremes=True).query("max", start, end)
    """

    def __init__(self, array, *, squares=False, extremes=False, bins=0, range=None,
                 channel_axis=None, nan="ignore", context=None):
        super().__init__(array, ripmap=True, squares=squares, extremes=extremes, bins=bins,
                         range=range, channel_axis=channel_axis, nan=nan, context=context)


def integral_image(image, *, squares=False, channel_axis=None, nan="ignore", context=None):
    """A table of prefix sums for integrate(): an AreaSums. Unlike that of skimage.transform it is
    no array, has its sums exact, and takes any axes."""
    return AreaSums(image, squares=squares, channel_axis=channel_axis, nan=nan, context=context)


def integrate(ii, start, end):
    """Sums over boxes, as skimage.transform.integrate: `end` is the last element of a box, not the
    one behind it. Returns a number for each box."""
    np = numpy()
    return ii.query("sum", np.atleast_2d(start), np.atleast_2d(np.asarray(end)) + 1)
