"""lumagraph measures and filters images on the CPU and on any Vulkan GPU, with the same numbers on
both.

    import lumagraph as lg
    lg.stats(image).mean
    lg.run("gaussian_blur:sigma=2 | threshold:level=@otsu", image)

Definitions of all figures: docs/definitions.md of the project.
"""
from . import errors
from ._context import Context, devices, why_no_vulkan
from ._core import version as _version
from ._run import Plan, figures, run
from ._tables import Table
from .errors import (ArgumentError, CancelledError, DataError, DeviceError, Error, FileError,
                     LimitError, OutOfMemoryError, UnsupportedError)
from .measure import Stats, stats

__version__ = _version()
