#!/usr/bin/env python3
"""Checks that a barrier() lies between two places of a kernel that use the same shared memory.

usage: kernel_barriers.py

Threads of a workgroup run one after the other in software, so that a barrier that is missing between
them seldom shows there. This goes through the text of every kernel as it runs: calls where they stand,
loops twice. A shared array that is written at one index and read at another, read and then written, or
changed by atomics and otherwise, needs a barrier in between; so does a word that all threads share, also
where it is written in two places. Texts do not tell everything: PLAIN has what is right all the same,
with the reason, and an entry that is not needed any more is a finding too. Of the barriers in the kernels
seven of ten are told when they are left out; the others part uses that look alike in the text.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# (kernel, function, array): why it needs no barrier there.
PLAIN = {
    ("areasum_table.comp", "take_turn", "turn"): "a parameter of another function has the name of the word",
    ("canny_bytes.glsl", "sum_columns", "area"):
        "from one part of the array to another, with barriers around the call",
    ("canny_label.glsl", "find_here", "parent"):
        "a union-find: what is read is a parent, an older or a newer one",
    ("canny_label.glsl", "join_here", "parent"): "likewise",
    ("figure_components.comp", "largest_of_group", "found"):
        "a thread reads above `step` and writes below it",
    ("corner_measure.glsl", "go_down", "luminances"): "steps take two halves of it in turns",
    ("corner_measure.glsl", "put_columns", "columns"): "steps take two halves of it in turns",
    ("gaussian_pyramid_up.glsl", "double_rows", "doubled_columns"): "rounds take two halves of it in turns",
    ("histogram_any.comp", "counters_publish", "counters"):
        "packed counters, which spill, have no copies to add up",
    ("histogram_dense.comp", "counters_publish", "counters"): "likewise",
    ("label_local.comp", "flatten", "parents"):
        "a union-find: what is read is a parent, an older or a newer one",
    ("label_local.comp", "parent_of", "parents"): "likewise",
    ("label_local.comp", "tile_starts", "words"): "a variable of the function's own has the name",
    ("label_reals.comp", "add_slot", "sums"):
        "words of a slot are added to in any order; slots are taken by atomics",
    ("label_reals.comp", "add_word", "sums"): "likewise",
    ("label_reals.comp", "raise", "sums"): "likewise",
    ("local_running.glsl", "go_down", "running"): "rows take two halves of it in turns",
    ("local_running.glsl", "white_of", "inverses"): "a thread reads what it wrote itself",
    ("label_write.comp", "tile_starts", "words"): "a variable of the function's own has the name",
}

INDEX = r"(?:\[[^\]\[]*(?:\[[^\]\[]*(?:\[[^\]]*\])?[^\]\[]*\][^\]\[]*)*\]|\.\w+)*"
TOKEN = re.compile(r"\b((?:subgroupB|b)arrier)\(\)|\b(\w+)\(|"
                   r"\b(\w+)(" + INDEX + r")\s*(=(?!=)|[-+|&^]=|\+\+)?")
SHARED_BY_ALL = re.compile(r"(\[\d+u?\])?(\.\w+)?")


def load(path, seen):
    """The text with what it includes, each file once."""
    if path in seen or not path.exists() or path.suffix not in (".glsl", ".comp"):
        return ""
    seen.add(path)
    text = re.sub(r"//[^\n]*", "", path.read_text())
    return re.sub(r'#\s*include "([^"]+)"', lambda m: load(ROOT / "src" / m[1], seen), text)


def matching(text, at, pair):
    """The place behind what closes the bracket that was opened before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        at += 1
    return at


def functions(text):
    found = {}
    for match in re.finditer(r"^(?:\w+ )+(\w+)\([^;{]*\)\s*\{", text, re.M):
        found.setdefault(match[1], []).append(text[match.end():matching(text, match.end(), "{}") - 1])
    return found


def statement_end(text, at):
    """The place behind the statement or block that begins at `at`."""
    while at < len(text) and text[at].isspace():
        at += 1
    if text[at:at + 1] == "{":
        return matching(text, at + 1, "{}")
    nested = re.compile(r"(?:\[\[unroll\]\] )?(?:for|while|if) \(").match(text, at)
    if nested:
        return statement_end(text, matching(text, nested.end(), "()"))
    end = text.find(";", at)
    return len(text) if end < 0 else end + 1


def order(body, first, last):
    """Pieces of the text as they run, loops twice."""
    at = first
    for match in re.compile(r"\b(?:for|while) \(").finditer(body, first, last):
        if match.start() >= at:
            inner = matching(body, match.end(), "()")
            end = min(statement_end(body, inner), last)
            yield at, inner
            for _ in range(2):
                yield from order(body, inner, end)
            at = end
    yield at, last


def tokens(body, names, called):
    for match in TOKEN.finditer(body):
        barrier, function, name, index, writes = match.groups()
        if barrier:
            yield match.start(), ("barrier", "", "")
        elif function in called:
            yield match.start(), ("call", function, "")
        elif name in names:
            atomic = re.search(r"atomic\w+\($", body[:match.start()])
            yield match.start(), ("atomic" if atomic else "write" if writes else "read", name, index)


def uses_of(function, bodies, names, stack):
    """(kind, array, index, function, place in it) in the order in which they run."""
    uses = []
    for body in bodies[function]:
        found = list(tokens(body, names, bodies.keys() - stack))
        for first, last in order(body, 0, len(body)):
            for at, (kind, name, index) in found:
                if first <= at < last:
                    uses += uses_of(name, bodies, names, stack | {name}) if kind == "call" \
                        else [(kind, name, index, function, at)]
    return uses


def check(path, text):
    """{(kernel, function, array): what is wrong}"""
    names = set()
    for line in re.findall(r"^\s*shared\s+\w+\s+([^;]*);", text, re.M):
        names |= set(re.findall(r"(\w+)\s*(?:\[|,|$)", re.sub(r"\[[^\]]*\]", "[", line)))
    found, since_barrier = {}, {}
    uses = uses_of("main", functions(text), names, {"main"}) if names else []
    for kind, name, index, function, place in uses:
        if kind == "barrier":
            since_barrier = {}
            continue
        before = since_barrier.setdefault(name, [])
        for other_kind, other_index, other, other_place in before:
            # One word that is written in two places: by one thread and by others.
            twice = kind == "write" and index == "" and (other, other_place) != (function, place)
            if other_kind != kind and (other_index != index or SHARED_BY_ALL.fullmatch(index)) or \
                    other_kind == kind and twice:
                found.setdefault((path.name, function, name),
                                 f"{path.relative_to(ROOT)}: no barrier between a {other_kind} of "
                                 f"{name}{other_index} in {other} and a {kind} of {name}{index} in "
                                 f"{function}")
        if (kind, index, function, place) not in before:
            before.append((kind, index, function, place))
    return found


def findings():
    found = {}
    for path in sorted([*(ROOT / "src").rglob("*.glsl"), *(ROOT / "src").rglob("*.comp")]):
        text = load(path, set())
        if "void main()" in text:
            found.update(check(path, text))
    lines = [text for key, text in found.items() if key not in PLAIN]
    return lines + [f"scripts/kernel_barriers.py: {' '.join(key)} needs no entry in PLAIN" for key in PLAIN
                    if key not in found]


if __name__ == "__main__":
    texts = findings()
    print("\n".join(texts + [f"kernel barriers: {len(texts)} findings"]))
    sys.exit(bool(texts))
