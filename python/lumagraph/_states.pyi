from typing import Any, Literal, Self

import numpy.typing as npt

from ._context import Context

class State:
    def __init__(self, core: Any, arguments: tuple[Any, int]) -> None: ...
    @classmethod
    def moments(cls, shape: tuple[int, ...], dtype: npt.DTypeLike, *, channels: int = 1) -> Self: ...
    @classmethod
    def boxes(
        cls,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        start: npt.ArrayLike,
        end: npt.ArrayLike,
        *,
        channels: int = 1,
    ) -> Self: ...
    @classmethod
    def histogram(
        cls,
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        *,
        channels: int = 1,
        bins: int = 256,
        range: tuple[float, float] | None = None,
        space: str = "stored",
        luma: str = "bt709",
    ) -> Self: ...
    def add(
        self,
        tile: npt.ArrayLike,
        y: int = 0,
        x: int = 0,
        layer: int = 0,
        *,
        mask: npt.ArrayLike | None = None,
        channel_axis: int | None = None,
        layer_axis: int | None = None,
        context: Context | None = None,
    ) -> Self: ...
    def merge(self, other: State) -> Self: ...
    def __ior__(self, other: State) -> Self: ...
    def __or__(self, other: State) -> State: ...
    def copy(self) -> State: ...
    def __copy__(self) -> State: ...
    def finish(self, nan: Literal["ignore", "propagate", "error"] = "ignore") -> Any: ...
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        *,
        kind: Literal["moments", "histogram", "boxes"] = "moments",
        channels: int = 1,
        boxes: int = 0,
    ) -> State: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
