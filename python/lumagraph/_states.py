"""States: moments, of all or of boxes, and histograms of an image that comes in tiles, from threads or
machines."""
from . import _core
from ._arrays import as_image, as_mask, numpy
from ._context import core_of
from .measure import _NAN, Stats

_TYPES = {"uint8": 0, "uint16": 1, "float16": 2, "float32": 3, "bool": 0}
_NAMES = {1: ("grey",), 2: ("grey", "a"), 3: ("r", "g", "b"), 4: ("r", "g", "b", "a")}


class State:
    """What is known of an image of which tiles were measured.

    state = lumagraph.State.moments((height, width), "uint8")
    state.add(tile, y, x)
    state |= other            # of the same shape
    state.finish().mean       # as stats() of the whole image

    Tiles may come in any order; the figures are those of one pass, bit for bit. States pickle, and
    `to_bytes` and `from_bytes` carry them between versions of Python.
    """

    __slots__ = ("_core", "_arguments")

    def __init__(self, core, arguments):
        self._core, self._arguments = core, arguments

    @classmethod
    def moments(cls, shape, dtype, *, channels=1):
        """A state of moments, for an image of (rows, columns) or (layers, rows, columns)."""
        return cls._make(None, shape, dtype, channels, ("moments", 0))

    @classmethod
    def histogram(cls, shape, dtype, *, channels=1, bins=256, range=None, space="stored",
                  luma="bt709"):
        """A state of a histogram; range: (low, high). Without one it is that of the type, and bins
        of integers count values."""
        low, high = (0.0, 1.0) if range is None else map(float, range)
        return cls._make((bins, low, high, "type" if range is None else "given", space, luma), shape,
                         dtype, channels, ("histogram", 0))

    @classmethod
    def boxes(cls, shape, dtype, start, end, *, channels=1):
        """A state of the moments of boxes. start and end are arrays of (boxes, 2): row and column of the
        first pixel of each, and of the one behind its last. A box covers all layers; boxes may
        overlap. Figures have a row for each box."""
        np = numpy()
        first, last = np.asarray(start), np.asarray(end)
        if first.ndim != 2 or first.shape[1] != 2 or first.shape != last.shape:
            raise ValueError(f"start and end have the shapes {first.shape} and {last.shape}; they have "
                             "a row for each box and 2 columns")
        if first.dtype.kind not in "iu" or last.dtype.kind not in "iu":
            raise TypeError("start and end are whole numbers")
        first, last = first.astype(np.int64)[:, ::-1], last.astype(np.int64)[:, ::-1]
        rows = np.hstack([first, last - first])
        return cls._make(rows.tobytes(), shape, dtype, channels, ("boxes", len(rows)))

    @classmethod
    def _make(cls, what, shape, dtype, channels, kind):
        name = numpy().dtype(dtype).name
        if name not in _TYPES:
            raise TypeError(f"a state has samples of uint8, uint16, float16 or float32, not {name}")
        if len(shape) not in (2, 3):
            raise ValueError(f"the shape {tuple(shape)} is neither (rows, columns) nor (layers, "
                             "rows, columns)")
        if channels not in _NAMES:
            raise ValueError(f"channels is {channels}; an image has 1 to 4")
        layers, height, width = (1, *shape)[-3:]
        alpha = 2 if channels in (2, 4) else 0
        core = _core.Accumulator(what, _TYPES[name], channels, alpha, width, height, layers)
        return cls(core, (kind, channels))

    def add(self, tile, y=0, x=0, layer=0, *, mask=None, channel_axis=None, layer_axis=None,
            context=None):
        """Adds a tile, whose first pixel is at row y and column x. Each pixel is added once."""
        if channel_axis is None and self._arguments[1] > 1:
            channel_axis = -1
        image = as_image(tile, channel_axis, layer_axis)
        self._core.add(core_of(context), image, as_mask(mask), x, y, layer)
        return self

    def merge(self, other):
        """Adds what another state of the same image has."""
        if not isinstance(other, State):
            raise TypeError(f"a State is merged with a State, not with {type(other).__name__}")
        self._core.merge(other._core)
        return self

    def __ior__(self, other):
        return self.merge(other)

    def __or__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        return self.copy().merge(other)

    def copy(self):
        """A state of the same tiles."""
        return State._load(self.to_bytes(), self._arguments)

    __copy__ = copy

    def finish(self, nan="ignore"):
        """The figures of all tiles so far: a Stats, or counts and edges of a histogram."""
        np = numpy()
        (kind, boxes), channels = self._arguments
        rows = self._core.finish(_NAN[nan], ())
        if kind != "histogram":
            shape = (boxes,) if kind == "boxes" else ()
            return Stats(rows, shape if channels == 1 else (*shape, channels), _NAMES[channels])
        counts = np.array([np.frombuffer(r[0][6], np.int64) for r in rows])
        edges = np.array([r[0][3] + np.arange(r[0][2] + 1) * r[0][5] for r in rows])
        return (counts[0], edges[0]) if len(rows) == 1 else (counts, edges)

    def to_bytes(self):
        """The state, with a header and a checksum."""
        return self._core.save()

    @classmethod
    def from_bytes(cls, data, *, kind="moments", channels=1, boxes=0):
        """The state of to_bytes(). kind: "moments", "histogram" or "boxes", whose number is `boxes`."""
        if kind not in ("moments", "histogram", "boxes"):
            raise ValueError(f"kind is '{kind}'; it is moments, histogram or boxes")
        if boxes < 0:
            raise ValueError(f"boxes is {boxes}; it is the number of boxes")
        return cls._load(data, ((kind, boxes), channels))

    @classmethod
    def _load(cls, data, arguments):
        (kind, boxes), channels = arguments
        return cls(_core.accumulator_load(data, kind, channels, boxes), arguments)

    def __reduce__(self):
        return State._load, (self.to_bytes(), self._arguments)
