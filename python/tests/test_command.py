"""The package and the command tell the same: the values of formulas, and the counts of programs."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import atgpu

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "programs").rglob("*.atgpu"))

#: Values that the test compares, of every third program. `compared(command, None, 1)` takes all, some 10,000 of them.
MOST = 600

#: How the letters of formulas are written in a module of Python.
LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "lambda_": "λ", "sigma": "σ", "k_real": "k'"}


def told(arguments):
    """What the command prints."""
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def compared(command, most, step):
    """How many values are equal in both, over programs, quantities and twelve points each; another value fails."""
    equal = 0
    for path in PROGRAMS[::step]:
        try:
            derivation = atgpu.load(path).derive()
        except atgpu.Error:
            continue
        module = {}
        exec(told([command, "derive", path, "--format", "python"]), module)
        for name in derivation.quantities:
            function = module.get(name)
            if function is not None:
                equal += values(derivation[name], function, path)
        if most and equal >= most:
            break
    return equal


def values(formula, function, path):
    """How many of twelve points have a value, which is the same in both."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if {LETTERS.get(name, name) for name in names} != set(formula.parameters):
        return 0
    equal = 0
    for at in range(12):
        point = {name: 2 ** (1 + (at + place) % 12) + at // 6 for place, name in enumerate(names)}
        try:
            wanted = function(**point)
        except (ArithmeticError, ValueError):
            continue
        if isinstance(wanted, (int, Fraction)):
            found = formula(**{LETTERS.get(name, name): value for name, value in point.items()})
            # An irrational value is a double here, and forty digits there.
            wanted = float(wanted) if isinstance(found, float) else wanted
            assert found == wanted, (path, formula.name, point)
            equal += 1
    return equal


def test_formulas_have_the_values_of_the_command(command):
    assert compared(command, MOST, 3) >= MOST


def test_counts_are_those_of_the_command(command):
    for path in ["programs/paper1/reduction.atgpu", "programs/paper1/vector_addition.atgpu"]:
        # The command begins with a model more, which the package gives when it is asked for.
        models = ["--model", "atgpu", "--model", "swgpu"]
        arguments = [command, "cost", path, "-D", "n=32768", "--machine", "h100", "--format", "json", *models]
        command_told = json.loads(told(arguments))
        cost = atgpu.load(path).cost(n=32768, machine="h100").to_dict()
        assert cost["totals"] == command_told["totals"]
        assert cost["models"] == command_told["models"]
