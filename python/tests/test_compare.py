"""The table of docs/python.md: every row is measured."""

import pathlib

import pytest

import compare

pytest.importorskip("PIL", reason="Pillow is not installed")


@pytest.mark.parametrize("entry", compare.ROWS, ids=lambda e: f"{e[0]} {e[1]}.{e[2]} {e[3]}")
def test_a_row_is_true(entry):
    pytest.importorskip(entry[1], reason=f"{entry[1].split('.')[0]} is not installed")
    found, claim = compare.worst(entry), entry[4]
    if claim is compare.OTHER:
        assert found > 1e-3 and entry[5], "it is the same, and the table says that it is not"
    else:
        assert found <= claim
        assert bool(entry[5]) == (claim > 0), "a difference has a reason, and only a difference"


def test_the_document_has_the_table():
    text = (pathlib.Path(compare.ROOT) / "docs" / "python.md").read_text()
    assert compare.written(text) == text, "python3 python/tests/compare.py write docs/python.md"


def test_a_wrong_claim_is_found():
    entry = compare.ROWS[0]
    wrong = (*entry[:6], lambda image: (1, 2))
    assert compare.worst(wrong) == 1
