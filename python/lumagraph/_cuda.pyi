from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._context import Context
from ._core import Image

class DeviceArray:
    stream: int | None
    def __init__(self, image: Image, stream: int | None = 1) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def device(self) -> str: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def numpy(self) -> npt.NDArray[Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]: ...

def empty(
    shape: Sequence[int],
    dtype: Any = "uint8",
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    device: str = "cuda:0",
    context: Context | None = None,
) -> DeviceArray: ...
def cuda_number(array: Any) -> int | None: ...
def in_place(
    array: Any, channel_axis: int | None, layer_axis: int | None, context: Context | None
) -> Any: ...
def image_of(
    array: Any,
    number: int,
    channel_axis: int | None,
    layer_axis: int | None,
    copy: bool,
    context: Context | None,
    host_waits: bool = True,
) -> Any: ...
