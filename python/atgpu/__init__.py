"""ATGPU: GPU algorithms on paper, checked, derived, costed and run.

>>> import atgpu
>>> p = atgpu.load("programs/paper1/reduction.atgpu")
>>> p.derive().transfer
transfer = n + 1
"""

from atgpu._errors import Error
from atgpu._atgpu import (
    Comparison,
    Cost,
    Derivation,
    Finding,
    Formula,
    Plot,
    Program,
    Run,
    Safety,
    __version__,
    compare,
    load,
    machines,
    models,
    plot,
    program,
    sweep,
)

__all__ = [
    "Comparison",
    "Cost",
    "Derivation",
    "Error",
    "Finding",
    "Formula",
    "Plot",
    "Program",
    "Run",
    "Safety",
    "__version__",
    "compare",
    "load",
    "machines",
    "models",
    "plot",
    "program",
    "sweep",
]


def load_ipython_extension(shell):
    """``%load_ext atgpu`` gives notebooks the cell magic ``%%atgpu``."""
    from atgpu._magic import load_ipython_extension as load_magic

    load_magic(shell)
