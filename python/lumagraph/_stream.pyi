from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType

import numpy.typing as npt

from ._run import Plan
from ._tables import Table
from ._types import Array

class Frame:
    image: Array
    figures: Table
    measured: Table
    index: int
    tag: int
    dropped: int
    def __init__(
        self, image: Array, figures: Table, measured: Table, index: int, tag: int, dropped: int
    ) -> None: ...

class Stream:
    def __init__(self, plan: Plan, *, depth: int = 3, live: bool = False) -> None: ...
    def push(
        self, image: npt.ArrayLike, *, inputs: Mapping[str, npt.ArrayLike] | None = None, tag: int = 0
    ) -> None: ...
    def pull(self, *, out: Array | None = None, wait: bool = True, pixels: bool = True) -> Frame | None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Stream: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def __call__(
        self, frames: Iterable[npt.ArrayLike | tuple[npt.ArrayLike, Mapping[str, npt.ArrayLike]]]
    ) -> Iterator[Frame]: ...
