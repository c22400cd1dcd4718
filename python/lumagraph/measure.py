"""Measurements: stats, histogram, thresholds."""
from . import _core
from ._arrays import Image, as_image, as_mask, numpy
from ._context import core_of
from ._tables import Table

_NAN = {"ignore": 0, "propagate": 1, "error": 2}
_MOMENTS = ("count", "nan_count", "inf_count", "min", "max", "sum", "mean", "variance",
            "variance_sample", "exact_sum")


def _selection(mask, region, nan="ignore", step=1, skip_transparent=False):
    if nan not in _NAN:
        raise ValueError(f"nan '{nan}' is not one of ignore, propagate and error")
    return as_mask(mask), None if region is None else tuple(region), _NAN[nan], step, skip_transparent


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
            return f"<Stats of {r[0]} samples: min {r[3]:g}, max {r[4]:g}, mean {r[6]:g}, std {_root(r[7]):g}>"
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
    core = core_of(context)
    if type(image) is not Image:
        image = as_image(image, channel_axis, layer_axis, cast)
    simple = mask is None and region is None and nan == "ignore" and step == 1
    chosen = _EVERYTHING if simple and not skip_transparent else _selection(
        mask, region, nan, step, skip_transparent)
    rows = _core.moments(core, image, chosen, stack)
    has_layers, has_channels = image.flags[:2]
    shape = ()
    channels = image.channel_names()
    if has_layers and not stack:
        shape += (len(rows) // len(channels),)
    if has_channels:
        shape += (len(channels),)
    return Stats(rows, shape, channels, image.conversion)
