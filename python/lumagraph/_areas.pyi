from typing import Any

import numpy.typing as npt

from ._context import Context

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
        channel_axis: int | None = None,
        nan: str = "ignore",
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
    def query(
        self, figure: str, start: npt.ArrayLike, end: npt.ArrayLike, *, context: Context | None = None
    ) -> npt.NDArray[Any]: ...
    def sum(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[Any]: ...
    def mean(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[Any]: ...

class Ripmap(AreaSums):
    def __init__(
        self,
        array: npt.ArrayLike,
        *,
        squares: bool = False,
        extremes: bool = False,
        bins: int = 0,
        range: tuple[float, float] | None = None,
        channel_axis: int | None = None,
        nan: str = "ignore",
        context: Context | None = None,
    ) -> None: ...

def integral_image(
    image: npt.ArrayLike,
    *,
    squares: bool = False,
    channel_axis: int | None = None,
    nan: str = "ignore",
    context: Context | None = None,
) -> AreaSums: ...
def integrate(ii: AreaSums, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[Any]: ...
