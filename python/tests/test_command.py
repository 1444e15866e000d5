"""The package and the command tell the same: the values of formulas, and the counts of programs."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import atgpu

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "programs").rglob("*.atgpu"))

#: Values compared; all 8,000 and more take some minutes.
MOST = 600


def values(command, path, point):
    """Every quantity at a point, by the functions that the command writes."""
    made = subprocess.run([command, "derive", path, "--format", "python"], capture_output=True, text=True, check=True)
    module = {}
    exec(made.stdout, module)
    return module


def compared(command, most, step):
    """How many values are equal in both; a value that differs fails at once."""
    equal = 0
    for path in PROGRAMS[::step]:
        try:
            derivation = atgpu.load(path).derive()
        except atgpu.Error:
            continue
        module = values(command, path, None)
        for name in derivation.quantities:
            try:
                formula = derivation[name]
            except KeyError:
                continue
            function = module.get(f"{name}_" if name in ("global",) else name)
            if function is None:
                continue
            names = function.__code__.co_varnames[: function.__code__.co_argcount]
            letters = {"alpha": "α", "beta": "β", "gamma": "γ", "lambda_": "λ", "sigma": "σ", "k_real": "k'"}
            if {letters.get(each, each) for each in names} != set(formula.parameters):
                continue
            for at in range(12):
                point = {each: 2 ** (at % 4 + 5 + (each == "n") * 6) + 0 * at for each in names}
                own = {letters.get(each, each): value for each, value in point.items()}
                try:
                    wanted = function(**point)
                except (ArithmeticError, ValueError):
                    continue
                if wanted is None or isinstance(wanted, float):
                    continue
                assert formula(**own) == Fraction(wanted), (path, name, point)
                equal += 1
        if equal >= most:
            break
    return equal


def test_formulas_have_the_values_of_the_command(command):
    assert compared(command, MOST, 3) >= MOST


def test_counts_are_those_of_the_command(command):
    for path in ["programs/paper1/reduction.atgpu", "programs/paper1/vector_addition.atgpu"]:
        arguments = [command, "cost", path, "-D", "n=32768", "--machine", "h100", "--format", "json"]
        told = json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)
        cost = atgpu.load(path).cost(n=32768, machine="h100")
        assert cost.to_dict()["totals"] == told["totals"]
        assert cost.to_dict()["models"] == told["models"]
