from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._context import Context
from ._types import Array

_Mode: TypeAlias = Literal["nearest", "edge", "replicate", "mirror", "wrap", "constant"]

def gaussian(
    image: npt.ArrayLike,
    sigma: float = 1,
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    mode: _Mode = "nearest",
    out: Array | None = None,
    dtype: npt.DTypeLike | None = None,
    cast: bool = False,
    context: Context | None = None,
) -> Array: ...
def median(
    image: npt.ArrayLike,
    radius: int = 1,
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    mode: _Mode = "nearest",
    out: Array | None = None,
    cast: bool = False,
    context: Context | None = None,
) -> Array: ...
def canny(
    image: npt.ArrayLike,
    sigma: float = 1.0,
    low_threshold: float = 0.1,
    high_threshold: float = 0.2,
    *,
    channel_axis: int | None = None,
    cast: bool = False,
    context: Context | None = None,
) -> npt.NDArray[np.bool_]: ...
