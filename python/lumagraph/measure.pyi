from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ._context import Context
from ._tables import Table

_Nan: TypeAlias = Literal["ignore", "propagate", "error"]
_NAN: dict[str, int]

class Stats:
    channels: Sequence[str]
    conversion: str | None
    def __init__(
        self,
        rows: Sequence[tuple[Any, ...]],
        shape: tuple[int, ...],
        channels: Sequence[str],
        conversion: str | None = None,
    ) -> None: ...
    @property
    def count(self) -> Any: ...
    @property
    def nan_count(self) -> Any: ...
    @property
    def inf_count(self) -> Any: ...
    @property
    def min(self) -> Any: ...
    @property
    def max(self) -> Any: ...
    @property
    def sum(self) -> Any: ...
    @property
    def mean(self) -> Any: ...
    @property
    def variance(self) -> Any: ...
    @property
    def variance_sample(self) -> Any: ...
    @property
    def exact_sum(self) -> Any: ...
    @property
    def std(self) -> Any: ...
    @property
    def std_sample(self) -> Any: ...
    def table(self) -> Table: ...
    def _repr_html_(self) -> str: ...

def stats(
    image: npt.ArrayLike,
    mask: npt.ArrayLike | None = None,
    region: Sequence[int] | None = None,
    channel_axis: int | None = None,
    *,
    layer_axis: int | None = None,
    stack: bool = False,
    nan: _Nan = "ignore",
    step: int = 1,
    skip_transparent: bool = False,
    cast: bool = False,
    context: Context | None = None,
) -> Stats: ...

def histogram(
    image: npt.ArrayLike,
    bins: int = 256,
    range: tuple[float, float] | None = None,
    mask: npt.ArrayLike | None = None,
    region: Sequence[int] | None = None,
    channel_axis: int | None = None,
    *,
    layer_axis: int | None = None,
    stack: bool = False,
    space: str = "stored",
    luma: str = "bt709",
    nan: _Nan = "ignore",
    step: int = 1,
    skip_transparent: bool = False,
    cast: bool = False,
    context: Context | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...

class _Threshold(NamedTuple):
    levels: tuple[float, ...]
    bins: tuple[int, ...]
    separability: float
    foreground: int
    total: int

class Threshold(_Threshold):
    @property
    def level(self) -> float: ...

@overload
def threshold(
    image: npt.ArrayLike,
    method: str = "otsu",
    mask: npt.ArrayLike | None = None,
    region: Sequence[int] | None = None,
    channel_axis: int | None = None,
    *,
    layer_axis: int | None = None,
    stack: Literal[True] = True,
    classes: int = 3,
    bins: int | None = None,
    value: float = 0.0,
    luma: str = "bt709",
    nan: _Nan = "ignore",
    step: int = 1,
    cast: bool = False,
    context: Context | None = None,
) -> Threshold: ...
@overload
def threshold(
    image: npt.ArrayLike,
    method: str = "otsu",
    mask: npt.ArrayLike | None = None,
    region: Sequence[int] | None = None,
    channel_axis: int | None = None,
    *,
    layer_axis: int | None = None,
    stack: Literal[False],
    classes: int = 3,
    bins: int | None = None,
    value: float = 0.0,
    luma: str = "bt709",
    nan: _Nan = "ignore",
    step: int = 1,
    cast: bool = False,
    context: Context | None = None,
) -> list[Threshold]: ...
def threshold_otsu(image: npt.ArrayLike, nbins: int | None = None, **arguments: Any) -> float: ...
def threshold_li(image: npt.ArrayLike, nbins: int | None = None, **arguments: Any) -> float: ...
def threshold_yen(image: npt.ArrayLike, nbins: int | None = None, **arguments: Any) -> float: ...
def threshold_triangle(image: npt.ArrayLike, nbins: int | None = None, **arguments: Any) -> float: ...
def threshold_isodata(image: npt.ArrayLike, nbins: int | None = None, **arguments: Any) -> float: ...
def threshold_mean(image: npt.ArrayLike, nbins: int | None = None, **arguments: Any) -> float: ...
def threshold_minimum(image: npt.ArrayLike, nbins: int | None = None, **arguments: Any) -> float: ...
def threshold_multiotsu(
    image: npt.ArrayLike, classes: int = 3, nbins: int | None = None, **arguments: Any
) -> npt.NDArray[Any]: ...
def points(
    image: npt.ArrayLike,
    mask: npt.ArrayLike | None = None,
    region: Sequence[int] | None = None,
    channel_axis: int | None = None,
    *,
    most: int | None = None,
    layer_axis: int | None = None,
    cast: bool = False,
    context: Context | None = None,
) -> Table: ...
