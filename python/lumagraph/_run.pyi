from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy.typing as npt

from ._context import Context
from ._cuda import DeviceArray
from ._pipeline import Pipeline
from ._types import Array
from ._tables import Table

class Plan:
    pipeline: str
    def __init__(
        self,
        pipeline: Pipeline | str,
        like: npt.ArrayLike,
        *,
        inputs: Mapping[str, npt.ArrayLike] | None = None,
        figures: str | Sequence[str] | Mapping[str, str] = (),
        channel_axis: int | None = None,
        layer_axis: int | None = None,
        dtype: npt.DTypeLike | None = None,
        cast: bool = False,
        context: Context | None = None,
    ) -> None: ...
    def __call__(
        self, image: npt.ArrayLike, *, inputs: Mapping[str, npt.ArrayLike] | None = None, out: Array | None = None
    ) -> Array: ...
    def submit(
        self,
        image: Any,
        *,
        inputs: Mapping[str, Any] | None = None,
        out: Any = None,
        figures: Any = None,
        stream: int | None = 1,
    ) -> None: ...
    @property
    def figures(self) -> Table: ...
    @property
    def measured(self) -> Table: ...
    def set(self, node: str, parameter: str, value: object) -> None: ...
    def reset(self) -> None: ...
    def explain(self) -> str: ...
    def profile(self) -> list[dict[str, Any]]: ...
    def _repr_html_(self) -> str: ...

@overload
def run(
    pipeline: Pipeline | str,
    image: DeviceArray,
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    inputs: Mapping[str, Any] | None = None,
    out: DeviceArray | None = None,
    dtype: npt.DTypeLike | None = None,
    cast: bool = False,
    context: Context | None = None,
    figures: tuple[()] = (),
) -> DeviceArray: ...
@overload
def run(  # type: ignore[overload-overlap]
    pipeline: Pipeline | str,
    image: npt.ArrayLike,
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    inputs: Mapping[str, npt.ArrayLike] | None = None,
    out: Array | None = None,
    dtype: npt.DTypeLike | None = None,
    cast: bool = False,
    context: Context | None = None,
    figures: tuple[()] = (),
) -> Array: ...
@overload
def run(
    pipeline: Pipeline | str,
    image: npt.ArrayLike,
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    inputs: Mapping[str, npt.ArrayLike] | None = None,
    out: Array | None = None,
    dtype: npt.DTypeLike | None = None,
    cast: bool = False,
    context: Context | None = None,
    figures: str | Sequence[str] | Mapping[str, str],
) -> tuple[Array, Table]: ...
def figures(
    figures: str | Sequence[str] | Mapping[str, str],
    image: npt.ArrayLike,
    pipeline: Pipeline | str = "",
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    inputs: Mapping[str, npt.ArrayLike] | None = None,
    cast: bool = False,
    context: Context | None = None,
) -> Table: ...
