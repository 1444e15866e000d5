"""The page of the book, the package's own examples, and the notebooks do as they say."""

import doctest
import json
from pathlib import Path

import pytest

import atgpu

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


def test_the_page_shows_what_comes_out():
    result = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_the_examples_of_the_package_hold():
    result = doctest.testmod(atgpu)
    assert result.attempted > 0
    assert result.failed == 0


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    """Every code cell runs in order, in a shell of IPython as a kernel has it, and raises nothing."""
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    monkeypatch.chdir(path.parent)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 4
    for cell in code:
        shell.run_cell(cell, store_history=False).raise_error()
