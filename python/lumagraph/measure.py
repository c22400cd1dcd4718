"""Measurements: moments, histograms, thresholds, labels and their figures, area sums, states."""
from collections import namedtuple

from . import _core
from ._arrays import Image, as_image, as_mask, channel_count, numpy, planes_of
from ._context import core_of
from ._tables import Table

_Threshold = namedtuple("_Threshold", "levels bins separability foreground total")
_NAN = {"ignore": 0, "propagate": 1, "error": 2}
_MOMENTS = ("count", "nan_count", "inf_count", "min", "max", "sum", "mean", "variance",
            "variance_sample", "exact_sum")


def _selection(mask, region, nan="ignore", step=1, skip_transparent=False, context=None):
    if nan not in _NAN:
        raise ValueError(f"nan '{nan}' is not one of ignore, propagate and error")
    if isinstance(region, str) or (region is not None and len(region) != 4):
        raise ValueError(f"region is (x, y, width, height) in pixels, not {region!r}")
    box = None if region is None else tuple(region)
    return as_mask(mask, context), box, _NAN[nan], step, skip_transparent


_EVERYTHING = (None, None, 0, 1, False)


class Stats:
    """Figures of an image: numbers for one channel, arrays where there are several or layers.

    Attributes: count, min, max, sum, mean, variance (population), variance_sample, std, std_sample,
    nan_count, inf_count, exact_sum (an int for integer samples, else None), channels (names),
    conversion (what was converted to float32, or None). The shape of an array is (channels,),
    (layers,) or (layers, channels).
    """

    __slots__ = ("_rows", "_shape", "channels", "conversion")

    def __init__(self, rows, shape, channels, conversion=None):
        self._rows, self._shape = rows, shape
        self.channels, self.conversion = channels, conversion

    def _column(self, index):
        if not self._shape:
            return self._rows[0][index]
        np = numpy()
        values = [row[index] for row in self._rows]
        kind = np.uint64 if index < 3 else object if index == 9 else np.float64
        return np.array(values, kind).reshape(self._shape)

    count = property(lambda self: self._column(0), doc="Samples that entered the figures.")
    nan_count = property(lambda self: self._column(1), doc="Samples that are NaN.")
    inf_count = property(lambda self: self._column(2), doc="Samples that are infinite.")
    min = property(lambda self: self._column(3), doc="The smallest sample.")
    max = property(lambda self: self._column(4), doc="The largest sample.")
    sum = property(lambda self: self._column(5), doc="The exact sum, rounded once.")
    mean = property(lambda self: self._column(6), doc="Sum over count, rounded once.")
    variance = property(lambda self: self._column(7), doc="Of the population.")
    variance_sample = property(lambda self: self._column(8), doc="Divided by count - 1.")
    exact_sum = property(lambda self: self._column(9), doc="Integer samples: the sum as an int.")
    std = property(lambda self: _root(self._column(7)), doc="Root of variance.")
    std_sample = property(lambda self: _root(self._column(8)), doc="Root of variance_sample.")

    def table(self):
        """A Table with a row for each channel of each layer."""
        np = numpy()
        many = len(self.channels)
        table = Table()
        if len(self._rows) > many:
            table["layer"] = np.arange(len(self._rows)) // many
        table["channel"] = np.array([self.channels[i % many] for i in range(len(self._rows))])
        for index, name in enumerate(_MOMENTS[:9]):
            table[name] = np.array([row[index] for row in self._rows])
        table["std"] = np.sqrt(table["variance"])
        return table

    def __repr__(self):
        if not self._shape:
            r = self._rows[0]
            return (f"<Stats of {r[0]} samples: min {r[3]:g}, max {r[4]:g}, mean {r[6]:g}, "
                    f"std {_root(r[7]):g}>")
        return f"<Stats of {' x '.join(map(str, self._shape))}: mean {self.mean}>"

    def _repr_html_(self):
        return self.table()._repr_html_()


def _root(value):
    return value ** 0.5


def stats(image, mask=None, region=None, channel_axis=None, *, layer_axis=None, stack=False,
          nan="ignore", step=1, skip_transparent=False, cast=False, context=None):
    """Exact moments of an image in one pass: a Stats.

    mask: zero leaves a pixel out. region: (x, y, width, height). Layers are measured one by one,
    or together with stack=True. nan: "ignore", "propagate" or "error".
    """
    if type(image) is not Image:
        if channel_axis is not None and channel_count(image, channel_axis) > 4:
            return _stats_of_planes(image, channel_axis, layer_axis, dict(
                mask=mask, region=region, stack=stack, nan=nan, step=step, cast=cast,
                context=context))
        image = as_image(image, channel_axis, layer_axis, cast, context=context)
    simple = mask is None and region is None and nan == "ignore" and step == 1
    chosen = _EVERYTHING if simple and not skip_transparent else _selection(
        mask, region, nan, step, skip_transparent, context)
    rows = _core.moments(core_of(context, image, chosen[0]), image, chosen, stack)
    has_layers, has_channels = image.flags[:2]
    shape = ()
    channels = image.channel_names()
    if has_layers and not stack:
        shape += (len(rows) // len(channels),)
    if has_channels:
        shape += (len(channels),)
    return Stats(rows, shape, channels, image.conversion)


def _stats_of_planes(image, channel_axis, layer_axis, arguments):
    """More channels than an image has: each is measured by itself."""
    planes, layer_axis = planes_of(image, channel_axis, layer_axis)
    each = [stats(plane, layer_axis=layer_axis, **arguments) for plane in planes]
    layers = len(each[0]._rows)
    rows = [s._rows[i] for i in range(layers) for s in each]
    shape = (*each[0]._shape, len(each))
    return Stats(rows, shape, tuple(map(str, range(len(each)))), each[0].conversion)


# ---- histograms ----------------------------------------------------------------------------------


def _counts(channels, index=6):
    np = numpy()
    return [np.frombuffer(c[0][index], np.int64) for c in channels]


def _arrange(values, image, stack, many):
    """Values of every channel of every layer, as an array with the axes that the image has."""
    np = numpy()
    out = np.array(values)
    has_layers, has_channels = image.flags[:2]
    shape = (len(values) // many,) if has_layers and not stack else ()
    if has_channels or many > 1:
        shape += (many,)
    return out.reshape(*shape, *out.shape[1:])


def histogram(image, bins=256, range=None, mask=None, region=None, channel_axis=None, *,
              layer_axis=None, stack=False, space="stored", luma="bt709", nan="ignore", step=1,
              skip_transparent=False, cast=False, context=None):
    """Counts and edges, as numpy.histogram: bins from edge to edge, the last one closed.

    range: (low, high), by default the least to the largest sample of all channels. Bins of samples
    that are integers have NumPy's edges too; numpy.arange(257) are those of range=(0, 256). counts
    have the shape (bins,), with layers and channels in front where the image has them. space:
    "stored", or a colour space such as "luma" or "hsv", whose channels are counted over their own
    ranges; then edges have a row for each channel.
    """
    if type(image) is not Image:
        if channel_axis is not None and channel_count(image, channel_axis) > 4:
            return _histogram_of_planes(image, bins, range, channel_axis, layer_axis, dict(
                mask=mask, region=region, stack=stack, nan=nan, step=step, cast=cast,
                context=context))
        image = as_image(image, channel_axis, layer_axis, cast, context=context)
    np = numpy()
    if not isinstance(bins, int) or not 1 <= bins <= 65536:
        raise ValueError(f"bins is {bins!r}; it is a whole number from 1 to 65536")
    if range is not None:
        low, high = map(float, range)
        if not low < high:
            raise ValueError(f"range is {low:g} to {high:g}; the first is below the second")
    chosen = _selection(mask, region, nan, step, skip_transparent, context)
    core = core_of(context, image, chosen[0])

    def count(bins, low, high, rule):
        return _core.histogram(core, image, chosen, stack, (bins, low, high, rule, space, luma), ())

    if space != "stored":
        channels = count(bins, *((0.0, 1.0, "type") if range is None else (low, high, "given")))
        many = _channels_of(channels)
        edges = [c[0][3] + np.arange(bins + 1) * c[0][5] for c in channels]
        return _arrange(_counts(channels), image, stack, many), _arrange(edges, image, stack, many)
    if image.type in ("u8", "u16"):
        return _histogram_of_values(count, image, stack, bins, range)
    channels = count(bins, *((0.0, 1.0, "automatic") if range is None else (low, high, "given")))
    if range is None:
        low, high = channels[0][0][3], channels[0][0][4]
        if channels[0][0][11] == 0:
            low, high = 0.0, 1.0
        elif not _spreads(core, image, chosen):
            low = high = _core.moments(core, image, chosen, True)[0][3]
            low, high = low - 0.5, high + 0.5
            channels = count(bins, low, high, "given")
    return _arrange(_counts(channels), image, stack, _channels_of(channels)), np.linspace(
        low, high, bins + 1)


def _channels_of(channels):
    """How many channels of the first layer are in a list of all."""
    first = channels[0][0][1]
    return sum(c[0][1] == first for c in channels)


def _spreads(core, image, chosen):
    rows = _core.moments(core, image, chosen, True)
    return min(r[3] for r in rows) < max(r[4] for r in rows)


def _histogram_of_values(count, image, stack, bins, range):
    """Integers are counted by value, and values are put into NumPy's bins."""
    np = numpy()
    values = 256 if image.type == "u8" else 65536
    channels = count(values, 0.0, values - 1.0, "given")
    each = _counts(channels)
    if range is None:
        found = np.flatnonzero(np.sum(each, 0))
        range = (found[0], found[-1]) if len(found) else (0, 1)
    if bins == values and tuple(range) == (0, values):
        return _arrange(each, image, stack, _channels_of(channels)), np.arange(values + 1.0)
    every = np.arange(values)
    edges = np.histogram_bin_edges(every, bins, range)
    each = [np.histogram(every, bins, range, weights=c)[0].astype(np.int64) for c in each]
    return _arrange(each, image, stack, _channels_of(channels)), edges


def _histogram_of_planes(image, bins, range, channel_axis, layer_axis, arguments):
    np = numpy()
    planes, layer_axis = planes_of(image, channel_axis, layer_axis)
    if range is None:
        s = [stats(p, layer_axis=layer_axis, **{**arguments, "stack": True}) for p in planes]
        range = min(x.min for x in s), max(x.max for x in s)
        if range[0] == range[1]:
            range = range[0] - 0.5, range[1] + 0.5
    each = [histogram(p, bins, range, layer_axis=layer_axis, **arguments) for p in planes]
    return np.stack([c for c, _ in each], -2), each[0][1]


# ---- thresholds ----------------------------------------------------------------------------------


class Threshold(_Threshold):
    """levels (foreground is above), bins behind them, separability, foreground, total."""

    __slots__ = ()

    @property
    def level(self):
        """The only level, or the last of several."""
        return self.levels[-1]


def threshold(image, method="otsu", mask=None, region=None, channel_axis=None, *, layer_axis=None,
              stack=True, classes=3, bins=None, value=0.0, luma="bt709", nan="ignore", step=1,
              cast=False, context=None):
    """The level of a method: a Threshold, or with stack=False a list of one for each layer.

    A pixel is foreground when it is above the level. Methods: otsu, multi-otsu (with `classes`),
    mean, li, yen, triangle, isodata, minimum, huang and others of ImageJ; colours count by luma.
    bins: of the histogram that a method gets, for samples other than uint8.
    """
    image = as_image(image, channel_axis, layer_axis, cast, context=context)
    chosen = _selection(mask, region, nan, step, False, context)
    found = _core.threshold(core_of(context, image, chosen[0]), image, chosen, stack, method,
                            classes, -1 if bins is None else bins, value, luma)
    whole = image.type in ("u8", "u16")
    found = [Threshold(tuple(int(x) if whole and x == int(x) else x for x in t[0]), *t[1:])
             for t in found]
    return found[0] if stack else found


def _one_level(method, skimage):
    def level(image, nbins=None, **arguments):
        return threshold(image, method, bins=nbins, **arguments).level

    level.__name__ = level.__qualname__ = "threshold_" + method
    level.__doc__ = f"""The level of the method "{method}", as skimage.filters.{skimage}.

    Foreground is image > level. An int for integer samples. nbins: of the histogram that the method
    gets, for samples other than uint8. Further arguments are those of `threshold`.
    """
    return level


threshold_otsu = _one_level("otsu", "threshold_otsu")
threshold_li = _one_level("li", "threshold_li")
threshold_yen = _one_level("yen", "threshold_yen")
threshold_triangle = _one_level("triangle", "threshold_triangle")
threshold_isodata = _one_level("isodata", "threshold_isodata")
threshold_mean = _one_level("mean", "threshold_mean")
threshold_minimum = _one_level("minimum", "threshold_minimum")


def threshold_multiotsu(image, classes=3, nbins=None, **arguments):
    """The levels that make `classes` classes, as skimage.filters.threshold_multiotsu: an array.

    Class c is above level c - 1. Further arguments are those of `threshold`.
    """
    return numpy().array(threshold(image, "multi-otsu", classes=classes, bins=nbins,
                                   **arguments).levels)


# ---- points ----------------------------------------------------------------------------------------


def points(image, mask=None, region=None, channel_axis=None, *, most=None, layer_axis=None, cast=False,
           context=None):
    """The points of an image, such as the corner detectors of lumagraph.filters make: a Table of the
    columns row, column, strength and, with layers, layer.

    A point is a pixel with a colour above 0, its strength the largest of its colours, in units of
    colours: 0..1 for integers. They are sorted by strength, the largest first. most: so many at most.
    """
    image = as_image(image, channel_axis, layer_axis, cast, context=context)
    if most is not None and most < 0:
        raise ValueError(f"most is {most}; it is a number of points")
    chosen = _selection(mask, region, context=context)
    data, _ = _core.points(core_of(context, image, chosen[0]), image, chosen,
                           0x7fffffffffff if most is None else most)
    found = numpy().frombuffer(data, numpy().float64).reshape(-1, 4)
    whole = found[:, :3].astype(numpy().int64)
    table = Table(row=whole[:, 1], column=whole[:, 0], strength=found[:, 3])
    if image.flags[0]:
        table["layer"] = whole[:, 2]
    return table
