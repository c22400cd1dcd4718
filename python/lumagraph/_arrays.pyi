from typing import Any

import numpy.typing as npt

from ._core import Image as Image

def numpy() -> Any: ...
def as_image(
    array: Any,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    cast: bool = False,
    copy: bool = True,
    context: Any = None,
) -> Any: ...
def as_mask(mask: Any, context: Any = None) -> Any: ...
def as_array(image: Any) -> Any: ...
def restore_axes(
    array: npt.NDArray[Any], channel_axis: int | None, layer_axis: int | None
) -> npt.NDArray[Any]: ...
def channel_count(array: Any, channel_axis: int) -> int: ...
def planes_of(
    array: Any, channel_axis: int, layer_axis: int | None
) -> tuple[list[npt.NDArray[Any]], int | None]: ...
