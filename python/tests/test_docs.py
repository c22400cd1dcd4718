"""What the documents show: examples, doc strings and notebooks."""

import doctest
import importlib
import importlib.util
import json
import pathlib
import re

import pytest

import lumagraph as lg

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("document, least", [("python.md", 20), ("tutorial/6-python.md", 10)])
def test_documents(document, least, at_root):
    pytest.importorskip("PIL", reason="Pillow is not installed")
    text = re.sub(r"^```.*$", "", (ROOT / "docs" / document).read_text(), flags=re.M)
    examples = doctest.DocTestParser().get_doctest(text, {}, document, document, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(examples)
    assert runner.tries > least and not runner.failures


@pytest.mark.parametrize("name, least", [("_pipeline", 5), ("_display", 7), ("dask", 4)])
def test_doc_strings(name, least):
    if name == "dask":
        pytest.importorskip("dask.array", reason="Dask is not installed")
    done = doctest.testmod(importlib.import_module(f"lumagraph.{name}"), optionflags=FLAGS)
    assert done.attempted >= least and not done.failed


def test_every_function_says_what_it_does():
    for name in dir(lg):
        if not name.startswith("_"):
            assert getattr(lg, name).__doc__, name


def cells(notebook):
    return [
        "".join(c["source"]) for c in json.loads(notebook.read_text())["cells"] if c["cell_type"] == "code"
    ]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda n: n.stem)
def test_notebooks(notebook, at_root):
    """Without Jupyter: every cell, in one room; the last expressions can be shown."""
    for wanted in re.findall(r"^(?:import|from) (\w+)", "\n".join(cells(notebook)), re.M):
        pytest.importorskip(wanted, reason=f"{wanted} is not installed")
    room = {}
    for number, cell in enumerate(cells(notebook)):
        lines = cell.rstrip().splitlines()
        shown = None
        try:
            shown = compile(lines[-1], f"{notebook.name}[{number}]", "eval")
            lines.pop()
        except SyntaxError:
            pass
        exec(compile("\n".join(lines), f"{notebook.name}[{number}]", "exec"), room)
        value = eval(shown, room) if shown else None
        for form in ("_repr_html_", "_repr_png_", "_repr_svg_"):
            if hasattr(value, form):
                assert len(getattr(value, form)()) > 20


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda n: n.stem)
def test_notebooks_in_jupyter(notebook):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    if importlib.util.find_spec("ipykernel") is None:
        pytest.skip("ipykernel is not installed")
    import nbformat

    read = nbformat.read(notebook, 4)
    nbclient.NotebookClient(
        read, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    kinds = {
        kind for cell in read.cells for output in cell.get("outputs", ()) for kind in output.get("data", ())
    }
    assert kinds & {"text/html", "image/png", "image/svg+xml"}


def test_notebooks_are_there_and_have_no_outputs():
    assert len(NOTEBOOKS) == 3
    for notebook in NOTEBOOKS:
        for cell in json.loads(notebook.read_text())["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None
