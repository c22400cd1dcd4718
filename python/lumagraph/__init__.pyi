from . import dask as dask
from . import errors as errors
from . import filters as filters
from ._context import Context as Context
from ._context import devices as devices
from ._context import why_no_vulkan as why_no_vulkan
from ._display import Picture as Picture
from ._display import Progress as Progress
from ._pipeline import Pipeline as Pipeline
from ._run import Plan as Plan
from ._run import figures as figures
from ._run import run as run
from ._tables import Table as Table
from .errors import ArgumentError as ArgumentError
from .errors import CancelledError as CancelledError
from .errors import DataError as DataError
from .errors import DeviceError as DeviceError
from .errors import Error as Error
from .errors import FileError as FileError
from .errors import LimitError as LimitError
from .errors import OutOfMemoryError as OutOfMemoryError
from .errors import UnsupportedError as UnsupportedError
from .measure import Stats as Stats
from .measure import stats as stats

__version__: str
