"""Names of types, for type checkers: the package itself does not import this."""
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
# Where a number is wanted, a text may name a figure: "@otsu".
Number: TypeAlias = float | str
Integer: TypeAlias = int | str
Point: TypeAlias = tuple[float, float] | str
Color: TypeAlias = float | Sequence[float] | str
Matrix: TypeAlias = Sequence[float] | Sequence[Sequence[float]] | Array | str
Text: TypeAlias = Sequence[Sequence[float]] | Array | str
Box: TypeAlias = tuple[int, int, int, int] | str
Second: TypeAlias = npt.ArrayLike
