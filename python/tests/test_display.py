"""What notebooks show, read back by other programs."""

import html.parser
import io
import xml.etree.ElementTree

import numpy as np
import pytest

import lumagraph as lg
from lumagraph import _display

SVG = "{http://www.w3.org/2000/svg}"


def decoded(picture):
    module = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    return np.asarray(module.open(io.BytesIO(picture._repr_png_())))


@pytest.mark.parametrize(
    "shape, axis",
    [
        ((1, 1), None),
        ((7, 5), None),
        ((5, 7, 1), -1),
        ((4, 3, 2), -1),
        ((3, 6, 5), 0),
        ((6, 5, 3), 2),
        ((6, 5, 4), -1),
        ((512, 3), None),
    ],
)
def test_bytes_are_shown_as_they_are(shape, axis):
    pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    wanted = pixels if axis is None else np.moveaxis(pixels, axis, -1)
    if wanted.ndim == 3 and wanted.shape[-1] == 1:
        wanted = wanted[..., 0]
    assert np.array_equal(decoded(lg.Picture(pixels, axis)), wanted)


def test_other_types():
    ramp = np.linspace(0, 65535, 30).astype(np.uint16).reshape(5, 6)
    assert np.array_equal(decoded(lg.Picture(ramp)), np.rint(ramp / 257).astype(np.uint8))
    unit = np.linspace(0, 1, 30, dtype=np.float32).reshape(5, 6)
    assert np.array_equal(decoded(lg.Picture(unit)), np.rint(unit * 255).astype(np.uint8))
    assert np.array_equal(decoded(lg.Picture(unit > 0.5)), (unit > 0.5) * np.uint8(255))
    labels = np.arange(6, dtype=np.int32).reshape(2, 3)
    picture = lg.Picture(labels)
    assert np.array_equal(decoded(picture), labels * 51)
    assert picture.note == "0 is black, 5 is white" and picture.note in repr(picture)
    wild = np.array([[np.nan, -1.0], [np.inf, 3.0]])
    assert np.array_equal(decoded(lg.Picture(wild)), [[0, 0], [255, 255]])
    assert np.array_equal(decoded(lg.Picture(np.full((2, 2), 7))), np.zeros((2, 2)))


@pytest.mark.parametrize("shape", [(513, 4), (5, 1200), (1030, 1025)])
def test_large_images_become_means(shape):
    pixels = np.random.default_rng(2).integers(0, 256, shape, dtype=np.uint8)
    small = decoded(lg.Picture(pixels))
    step = -(-max(shape) // 512)
    assert max(small.shape) <= 512 and small.shape == tuple(-(-n // step) for n in shape)
    for y, x in [
        (0, 0),
        (small.shape[0] - 1, small.shape[1] - 1),
        (small.shape[0] // 2, small.shape[1] // 2),
    ]:
        mean = pixels[y * step : (y + 1) * step, x * step : (x + 1) * step].mean()
        assert abs(small[y, x] - mean) <= 0.5


def test_layers_and_refusals():
    stack = np.random.default_rng(3).integers(0, 256, (4, 6, 5, 3), dtype=np.uint8)
    picture = lg.Picture(stack, -1, 0, layer=2)
    assert np.array_equal(decoded(picture), stack[2]) and "4 layers" in repr(picture)
    assert np.asarray(picture) is stack and np.array(picture, dtype=float).dtype == float
    for wrong, axes in [
        (np.zeros((2, 2, 3)), {}),
        (np.zeros((2, 2, 5)), {"channel_axis": -1}),
        (np.zeros((0, 2)), {}),
        (np.zeros((2, 2), complex), {}),
    ]:
        with pytest.raises(ValueError):
            lg.Picture(wrong, **axes)


class Cells(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)
        assert not self.open, "every element is closed"

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1].append(data)


def test_tables():
    table = lg.Table({"label": np.arange(1, 4), "<b>": np.array([0.1, 2.0, 1e9])})
    assert Cells(table._repr_html_()).rows == [["label", "<b>"], ["1", "0.1"], ["2", "2"], ["3", "1e+09"]]
    long = Cells(_display.table_html({"n": list(range(100))})).rows
    assert [r[0] for r in long] == ["n", *map(str, range(10)), "…", *map(str, range(90, 100))]
    assert "0 rows" in _display.table_html({"n": []})


def test_stats_are_a_table():
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    rows = Cells(lg.stats(image)._repr_html_()).rows
    shown = dict(zip(*rows))
    assert shown["count"] == "12" and float(shown["mean"]) == 5.5


def test_histogram_svg():
    counts = np.array([0, 4, 2, 8])
    root = xml.etree.ElementTree.fromstring(_display.histogram_svg({"r<": (counts, 0.0, 4.0)}, 400, 120))
    steps = root.findall(SVG + "path")[-1].get("d").replace("L", " ").split()[2:-4]
    heights = [100 - float(y) for y in steps[1::4]]
    assert heights == pytest.approx(90 * counts / 8)
    assert [t.text for t in root.findall(SVG + "text")] == ["0", "2", "4", "8"]
    many = np.random.default_rng(1).integers(0, 9, 65536)
    assert len(_display.histogram_svg({"y": (many, 0, 1)})) < 40000
    xml.etree.ElementTree.fromstring(_display.histogram_svg({}))
    xml.etree.ElementTree.fromstring(_display.histogram_svg({"y": (np.zeros(3), 0, 1)}))


def test_plans():
    image = np.zeros((8, 9), np.uint8)
    plan = lg.Plan("gaussian_blur:sigma=1 | luminance_threshold:threshold=@otsu", image)
    assert "not run yet" in plan._repr_html_()
    plan(image)
    rows = Cells(plan._repr_html_()).rows
    assert rows[0] == ["stage", "ms", "GB/s"] and len(rows) == 1 + len(plan.profile())
    assert all(float(row[1]) >= 0 for row in rows[1:])


def test_progress():
    file = io.StringIO()
    with lg.Progress("stats", file=file, force=True, delay=0) as bar:
        bar(0.25)
        bar._next = 0
        bar(7)
    assert file.getvalue() == "stats  25 % [#####···············]\rstats 100 % [####################]\n"
    quiet = io.StringIO()
    with lg.Progress("stats", file=quiet, delay=0) as bar:
        bar(0.5)
    assert quiet.getvalue() == "", "no terminal, no bar"
    late = io.StringIO()
    with lg.Progress("stats", file=late, force=True, delay=3600) as bar:
        bar(0.5)
    assert late.getvalue() == "", "short work shows nothing"
    assert "value='0.500'" in bar._repr_html_()


def test_progress_of_calls():
    image = np.random.default_rng(1).integers(0, 256, (2000, 3000), dtype=np.uint8)
    context, seen = lg.Context("cpu", threads=1), []
    assert context.progress is None
    context.progress = seen.append
    wanted = lg.run("gaussian_blur:sigma=30:rule=exact | median", image)
    assert np.array_equal(
        lg.run("gaussian_blur:sigma=30:rule=exact | median", image, context=context), wanted
    )
    assert seen and all(0 <= share <= 1 for share in seen)

    def stop(share):
        raise KeyError("enough")

    context.progress = stop
    with pytest.raises(KeyError, match="enough"):
        lg.run("gaussian_blur:sigma=31:rule=exact | median", image, context=context)
    context.progress = None
    lg.stats(image, context=context)
    with pytest.raises(TypeError, match="progress is 3"):
        context.progress = 3


def test_histogram_plot():
    image = np.random.default_rng(1).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    counts, edges = lg.histogram(image, 16, (0, 256), channel_axis=-1)
    root = xml.etree.ElementTree.fromstring(lg.HistogramPlot(counts, edges)._repr_svg_())
    assert [p.find(SVG + "title").text for p in root.findall(SVG + "path")[1:]] == ["r", "g", "b"]
    assert root.findall(SVG + "text")[2].text == "256"
    with pytest.raises(ValueError, match="one more"):
        lg.HistogramPlot([1, 2], [0, 1])
