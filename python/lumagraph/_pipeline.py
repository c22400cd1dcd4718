"""Filters that are not applied yet, and how they are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from . import Context
    from ._types import Array

__all__ = ["Pipeline"]


class _Bound:
    """An array that stands in a pipeline. It has a name when the pipeline becomes a text."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array


class Pipeline:
    """Filters in a row, to be applied to images.

    Functions of `lumagraph.filters` return one when they get no image. ``|`` joins pipelines with each
    other and with the texts of the command line. A pipeline does not change: ``|`` makes a new one.

    >>> import lumagraph as lg
    >>> steps = lg.filters.gaussian_blur(sigma=3) | "luminance_threshold:threshold=@otsu"
    >>> steps
    Pipeline('gaussian_blur:sigma=3 | luminance_threshold:threshold=@otsu')

    Calling it applies it: ``steps(image)``. `lumagraph.run` and `lumagraph.Plan` take a pipeline wherever
    they take a text.
    """

    __slots__ = ("_parts",)

    _parts: tuple[str | _Bound, ...]

    def __init__(self, text: str = "") -> None:
        self._parts = (text,) if text.strip() else ()

    @classmethod
    def _of(cls, parts: Iterable[str | _Bound]) -> Pipeline:
        made = cls()
        made._parts = tuple(parts)
        return made

    def __or__(self, other: Pipeline | str) -> Pipeline:
        if isinstance(other, str):
            other = Pipeline(other)
        if not isinstance(other, Pipeline):
            return NotImplemented
        between = (" | ",) if self._parts and other._parts else ()
        return Pipeline._of(self._parts + between + other._parts)

    def __ror__(self, other: str) -> Pipeline:
        return Pipeline(other) | self if isinstance(other, str) else NotImplemented

    def named(self, name: str) -> Pipeline:
        """The same filters, where ``#name`` means the image they make.

        >>> import lumagraph as lg
        >>> soft = lg.filters.gaussian_blur(sigma=4).named("soft")
        >>> str(soft | lg.filters.difference_blend(over="#soft"))
        'gaussian_blur:sigma=4 #soft | difference_blend:over=#soft'
        """
        if not self._parts:
            raise ValueError("an empty pipeline makes no image that could have a name")
        return Pipeline._of((*self._parts, f" #{name}"))

    def _resolve(self, taken: Iterable[str] = ()) -> tuple[str, dict[str, Any]]:
        """The text, and the arrays that it names."""
        taken, names, text, images = set(taken), dict[int, str](), "", dict[str, Any]()
        for part in self._parts:
            if isinstance(part, str):
                text += part
                continue
            key = id(part.array)
            if key not in names:
                number = len(names) + 1
                while f"array{number}" in taken:
                    number += 1
                names[key] = f"array{number}"
                taken.add(names[key])
                images[names[key]] = part.array
            text += "#" + names[key]
        return text, images

    def __str__(self) -> str:
        return self._resolve()[0]

    def __repr__(self) -> str:
        return f"Pipeline({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pipeline):
            return NotImplemented
        mine, theirs = self._resolve(), other._resolve()
        return mine[0] == theirs[0] and all(mine[1][k] is theirs[1][k] for k in mine[1])

    def __hash__(self) -> int:
        return hash(str(self))

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self!r} is a pipeline that has not been applied: call it with an image")

    def __call__(
        self,
        image: npt.ArrayLike,
        *,
        channel_axis: int | None = None,
        layer_axis: int | None = None,
        inputs: Mapping[str, npt.ArrayLike] | None = None,
        out: Array | None = None,
        dtype: npt.DTypeLike | None = None,
        cast: bool = False,
        context: Context | None = None,
    ) -> Array:
        """The pipeline applied to an image; see `lumagraph.run`."""
        from . import run

        return run(
            self,
            image,
            channel_axis=channel_axis,
            layer_axis=layer_axis,
            inputs=inputs,
            out=out,
            dtype=dtype,
            cast=cast,
            context=context,
        )


def _resolved(pipeline: Pipeline | str, inputs: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """The text of a pipeline, and all its named images."""
    given = dict(inputs or {})
    if not isinstance(pipeline, Pipeline):
        return pipeline, given
    text, images = pipeline._resolve(given)
    return text, {**given, **images}


# ---- values as texts ----------------------------------------------------------------------------


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if hasattr(value, "item") and not isinstance(value, float):
        return _scalar(value.item())
    return repr(float(value))


def _flat(value: Any) -> Iterable[str]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _flat(one)
    else:
        yield _scalar(value)


def _value(value: Any) -> str:
    """A number, a choice, a colour, a point, a matrix."""
    return ",".join(_flat(value))


def _rows(value: Any) -> Any:
    """Points or rows of numbers: commas in a row, semicolons between rows."""
    return value if value is None or isinstance(value, str) else ";".join(_value(row) for row in value)


def _box(value: Any) -> Any:
    """(x, y, width, height) as WxH+X+Y."""
    if value is None or isinstance(value, str):
        return value
    x, y, width, height = (int(v) for v in value)
    return f"{width}x{height}+{x}+{y}"


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    if default is None:
        return False
    return type(value) in (bool, int, float, str, tuple) and bool(value == default)


def _node(name: str, over: Any, values: Sequence[tuple[str, Any, Any]]) -> Pipeline:
    parts: list[str | _Bound] = [name]
    for key, value, default in (*values, ("over", over, None)):
        if _same(value, default):
            continue
        if value is None:
            raise TypeError(f"{name}: {key} is None; leave it out for its default, {default!r}")
        if _is_image(value, key, default):
            parts += [f":{key}=", _Bound(value)]
            continue
        text = _value(value)
        if any(c in text for c in ":| \t\r\n") or not text:
            raise ValueError(f"{name}: {key}={text!r}: a value has no spaces, colons or bars in it")
        parts.append(f":{key}={text}")
    joined: list[str | _Bound] = []
    for part in parts:  # neighbouring texts as one
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return Pipeline._of(joined)


def _is_image(value: Any, key: str, default: Any) -> bool:
    """An array in the place of an image: the second one, or a table (whose default is a filter)."""
    is_table = isinstance(default, str) and not isinstance(value, str) and hasattr(value, "shape")
    return not isinstance(value, str) and (key == "over" or is_table)


def _apply(
    name: str,
    image: Any,
    over: Any,
    values: Sequence[tuple[str, Any, Any]],
    channel_axis: int | None,
    layer_axis: int | None,
    out: Any,
    dtype: Any,
    cast: bool,
    context: Any,
) -> Any:
    """What every function of `lumagraph.filters` does."""
    node = _node(name, over, values)
    if image is not None:
        return node(
            image,
            channel_axis=channel_axis,
            layer_axis=layer_axis,
            out=out,
            dtype=dtype,
            cast=cast,
            context=context,
        )
    for key, value in (
        ("channel_axis", channel_axis),
        ("layer_axis", layer_axis),
        ("out", out),
        ("dtype", dtype),
        ("cast", cast or None),
        ("context", context),
    ):
        if value is not None:
            raise TypeError(
                f"{name}: {key} is given without an image; without one the filter is not applied"
            )
    return node
