from collections.abc import Sequence
from typing import Literal, overload

import numpy.typing as npt

from ._context import Context
from ._tables import Table
from ._types import Array

@overload
def label(
    image: npt.ArrayLike,
    connectivity: int | None = None,
    *,
    return_num: Literal[False] = False,
    level: float | None = None,
    fill_holes: bool = False,
    keep: str | None = None,
    largest: int | None = None,
    intensity_image: npt.ArrayLike | None = None,
    layer_axis: int | None = None,
    context: Context | None = None,
) -> Array: ...
@overload
def label(
    image: npt.ArrayLike,
    connectivity: int | None = None,
    *,
    return_num: Literal[True],
    level: float | None = None,
    fill_holes: bool = False,
    keep: str | None = None,
    largest: int | None = None,
    intensity_image: npt.ArrayLike | None = None,
    layer_axis: int | None = None,
    context: Context | None = None,
) -> tuple[Array, int]: ...
def regionprops_table(
    label_image: npt.ArrayLike,
    intensity_image: npt.ArrayLike | None = None,
    properties: str | Sequence[str] = ("label", "bbox"),
    *,
    spacing: float | Sequence[float] | None = None,
    channel_axis: int | None = None,
    cast: bool = False,
    separator: str = "-",
    context: Context | None = None,
) -> Table: ...
