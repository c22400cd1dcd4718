#!/usr/bin/env python3
"""Collects the filters, so that a new one needs no entry anywhere.

usage: filters.py files                 the files of all filters
       filters.py catalogue OUTPUT.c   names of all filters, sorted, with their entries
       filters.py kernels OUTPUT.c     one source with every filter that has a loop over pixels,
                                       which is compiled once per instruction-set level

A filter is a file src/filter/KIND/NAME.c or, for native filters, src/filter/native/NAME/NAME.c; a
native folder may hold several entries, one per line `LG_NATIVE_FILTER(NAME,`. A pipeline has its name
from `LG_PIPELINE(NAME,`: that of its file may be taken.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILTERS = ROOT / "src" / "filter"
KINDS = ("point", "blend", "warp", "window", "generate", "pipeline")
INNER = ("composed",)  # what plans put in place of others; in no list of filters


def name_of(path):
    if path.parent.name != "pipeline":
        return path.stem
    return re.search(r"^LG_PIPELINE(?:_LIMITED)?\(\s*(\w+),", path.read_text(), re.M)[1]


def simple(kinds=KINDS):
    """Filters of one file each: (name, path, kind)."""
    return sorted((name_of(p), p.relative_to(ROOT / "src").as_posix(), p.parent.name)
                  for kind in kinds for p in (FILTERS / kind).glob("*.c"))


def native():
    return sorted(name for p in (FILTERS / "native").rglob("*.c")
                  for name in re.findall(r"^LG_NATIVE_FILTER(?:_SHAPED|_LIMITED)?\(\s*(\w+),", p.read_text(),
                                         re.M))


def files():
    paths = [FILTERS / kind for kind in KINDS + INNER] + [FILTERS / "native"]
    return sorted(p.relative_to(ROOT).as_posix() for folder in paths for p in folder.rglob("*.c"))


def catalogue():
    names = sorted([name for name, _, _ in simple()] + native())
    doubled = {n for n in names if names.count(n) > 1}
    if doubled:
        sys.exit(f"filters.py: two filters are called {', '.join(sorted(doubled))}")
    yield '#include "filter/catalogue.h"\n'
    for name in names:
        yield f"extern const lg_filter_entry lg_filter_{name};"
    yield "\nconst lg_filter_entry *const lg_filter_entries[] = {"
    for name in names:
        yield f"    &lg_filter_{name},"
    yield "};\nconst size_t lg_filter_entry_count = LG_COUNT(lg_filter_entries);"


def choice(name, text, suffix, kind):
    """The kernel of a filter that only chooses among samples, with integers in place of floats."""
    block = re.search(rf"^LG_KERNEL\(\s*{name},(.*?)LG_FUNCTION float {name}_channel\(", text, re.M | re.S)[1]
    of = "_BYTES" if suffix == "bytes" else ""
    for word, new in ((r"float|LG_FLOAT", kind), (rf"{name}_(\w+)", rf"{name}_{suffix}_\1"),
                      ("fminf", f"LG_LESSER{of}"), ("fmaxf", f"LG_GREATER{of}")):
        block = re.sub(rf"\b(?:{word})\b", new, block)
    yield block.strip()


def choices(name, text):
    """The loops of such a filter on u8, where there are vectors in blocks, and on u16."""
    yield from choice(name, text, "u8", "uint8_t")
    yield f"#if LG_BLOCK_VECTORS\nLG_CHOICE_LOOP({name}_u8_each, {name}_u8, uint8_t)"
    yield from choice(name, text, "bytes", "lg_block_words")
    yield f"LG_CHOICE_BYTES({name})\n#else\nLG_CHOICE_LOOP({name}_u8, {name}_u8, uint8_t)\n#endif"
    yield from choice(name, text, "u16", "uint16_t")
    yield f"LG_CHOICE_LOOP({name}_u16, {name}_u16, uint16_t)"


def kernels():
    yield '#include "cpu/cpu.h"\n#include "filter/loops.h"\n'
    loops = {}
    for name, path, kind in simple(KINDS + INNER):
        text = (ROOT / "src" / path).read_text()
        yield f'#include "{path}"\n#undef PARAMETERS'
        loops[name] = [f".run = {name}_run"] if kind != "pipeline" else []
        if re.search(r"^LG_FINISH\(", text, re.M):
            loops[name] += [f".after = {name}_after"]
        if re.search(r"^LG_WARP_LINE\(", text, re.M):
            loops[name] += [f".points = {name}_points"]
        if re.search(r"^LG_(WINDOW_OF_CHANNELS|CHOICE_OF_COLUMNS)\(", text, re.M):
            loops[name] += [f".samples = {name}_samples"]
        if re.search(r"^LG_WINDOW_OF_VALUES\(", text, re.M):
            loops[name] += [f".values = {name}_values"]
        for what in ("weight", "strength"):
            if f"LG_FUNCTION float {name}_{what}(" in text:
                yield f"LG_WINDOW_{what.upper()}({name})"
                loops[name] += [f".{what} = {name}_{what}_of"]
        if re.search(r"^LG_SUMS_ROWS\(", text, re.M):
            loops[name] += [".sums_rows = true"]
        if re.search(r"^LG_WORDS\(", text, re.M):
            loops[name] += [f".words = {name}_words"]
        if re.search(r"^LG_PIXELS(_WHOLE|_BY)?\(", text, re.M):
            loops[name] += [f".pixels = {name}_pixels"]
        if re.search(r"^LG_GREY\(", text, re.M):
            loops[name] += [f".grey = {name}_grey"]
        if re.search(r"^LG_BLEND_BYTES\(", text, re.M):
            loops[name] += [f".bytes = {name}_bytes"]
        if re.search(r"^LG_CHOICE_OF_COLUMNS\(", text, re.M):
            yield from choices(name, text)
            loops[name] += [f".choices = {{{name}_u8, {name}_u16}}"]
    yield "\nstatic const lg_named_loops all[] = {"
    for name, fields in loops.items():
        if fields:
            yield f'    {{"{name}", {{{", ".join(fields)}}}}},'
    yield "    {NULL, {NULL}},\n};"
    yield "\nextern const lg_loop_table LG_CPU_TABLE(filter_loops);"
    yield "const lg_loop_table LG_CPU_TABLE(filter_loops) = {all};"


def main():
    if sys.argv[1] == "files":
        print("\n".join(files()))
        return
    text = {"catalogue": catalogue, "kernels": kernels}[sys.argv[1]]
    pathlib.Path(sys.argv[2]).write_text("\n".join(text()) + "\n")


main()
