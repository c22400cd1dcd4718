from collections.abc import Sequence
from typing import Any, Literal

import numpy.typing as npt

from ._context import Context
from ._tables import Table

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
    nan: Literal["ignore", "propagate", "error"] = "ignore",
    step: int = 1,
    skip_transparent: bool = False,
    cast: bool = False,
    context: Context | None = None,
) -> Stats: ...
