"""lumagraph measures and filters images on the CPU and on any Vulkan GPU, with the same numbers on
both.

    import lumagraph as lg
    lg.stats(image).mean
    lg.run("gaussian_blur:sigma=2 | threshold:level=@otsu", image)

Definitions of all figures: docs/definitions.md of the project.
"""
from . import errors
from ._areas import (AreaSums, BoxMoments, Cover, Ripmap, SmoothSums, integral_image, integrate,
                     mask_boxes, polygon_boxes, rectangle_boxes)
from ._context import Context, devices, why_no_vulkan
from ._core import version as _version
from ._cuda import DeviceArray, empty
from ._friendly import canny, gaussian, median
from ._labels import label, regionprops_table
from ._pipeline import Pipeline
from ._run import Plan, figures, run
from ._states import State
from ._stream import Frame, Stream
from ._tables import Table
from .errors import (ArgumentError, CancelledError, DataError, DeviceError, Error, FileError,
                     LimitError, OutOfMemoryError, UnsupportedError)
from .measure import (Stats, Threshold, histogram, points, stats, threshold, threshold_isodata,
                      threshold_li, threshold_mean, threshold_minimum, threshold_multiotsu,
                      threshold_otsu, threshold_triangle, threshold_yen)

__version__ = _version()

# Imported at first use: `import lumagraph` stays short.
_LATER = {"filters": ("filters", None), "dask": ("dask", None), "Picture": ("_display", "Picture"),
          "Progress": ("_display", "Progress"), "HistogramPlot": ("_display", "HistogramPlot")}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(_unknown(name), name=name)
    from importlib import import_module
    module, attribute = _LATER[name]
    found = import_module("." + module, __name__)
    globals()[name] = found = getattr(found, attribute) if attribute else found
    return found


def _unknown(name):
    text = f"module 'lumagraph' has no attribute '{name}'"
    if name.startswith("_"):  # asked for by tools, not by people
        return text
    from . import filters
    from ._names import like
    if name in filters.__all__:
        return f"{text}; it is a filter: lumagraph.filters.{name}"
    return text + like(name, [n for n in __dir__() if not n.startswith("_")])


def __dir__():
    return sorted({*globals(), *_LATER})
