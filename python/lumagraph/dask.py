"""Figures and filters of Dask arrays, which need not fit into memory.

>>> import dask.array, numpy
>>> import lumagraph as lg
>>> image = numpy.arange(12, dtype=numpy.uint8).reshape(3, 4)
>>> lg.dask.stats(dask.array.from_array(image, chunks=(2, 3))).mean == lg.stats(image).mean
True

Sums are exact, so figures do not depend on the chunks, the workers or the order of their work: they
are those of one pass over the whole array, bit for bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import as_image
from ._context import core_of
from .measure import _NAN, Stats

if TYPE_CHECKING:
    from ._pipeline import Pipeline

try:
    import dask
    import dask.array
except ImportError as _error:
    raise ImportError("lumagraph.dask needs Dask: pip install 'dask[array]'") from _error

__all__ = ["map_blocks", "stats"]

_MERGED = 16  # states that one task merges
_TYPES = {"u8": 0, "u16": 1, "f16": 2, "f32": 3}
_ALPHA = 2  # LG_ALPHA_STRAIGHT: the last one of two or four channels


def _axes(array: Any, channel_axis: int | None, layer_axis: int | None) -> tuple[int | None, int | None]:
    wanted = 2 + (channel_axis is not None) + (layer_axis is not None)
    if array.ndim != wanted:
        raise ValueError(
            f"an array of the shape {array.shape} has {array.ndim} axes, not {wanted}: rows and "
            "columns, channels at channel_axis, layers at layer_axis; nothing is guessed"
        )
    channel, layer = (None if axis is None else axis % array.ndim for axis in (channel_axis, layer_axis))
    if channel is not None and len(array.chunks[channel]) > 1:
        raise ValueError(
            "the channels of a pixel are in several chunks; rechunk the array: "
            f"array.rechunk({{{channel}: -1}})"
        )
    return channel, layer


def _empty() -> dict[str, Any]:
    return {"type": None, "channels": 0, "names": (), "conversion": None, "states": {}}


def _block(
    block: Any,
    mask: Any,
    at: tuple[int, int, int],
    size: tuple[int, int, int],
    options: dict[str, Any],
    stack: bool,
) -> dict[str, Any]:
    """What one chunk adds: a state for each of its layers, or one for all of them."""
    import numpy as np

    core, (layer, y, x), (layers, height, width) = core_of(None), at, size
    made = _empty()
    images = [block]
    masks = [mask]
    axis = options["layer_axis"]
    if axis is not None and not stack:
        images = [np.take(block, i, axis) for i in range(block.shape[axis])]
        masks = [None if mask is None else mask[i] for i in range(len(images))]
        options, layers = {**options, "layer_axis": None}, 1
    if options["channel_axis"] is not None and axis is not None and options["layer_axis"] is None:
        options["channel_axis"] -= axis < options["channel_axis"]
    for i, pixels in enumerate(images):
        image = as_image(np.ascontiguousarray(pixels), **options)
        names = image.channel_names()
        many = len(names)
        state = _core.Accumulator(
            None, _TYPES[image.type], many, _ALPHA if many in (2, 4) else 0, width, height, layers
        )
        selected = masks[i]
        if selected is not None:
            selected = as_image(
                np.ascontiguousarray(selected != 0), None, 0 if selected.ndim == 3 else None
            )
        state.add(core, image, selected, x, y, layer if layers > 1 or stack else 0)
        made.update(type=image.type, channels=many, names=tuple(names), conversion=image.conversion)
        made["states"][0 if stack else layer + i] = state.save()
    return made


def _load(state: bytes, channels: int) -> _core.Accumulator:
    return _core.accumulator_load(state, "moments", channels, 0)


def _merge(parts: list[dict[str, Any]]) -> dict[str, Any]:
    made = {**parts[0], "states": {}}
    by_layer: dict[int, list[bytes]] = {}
    for part in parts:
        for layer, state in part["states"].items():
            by_layer.setdefault(layer, []).append(state)
    for layer, states in by_layer.items():
        into = _load(states[0], made["channels"])
        for state in states[1:]:
            into.merge(_load(state, made["channels"]))
        made["states"][layer] = into.save() if len(states) > 1 else states[0]
    return made


def _finished(merged: dict[str, Any], layers: int | None, has_channels: bool, nan: int) -> Stats:
    rows = [
        row
        for layer in sorted(merged["states"])
        for row in _load(merged["states"][layer], merged["channels"]).finish(nan, ())
    ]
    shape = (() if layers is None else (layers,)) + ((merged["channels"],) if has_channels else ())
    return Stats(rows, shape, merged["names"], merged["conversion"])


def _starts(chunks: tuple[int, ...]) -> list[int]:
    return [sum(chunks[:i]) for i in range(len(chunks))]


def stats(
    array: Any,
    mask: Any = None,
    *,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    stack: bool = False,
    nan: str = "ignore",
    cast: bool = False,
    compute: bool = True,
) -> Any:
    """Exact moments of a Dask array: the `Stats` that `lumagraph.stats` returns of the whole array.

    Every chunk is measured where it is. What travels is a state of some hundred bytes for each chunk
    and layer, and states are merged in a tree. `mask` is a NumPy or Dask array of rows and columns, or of
    layers, rows and columns; zero leaves a pixel out. With compute=False the result is a
    `dask.delayed.Delayed`.
    """
    if nan not in _NAN:
        raise ValueError(f"nan '{nan}' is not one of ignore, propagate and error")
    array = dask.array.asarray(array)
    channel, layer = _axes(array, channel_axis, layer_axis)
    space = [axis for axis in range(array.ndim) if axis not in (channel, layer)]
    order = [axis for axis in (layer, *space) if axis is not None]
    masks = _mask_blocks(array, mask, order, layer is not None)
    size = ((1 if layer is None else array.shape[layer]), array.shape[space[0]], array.shape[space[1]])
    options = {"channel_axis": channel, "layer_axis": layer, "cast": cast}
    block, merge = dask.delayed(_block), dask.delayed(_merge)
    starts = [_starts(array.chunks[axis]) for axis in order]
    parts = []
    for index, one in _blocks(array.to_delayed(), order):
        at = tuple(starts[i][k] for i, k in enumerate(index))
        at = at if layer is not None else (0, *at)
        parts.append(block(one, masks(index), at, size, dict(options), stack))
    while len(parts) > 1:
        parts = [merge(parts[i : i + _MERGED]) for i in range(0, len(parts), _MERGED)]
    layers = None if layer is None or stack else array.shape[layer]
    result = dask.delayed(_finished)(parts[0], layers, channel is not None, _NAN[nan])
    return result.compute() if compute else result


def _blocks(blocks: Any, order: list[int]) -> Any:
    """(places along layers, rows and columns, chunk) of all chunks."""
    import numpy as np

    for index in np.ndindex(blocks.shape):
        yield tuple(index[axis] for axis in order), blocks[index]


def _mask_blocks(array: Any, mask: Any, order: list[int], has_layers: bool) -> Any:
    if mask is None:
        return lambda index: None
    mask = dask.array.asarray(mask)
    axes = order if mask.ndim == len(order) else order[1:]
    shape = tuple(array.shape[axis] for axis in axes)
    if mask.shape != shape:
        raise ValueError(f"the mask has the shape {mask.shape}; the image has {shape}")
    if has_layers and mask.ndim == 2:  # the same mask in each layer
        mask = dask.array.broadcast_to(mask, (array.shape[order[0]], *mask.shape))
        axes = order
    blocks = mask.rechunk(tuple(array.chunks[axis] for axis in axes)).to_delayed()
    return lambda index: blocks[index]


def map_blocks(
    pipeline: Pipeline | str,
    array: Any,
    *,
    depth: int = 0,
    channel_axis: int | None = None,
    layer_axis: int | None = None,
    cast: bool = False,
    boundary: str = "nearest",
) -> Any:
    """A pipeline on every chunk: a Dask array of the same shape and type.

    depth: rows and columns that a filter reads beside a pixel; chunks get so many of their neighbours',
    which are taken away again. With at least what the filters reach the result is that of the whole
    array: of `gaussian_blur:rule=exact` that is about 3 sigma for each pass. A measured parameter such
    as `@otsu` is measured in each chunk by itself: measure the whole array first. Beyond the edges of
    the array stands what `boundary` says ("nearest": the edge; "reflect", "periodic", "none").
    """
    from . import run

    array = dask.array.asarray(array)
    channel, layer = _axes(array, channel_axis, layer_axis)

    def one(block: Any) -> Any:
        return run(pipeline, block, channel_axis=channel, layer_axis=layer, cast=cast)

    if not depth:
        return dask.array.map_blocks(one, array, dtype=array.dtype, meta=array._meta)
    depths = {axis: 0 if axis in (channel, layer) else depth for axis in range(array.ndim)}
    sides = {axis: "none" if axis in (channel, layer) else boundary for axis in range(array.ndim)}
    return dask.array.map_overlap(
        one, array, depth=depths, boundary=sides, dtype=array.dtype, meta=array._meta
    )
