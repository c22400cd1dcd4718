from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy.typing as npt

from ._context import Context
from ._tables import Table

_Winding = Literal["even-odd", "non-zero"]
_Polygon = npt.ArrayLike | Sequence[npt.ArrayLike]
_Floats = npt.NDArray[Any]
_Pair = tuple[float, float]

class Cover(NamedTuple):
    boxes: int
    pixels: int
    missing: int
    extra: int

class AreaSums:
    def __init__(
        self,
        array: npt.ArrayLike,
        *,
        ripmap: bool = False,
        squares: bool = False,
        extremes: bool = False,
        bins: int = 0,
        range: tuple[float, float] | None = None,
        above: float | None = None,
        plain: bool = False,
        channel_axis: int | None = None,
        nan: str = "ignore",
        memory_limit: int | None = None,
        context: Context | None = None,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    @property
    def unit(self) -> float: ...
    def update(self, array: npt.ArrayLike, *, context: Context | None = None) -> AreaSums: ...
    def query(
        self, figure: str, start: npt.ArrayLike, end: npt.ArrayLike, *, context: Context | None = None
    ) -> npt.NDArray[Any]: ...
    def sum(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[Any]: ...
    def mean(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[Any]: ...
    def query_polygon(
        self,
        figure: str,
        polygon: _Polygon,
        *,
        winding: _Winding = "even-odd",
        layers: tuple[int, int] | None = None,
        context: Context | None = None,
    ) -> float | _Floats: ...
    def query_mask(
        self,
        figure: str,
        mask: npt.ArrayLike,
        *,
        layers: tuple[int, int] | None = None,
        context: Context | None = None,
    ) -> float | _Floats: ...
    def query_rectangle(
        self,
        figure: str,
        center: _Pair,
        size: _Pair,
        angle: float = 0.0,
        *,
        most: int = 64,
        context: Context | None = None,
    ) -> tuple[float | _Floats, Cover]: ...

class Ripmap(AreaSums):
    def __init__(
        self,
        array: npt.ArrayLike,
        *,
        squares: bool = False,
        extremes: bool = False,
        bins: int = 0,
        range: tuple[float, float] | None = None,
        above: float | None = None,
        plain: bool = False,
        channel_axis: int | None = None,
        nan: str = "ignore",
        memory_limit: int | None = None,
        context: Context | None = None,
    ) -> None: ...

def integral_image(
    image: npt.ArrayLike,
    *,
    squares: bool = False,
    above: float | None = None,
    plain: bool = False,
    channel_axis: int | None = None,
    nan: str = "ignore",
    memory_limit: int | None = None,
    context: Context | None = None,
) -> AreaSums: ...
def integrate(ii: AreaSums, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[Any]: ...

class _Windows:
    def __init__(
        self,
        array: npt.ArrayLike,
        channel_axis: int | None,
        order: int,
        max_side: int,
        memory_limit: int | None,
        context: Context | None,
    ) -> None: ...

class SmoothSums(_Windows):
    def __init__(
        self,
        array: npt.ArrayLike,
        order: int = 2,
        max_side: int = 31,
        *,
        channel_axis: int | None = None,
        memory_limit: int | None = None,
        context: Context | None = None,
    ) -> None: ...
    @property
    def unit(self) -> float: ...
    def mean(
        self, start: npt.ArrayLike, end: npt.ArrayLike, *, context: Context | None = None
    ) -> _Floats: ...

class BoxMoments(_Windows):
    COLUMNS: tuple[str, ...]
    def __init__(
        self,
        array: npt.ArrayLike,
        *,
        channel_axis: int | None = None,
        memory_limit: int | None = None,
        context: Context | None = None,
    ) -> None: ...
    def query(self, start: npt.ArrayLike, end: npt.ArrayLike, *, context: Context | None = None) -> Table: ...

def polygon_boxes(
    polygon: _Polygon, shape: tuple[int, int], *, winding: _Winding = "even-odd"
) -> tuple[_Floats, _Floats]: ...
def mask_boxes(mask: npt.ArrayLike) -> tuple[_Floats, _Floats]: ...
def rectangle_boxes(
    center: _Pair, size: _Pair, angle: float, shape: tuple[int, int], *, most: int = 64
) -> tuple[_Floats, _Floats, Cover]: ...
