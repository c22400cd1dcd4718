"""What notebooks and terminals show: pictures, tables, histograms, plans, progress.

PNG and SVG are written here, so that nothing else has to be installed.
"""

from __future__ import annotations

import html
import struct
import sys
import time
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

LARGEST = 512  # pixels of a side that is shown
ROWS = 20  # of a table that are shown

# ---- pictures -----------------------------------------------------------------------------------


def _smaller(pixels: Any, mean: bool) -> Any:
    """(H, W, C) with sides of at most LARGEST: the mean of blocks, or of labels their first pixel."""
    import numpy as np

    step = -(-max(pixels.shape[:2]) // LARGEST)
    if step <= 1:
        return pixels
    if not mean:
        return pixels[::step, ::step]
    rows, columns = (np.arange(0, n, step) for n in pixels.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(pixels, rows, 0, dtype=np.float64), columns, 1)
    heights, widths = (np.diff(np.append(at, n)) for at, n in zip((rows, columns), pixels.shape[:2]))
    return sums / (heights[:, None] * widths)[..., None]


def _bytes(pixels: Any) -> tuple[Any, str]:
    """Samples as bytes, and a sentence where they were stretched."""
    import numpy as np

    kind, size = pixels.dtype.kind, pixels.dtype.itemsize
    if kind == "b":
        return _rounded(_smaller(pixels * np.uint8(255), True)), ""
    if kind == "u" and size <= 2:
        return _rounded(_smaller(pixels, True) / (257.0 if size == 2 else 1.0)), ""
    pixels = _smaller(pixels, kind == "f").astype(np.float64)
    good = pixels[np.isfinite(pixels)]
    low, high = (good.min(), good.max()) if good.size else (0.0, 0.0)
    if kind == "f" and low >= 0 and high <= 1:
        return _rounded(np.nan_to_num(pixels) * 255), ""
    scale = 255 / (high - low) if high > low else 0.0
    return (
        _rounded((np.nan_to_num(pixels, nan=low, posinf=high, neginf=low) - low) * scale),
        f"{low:.6g} is black, {high:.6g} is white",
    )


def _rounded(pixels: Any) -> Any:
    import numpy as np

    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def png(pixels: Any) -> bytes:
    """Bytes of a PNG file. `pixels` is uint8 of shape (H, W, C), C = 1 to 4."""
    height, width, channels = pixels.shape
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows, 6))
        + chunk(b"IEND", b"")
    )


class Picture:
    """An array that notebooks show as a picture.

    `array` is (H, W), or has channels at `channel_axis` and layers at `layer_axis`, of which `layer`
    is shown. 8-bit and 16-bit samples are shown as they are, floats of 0 to 1 as well. Other numbers
    are stretched from the smallest to the largest one; `note` says so. Sides above 512 pixels are
    shown smaller. The array itself stays as it is: ``picture.array``, ``numpy.asarray(picture)``.

    >>> import numpy as np
    >>> import lumagraph as lg
    >>> lg.Picture(np.zeros((20, 30), np.uint8))
    Picture of 30 x 20, uint8
    """

    def __init__(
        self,
        array: npt.ArrayLike,
        channel_axis: int | None = None,
        layer_axis: int | None = None,
        *,
        layer: int = 0,
    ) -> None:
        import numpy as np

        self.array: npt.NDArray[Any] = np.asarray(array)
        shown, wanted = self.array, 2 + (channel_axis is not None) + (layer_axis is not None)
        if shown.ndim != wanted or not shown.size or shown.dtype.kind not in "buif":
            raise ValueError(
                f"an array of shape {shown.shape} and type {shown.dtype} is no image of {wanted} axes: "
                "rows and columns, channels at channel_axis, layers at layer_axis"
            )
        source = [axis for axis in (layer_axis, channel_axis) if axis is not None]
        to = ([0] if layer_axis is not None else []) + ([-1] if channel_axis is not None else [])
        shown = np.moveaxis(shown, source, to)
        shown = shown if channel_axis is not None else shown[..., None]
        self.layers = shown.shape[0] if layer_axis is not None else 1
        shown = shown[layer] if layer_axis is not None else shown
        if shown.shape[-1] > 4:
            raise ValueError(f"an image has 1 to 4 channels, not {shown.shape[-1]}")
        self._bytes, self.note = _bytes(shown)
        self._shape = shown.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        return np.array(self.array, dtype, copy=bool(copy) or None) if dtype or copy else self.array

    def __repr__(self) -> str:
        height, width, channels = self._shape
        parts = [f"{width} x {height}", str(self.array.dtype)]
        parts += [f"{channels} channels"] if channels > 1 else []
        parts += [f"{self.layers} layers"] if self.layers > 1 else []
        parts += [self.note] if self.note else []
        return "Picture of " + ", ".join(parts)

    def _repr_png_(self) -> bytes:
        return png(self._bytes)


# ---- tables -------------------------------------------------------------------------------------


def _cell(value: Any) -> str:
    if hasattr(value, "item"):
        value = value.item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def table_html(columns: Mapping[str, Sequence[Any]], rows: int = ROWS) -> str:
    """Columns as a table: at most `rows` of them, and how many there are."""
    names = list(columns)
    count = max((len(columns[name]) for name in names), default=0)
    shown = range(count) if count <= rows else [*range(rows // 2), *range(count - rows // 2, count)]
    lines = ["<tr>" + "".join(f"<th>{html.escape(str(n))}</th>" for n in names) + "</tr>"]
    before = -1
    for i in shown:
        if i != before + 1:
            lines.append("<tr>" + "<td>…</td>" * len(names) + "</tr>")
        lines.append(
            "<tr>" + "".join(f"<td>{html.escape(_cell(columns[n][i]))}</td>" for n in names) + "</tr>"
        )
        before = i
    rows_, columns_ = "row" + "s" * (count != 1), "column" + "s" * (len(names) != 1)
    foot = f"<p>{count} {rows_}, {len(names)} {columns_}</p>"
    return '<table class="lumagraph">' + "".join(lines) + "</table>" + foot


# ---- histograms ---------------------------------------------------------------------------------

COLORS = {
    "r": "#c0392b",
    "red": "#c0392b",
    "g": "#1e8449",
    "green": "#1e8449",
    "b": "#2471a3",
    "blue": "#2471a3",
}


def _ticks(low: float, high: float) -> Iterable[tuple[float, float]]:
    """(share of the axis, value) of its ends and its middle."""
    return [(share, low + (high - low) * share) for share in (0.0, 0.5, 1.0)]


def histogram_svg(
    channels: Mapping[str, tuple[Any, float, float]], width: int = 480, height: int = 160
) -> str:
    """An SVG of histograms; each channel has its counts and the ends of its range.

    Bins beyond one per column are added up, so the area stays that of the counts.
    """
    import numpy as np

    bottom, lines, top = height - 20, [], 0.0
    drawn = []
    for name, (counts, low, high) in channels.items():
        counts = np.asarray(counts, dtype=np.float64)
        if len(counts) > width:
            counts = np.add.reduceat(counts, np.arange(0, len(counts), -(-len(counts) // width)))
        drawn.append((name, counts, low, high))
        top = max(top, counts.max(initial=0.0))
    for name, counts, _, _ in drawn:
        edges = np.linspace(0, width, len(counts) + 1)
        tall = bottom - counts * ((bottom - 10) / top if top else 0.0)
        steps = " ".join(
            f"L{edges[i]:.5g} {tall[i]:.5g} L{edges[i + 1]:.5g} {tall[i]:.5g}" for i in range(len(counts))
        )
        color = COLORS.get(name, "#555")
        lines.append(
            f'<path d="M0 {bottom} {steps} L{width} {bottom} Z" fill="{color}" fill-opacity="0.45" '
            f'stroke="{color}"><title>{html.escape(name)}</title></path>'
        )
    if drawn:
        for share, value in _ticks(drawn[0][2], drawn[0][3]):
            anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
            lines.append(
                f'<text x="{share * width:g}" y="{height - 4}" text-anchor="{anchor}">{value:.6g}</text>'
            )
        lines.append(f'<text x="{width}" y="10" text-anchor="end">{top:.0f}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">'
        + f'<path d="M0 {bottom}H{width}" stroke="#555"/>'
        + "".join(lines)
        + "</svg>"
    )


class HistogramPlot:
    """A histogram that notebooks show, of what `lumagraph.histogram` returns.

    counts: (bins,) or (channels, bins); edges: (bins + 1,), or a row for each channel. `svg` is the
    picture as a text, for a file.

    >>> import numpy as np
    >>> import lumagraph as lg
    >>> image = np.arange(256, dtype=np.uint8).reshape(16, 16)
    >>> lg.HistogramPlot(*lg.histogram(image)).svg[:4]
    '<svg'
    """

    def __init__(
        self, counts: npt.ArrayLike, edges: npt.ArrayLike, names: Sequence[str] | None = None
    ) -> None:
        import numpy as np

        rows, ends = np.atleast_2d(np.asarray(counts)), np.atleast_2d(np.asarray(edges))
        if rows.ndim != 2 or ends.shape[-1] != rows.shape[-1] + 1 or len(ends) not in (1, len(rows)):
            raise ValueError(
                f"counts have the shape {rows.shape} and edges {ends.shape}: wanted are a row of counts "
                "for each channel, and edges that are one more"
            )
        if names is None:
            names = (
                ("r", "g", "b", "a")[: len(rows)]
                if 1 < len(rows) <= 4
                else [str(i) for i in range(len(rows))]
            )
        self.svg = histogram_svg(
            {
                str(name): (row, float(ends[i % len(ends)][0]), float(ends[i % len(ends)][-1]))
                for i, (name, row) in enumerate(zip(names, rows))
            }
        )

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<lumagraph.HistogramPlot, {len(self.svg)} bytes of SVG>"


# ---- plans --------------------------------------------------------------------------------------


def plan_html(explain: str, profile: Sequence[tuple[str, float, float]]) -> str:
    """The stages of a plan as text, and the times of its last run where it has run."""
    shown = f"<pre>{html.escape(explain.rstrip())}</pre>"
    if not any(seconds for _, seconds, _ in profile):
        return shown + "<p>not run yet</p>"
    names = [name for name, _, _ in profile]
    return shown + table_html(
        {
            "stage": names,
            "ms": [f"{seconds * 1e3:.3f}" for _, seconds, _ in profile],
            "GB/s": [f"{b / seconds / 1e9:.2f}" if seconds > 0 else "" for _, seconds, b in profile],
        },
        len(names),
    )


# ---- progress -----------------------------------------------------------------------------------


def in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    shell = shell and shell.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Progress:
    """A bar for long work: text in a terminal, HTML in a notebook, nothing elsewhere.

    Call it with the share that is done, from 0 to 1. It appears after `delay` seconds and is drawn
    at most ten times a second; as a context manager it ends its line.

    >>> with Progress("stats", file=sys.stdout, force=True, delay=0) as bar:
    ...     bar(0.5)
    stats  50 % [##########··········]
    """

    def __init__(
        self, what: str = "", *, file: Any = None, force: bool = False, delay: float = 1.0
    ) -> None:
        self.what, self.file = what, file if file is not None else sys.stderr
        self.notebook = not force and in_notebook()
        self.terminal = force or (not self.notebook and bool(getattr(self.file, "isatty", bool)()))
        self._next = time.monotonic() + delay
        self._handle: Any = None
        self._drawn = False
        self.share = 0.0

    def __call__(self, share: float) -> None:
        self.share = min(max(float(share), 0.0), 1.0)
        now = time.monotonic()
        if (self.terminal or self.notebook) and now >= self._next:
            self._next = now + 0.1
            self._draw()

    def _draw(self) -> None:
        if self.notebook:
            self._draw_html()
            return
        full = round(self.share * 20)
        start = "\r" if self._drawn else ""
        self.file.write(
            f"{start}{self.what} {self.share:4.0%}".replace("%", " %")
            + f" [{'#' * full}{'·' * (20 - full)}]"
        )
        self.file.flush()
        self._drawn = True

    def _repr_html_(self) -> str:
        return (
            f"{html.escape(self.what)} <progress max='1' value='{self.share:.3f}'></progress> "
            f"{self.share:.0%}"
        )

    def _draw_html(self) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(self, display_id=True)
        elif self._handle is not False:
            self._handle.update(self)
        self._drawn = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._drawn and self.notebook:
            self._draw_html()
        elif self._drawn:
            self.file.write("\n")
