#!/usr/bin/env python3
"""Writes what is made from the catalogue of filters: `lumagraph.filters`, its stub, and a page.

usage: generate.py CORE module OUTPUT.py    a function for every filter
       generate.py CORE stub OUTPUT.pyi     their types
       generate.py CORE page OUTPUT.md      the functions as a page to read

CORE is the built extension module `_core`, whose library has the catalogue. Nothing else is read, so
a name, a range or a default stands in one place: the file of the filter.
"""

import importlib.machinery
import importlib.util
import keyword
import struct
import sys
import textwrap

TAKES_TABLE = 64  # LG_FILTER_LOOK: a second image is a table in place of the filter's own
NO_LIMIT = 1e6  # as in the tool: colours, points and matrices take any number
WIDTH = 100
OPTIONS = (  # of every function, as lumagraph.run has them: name, type, default, help
    ("channel_axis", "int | None", "None", "The axis of channels; None: the image has none."),
    ("layer_axis", "int | None", "None", "The axis of layers; None: the image has none."),
    ("out", "Array | None", "None", "An array that takes the result."),
    ("dtype", "npt.DTypeLike | None", "None", "Of the result; None: that of the image."),
    ("cast", "bool", "False", "Rounds samples that float32 does not hold; else they are an error."),
    (
        "context",
        "Context | None",
        "None",
        "What computes; None: the context of `with`, or the thread's own.",
    ),
)


def load(path):
    loader = importlib.machinery.ExtensionFileLoader("_core", path)
    spec = importlib.util.spec_from_file_location("_core", path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def number(value):
    """The shortest decimal that is this float32."""
    if value != value or value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    for digits in range(1, 10):
        text = repr(float(f"{value:.{digits}g}"))
        if struct.pack("f", float(text)) == struct.pack("f", value):
            return text
    return repr(value)


def short(value):
    text = number(value)
    return text[:-2] if text.endswith(".0") else text


class Parameter:
    def __init__(self, raw):
        self.key = raw["name"]  # in a pipeline
        self.name = self.key + "_" if keyword.iskeyword(self.key) else self.key
        self.kind, self.unit, self.help = raw["kind"], raw["unit"], raw["help"]
        self.choices = raw["choices"].split("|") if raw["choices"] else []
        self.values, self.text = raw["value"], raw["text"]
        self.min, self.max = raw["min"], raw["max"]
        self.aliases = []

    def default(self):
        if self.kind == "choice":
            return repr(self.choices[int(self.values[0])])
        if self.kind == "flag":
            return repr(self.values[0] != 0)
        if self.kind in ("text", "image"):
            return repr(self.text)
        if self.kind == "table":
            return repr(self.unit)
        if self.kind == "box":
            return "None"
        if self.kind == "integer":
            return repr(int(self.values[0]))
        if len(self.values) == 1:
            return number(self.values[0])
        return "(" + ", ".join(number(v) for v in self.values) + ")"

    def type(self):
        if self.kind == "choice":
            numbers = self.choices if all(c.isdigit() for c in self.choices) else []
            return "Literal[" + ", ".join([repr(c) for c in self.choices] + numbers) + "]"
        return {
            "flag": "bool",
            "number": "Number",
            "integer": "Integer",
            "point": "Point",
            "color": "Color",
            "matrix": "Matrix",
            "text": "Text",
            "image": "Second",
            "table": "str",
            "box": "Box | None",
        }[self.kind]

    def argument(self):
        """How the argument becomes text, in the generated function."""
        return {"text": f"_rows({self.name})", "box": f"_box({self.name})"}.get(self.kind, self.name)

    def allowed(self):
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind in ("flag", "text", "image", "table", "box"):
            return ""
        if self.min <= -NO_LIMIT and self.max >= NO_LIMIT:
            return ""
        return f"{short(self.min)} to {short(self.max)}"


class Filter:
    def __init__(self, raw):
        self.name = raw["name"]
        for key in ("kind", "inputs", "summary", "formula", "source", "notes", "neutral", "pipeline"):
            setattr(self, key, raw[key])
        self.table = bool(raw["flags"] & TAKES_TABLE)
        self.parameters = [
            Parameter(p)
            for p in raw["params"]
            if p["kind"] != "alias" and (p["kind"] != "table" or p["unit"])
        ]
        for alias in (p for p in raw["params"] if p["kind"] == "alias"):
            next(p for p in self.parameters if p.key == alias["unit"]).aliases.append(alias["name"])

    def second(self):
        return self.inputs == 2 or self.table

    def keywords(self):
        """(name, type, default) of what is given by name."""
        for p in self.parameters:
            yield p.name, p.type(), p.default()
        for p in self.parameters:
            for alias in p.aliases:
                yield alias, p.type() + ("" if p.type().endswith("None") else " | None"), "None"

    def signature(self, image, result, last=True):
        """The parameters of a `def`, one a line."""
        lines = [image] if image else []
        if self.second():
            lines.append("over: Second | None = None")
        names = list(self.keywords())
        if names or last:
            lines.append("*")
        lines += [f"{name}: {kind} = {default}" for name, kind, default in names]
        if last:
            lines += [f"{name}: {kind} = {default}" for name, kind, default, _ in OPTIONS]
        inside = "".join(f"    {line},\n" for line in lines)
        return f"def {self.name}(\n{inside}) -> {result}:" if lines else f"def {self.name}() -> {result}:"

    def described(self):
        """Numpydoc sections."""
        yield f"{self.summary[0].upper()}{self.summary[1:]}."
        yield f"\n{wrapped(self.formula, '')}"
        yield "\nParameters\n----------"
        yield "image : array, optional\n" + wrapped(
            "(H, W), (H, W, C), (N, H, W) or (N, H, W, C). Without it the filter is not applied: the result "
            "is a `Pipeline`."
            if self.kind != "generate"
            else "Gives the size and the type of the result. Without "
            "it the filter is not applied: the result is a `Pipeline`."
        )
        if self.second():
            yield "over : array or str, optional\n" + wrapped(
                "The second image, or `'#NAME'` of one in a pipeline."
                if self.inputs == 2
                else "A table in place of the filter's own, as `lookup` takes it."
            )
        for p in self.parameters:
            facts = [p.allowed(), f"unit {p.unit}" if p.unit and p.kind not in ("table", "box") else ""]
            facts = "; ".join(f for f in facts if f)
            yield f"{p.name} : default {p.default().strip('()')}\n" + wrapped(
                p.help + (f" ({facts})" if facts else "")
            )
            for alias in p.aliases:
                yield f"{alias} : optional\n" + wrapped(f"Another name of `{p.name}`.")
        for name, kind, _, help in OPTIONS:
            yield f"{name} : optional\n" + wrapped(help)
        yield "\nReturns\n-------\narray, or Pipeline without an image"
        notes = [
            self.notes and self.notes + ".",
            self.pipeline and f"Short for `{self.pipeline}`.",
            self.neutral and f"Nothing changes with `{self.neutral}`.",
        ]
        if any(notes):
            yield "\nNotes\n-----\n" + wrapped(" ".join(n for n in notes if n), "")
        yield "\nReferences\n----------\n" + wrapped(self.source + ".", "")


def wrapped(text, indent="    "):
    return textwrap.fill(
        text,
        WIDTH - 8,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def call(f):
    yield "    return _apply("
    yield f'        "{f.name}", image, {"over" if f.second() else "None"},'
    yield "        ("
    for p in f.parameters:
        yield f'            ("{p.key}", {p.argument()}, {p.default()}),'
        for alias in p.aliases:
            yield f'            ("{alias}", {p.argument().replace(p.name, alias)}, None),'
    yield "        ), " "" + ", ".join(name for name, *_ in OPTIONS) + ")"


HEAD = '''"""{summary}

{text}
"""
# Written by generate.py from the catalogue of the library.
from __future__ import annotations
'''

WHAT = """Each function applies one filter to an image and returns an array of the same type. Without an image
it returns a `Pipeline`, which `|` joins with others. Where a number is wanted, a figure may be given that is
measured on the image: `threshold="@otsu"`."""


UNKNOWN = """

def __getattr__(name):
    from ._names import like
    text = f"module 'lumagraph.filters' has no attribute '{name}'"
    raise AttributeError(text + ("" if name.startswith("_") else like(name, __all__)), name=name)"""


def module(filters):
    yield HEAD.format(summary="The filters of lumagraph.", text=WHAT)
    yield "from ._pipeline import _apply, _box, _rows\n"
    yield "__all__ = [\n" + textwrap.fill(
        ", ".join(f'"{f.name}"' for f in filters), WIDTH, initial_indent="    ", subsequent_indent="    "
    ) + "\n]\n"
    for f in filters:
        yield "\n" + f.signature("image: Array | None = None", "Array | Pipeline")
        text = "\n".join(f.described()).replace("\\", "\\\\")
        yield textwrap.indent(f'"""{text}\n"""', "    ", lambda line: line.strip())
        yield from call(f)
    yield UNKNOWN


def stub(filters):
    yield "# The types of lumagraph.filters. Written by generate.py from the catalogue of the library."
    yield "from collections.abc import Sequence\nfrom typing import Any, Literal, overload\n"
    yield "import numpy.typing as npt\n"
    yield "from ._pipeline import Pipeline"
    yield "from ._types import Array, Box, Color, Integer, Matrix, Number, Point, Second, Text"
    yield "from . import Context\n"
    yield "__all__ = [\n" + textwrap.fill(
        ", ".join(f'"{f.name}"' for f in filters), WIDTH, initial_indent="    ", subsequent_indent="    "
    ) + "\n]\n"
    for f in filters:
        yield "@overload\n" + f.signature("image: npt.ArrayLike", "Array") + " ..."
        yield "@overload\n" + f.signature("image: None = None", "Pipeline", last=False) + " ..."


def page(filters):
    yield "# lumagraph.filters\n"
    yield f"{WHAT}\n\nWritten by `python/generate.py` from the catalogue; {len(filters)} filters.\n"
    for f in filters:
        yield f"## {f.name}\n\n{f.summary[0].upper()}{f.summary[1:]}.\n"
        yield "```python\n" + f.signature("image", "Array | Pipeline")[:-1] + "\n```\n"
        yield f"{f.formula}\n"
        if f.parameters:
            yield "| parameter | default | allowed | unit | what it is |\n|---|---|---|---|---|"
        for p in f.parameters:
            names = ", ".join(f"`{n}`" for n in [p.name, *p.aliases])
            row = [names, f"`{p.default()}`", p.allowed(), p.unit if p.kind != "table" else "", p.help]
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        yield ""
        if f.notes:
            yield f"{f.notes}.\n"
        yield f"Source: {f.source}.\n"


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in ("module", "stub", "page"):
        sys.exit(__doc__)
    filters = [Filter(raw) for raw in load(sys.argv[1]).filters()]
    text = "\n".join({"module": module, "stub": stub, "page": page}[sys.argv[2]](filters)) + "\n"
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write(text)


main()
