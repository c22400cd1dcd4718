"""Exceptions. All are `Error`; each is also the built-in one that fits, such as ValueError.

`status` of an exception is the kind that the C library names: "argument", "limit", "memory",
"device", "io", "data", "unsupported" or "cancelled".
"""
from ._core import (ArgumentError, CancelledError, DataError, DeviceError, Error, FileError,
                    LimitError, OutOfMemoryError, UnsupportedError)

__all__ = ["ArgumentError", "CancelledError", "DataError", "DeviceError", "Error", "FileError",
           "LimitError", "OutOfMemoryError", "UnsupportedError"]
