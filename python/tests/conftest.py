"""Tests run from the root of the checkout, where the examples find the programs."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def command():
    """The command of the same build; the tests that compare with it are left out where it is not told."""
    path = os.environ.get("ATGPU")
    if not path:
        pytest.skip("ATGPU does not name the command")
    return path
