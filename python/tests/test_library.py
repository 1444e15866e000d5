"""What the package promises beside what its page shows."""

import importlib.metadata
import re
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import atgpu

ROOT = Path(__file__).resolve().parents[2]
REDUCTION = "programs/paper1/reduction.atgpu"
ADDITION = "programs/paper1/vector_addition.atgpu"
FAULTY = "algorithm T(n)\n  global a[n]\n  a ⇚ A\n"


def test_the_version_is_that_of_the_crate():
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    assert atgpu.__version__ == re.search(r'^version = "(.*)"$', manifest, re.MULTILINE)[1]
    assert atgpu.__version__ == importlib.metadata.version("atgpu")


def test_an_error_has_code_place_and_help():
    with pytest.raises(atgpu.Error) as raised:
        atgpu.program(FAULTY, "t.atgpu")
    error = raised.value
    assert (error.code, error.line, error.column) == ("name::unknown", 3, 7)
    assert str(error).startswith("t.atgpu:3:7: error[") and "\n" not in str(error)
    assert "a ⇚ A" in error.render()
    assert [finding.code for finding in error.findings] == ["name::unknown"]


def test_what_is_no_fault_of_a_program_is_an_error_of_python():
    p = atgpu.load(REDUCTION)
    with pytest.raises(FileNotFoundError, match="nowhere.atgpu"):
        atgpu.load("nowhere.atgpu")
    with pytest.raises(AttributeError, match="did you mean `io`"):
        p.derive().ioo
    with pytest.raises(TypeError, match="`b` has no value"):
        p.derive().io(n=1024)
    with pytest.raises(ValueError, match="did you mean `h100`"):
        p.cost(n=1024, machine="h10")
    with pytest.raises(TypeError, match="a number is wanted"):
        p.cost(n=None)
    with pytest.raises(ValueError, match="is no number"):
        p.derive().io(n=float("nan"), b=32)


def test_a_bound_says_which_one_it_is():
    d = atgpu.load("programs/cookbook/histogram.atgpu").derive()
    bounds = [formula for formula in (d.io, d.total_time, d.bank_conflicts) if formula.lower]
    assert bounds
    for formula in bounds:
        assert not formula.is_exact and repr(formula).startswith(f"{formula.name} ≤ ")
        assert not formula.lower.is_exact and repr(formula.lower).startswith(f"{formula.name} ≥ ")
        assert formula.source("c")
        with pytest.raises(ValueError, match="has no function"):
            formula.lower.source("c")


def test_numbers_are_exact_whatever_they_come_as():
    io = atgpu.load(ADDITION).derive().io
    for n in [2**70, "2^70", Fraction(2**70), float(2**70)]:
        assert io(n=n, b=32) == 3 * 2**65
    assert io(n=np.int64(64), b=np.int32(32)) == 6
    assert isinstance(io(n=np.int64(64), b=32), int)


def test_arrays_are_broadcast_and_rounded_once():
    io = atgpu.load(REDUCTION).derive().io
    n, b = np.array([[2**10], [2**30]]), np.array([2, 32])
    values = io(n=n, b=b)
    assert values.shape == (2, 2) and values.dtype == np.float64
    exact = [[float(io(n=int(row[0]), b=int(column))) for column in b] for row in n]
    assert values.tolist() == exact


def test_no_word_of_an_input_is_changed():
    p = atgpu.load(ADDITION)
    wide = np.array([2**62, -(2**62)] * 32)
    assert p.run(A=wide, B="zeros").C.tolist() == wide.tolist()
    spread = np.arange(128, dtype=np.int16)[::2]
    assert p.run(A=spread, B="zeros").C.tolist() == spread.tolist()
    with pytest.raises(OverflowError):
        p.run(A=np.full(64, 2**64 - 1, dtype=np.uint64), B="zeros")
    with pytest.raises(atgpu.Error) as raised:
        p.run(A=np.full(64, 1.5), B="zeros")
    assert raised.value.code == "type::mismatch"


def test_a_size_given_must_be_that_of_the_data():
    with pytest.raises(atgpu.Error) as raised:
        atgpu.load(ADDITION).run(A=np.arange(64), B=np.arange(64), n=128)
    assert raised.value.code == "access::shape"


def test_a_table_is_ready_for_pandas():
    pandas = pytest.importorskip("pandas")
    p, q = atgpu.load(REDUCTION), atgpu.load(ADDITION)
    table = pandas.DataFrame(atgpu.sweep(p, q, n="2^10..2^20:x32", machine=["gtx650", "h100"]))
    assert len(table) == 3 * 2 * 2
    one = table[(table.program == "Reduction") & (table.machine == "h100") & (table.n == 2**20)]
    assert one.atgpu_gpu_cost.item() == p.cost(n=2**20, machine="h100").ms


def test_a_figure_is_saved_by_its_name(tmp_path):
    figure = atgpu.load(ADDITION).plot(n=[1024, 2048, 4096])
    for name in ["f.svg", "f.pdf", "f.png", "f.tex"]:
        figure.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    assert (tmp_path / "f.csv").exists()
    with pytest.raises(ValueError, match=".svg"):
        figure.save(tmp_path / "f.doc")


def test_a_formula_is_another_language_and_sympy():
    io = atgpu.load(ADDITION).derive().io
    assert "double vector_addition_io(double n, double b)" in io.source("c")
    sympy = pytest.importorskip("sympy")
    n, b = sorted(io.sympy().free_symbols, key=str, reverse=True)
    assert io.sympy().subs({n: 2**40, b: 32}) == sympy.Integer(3 * 2**35)


def test_the_interpreter_goes_on_while_the_library_works():
    p, ticks, stop = atgpu.load(ADDITION), [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.perf_counter()
    p.run(A="iota", B="iota", n=2**21)
    ended = time.perf_counter()
    stop.set()
    thread.join()
    assert sum(begun < each < ended for each in ticks) >= 3


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_an_interrupt_ends_a_run():
    script = f"import atgpu; p = atgpu.load({REDUCTION!r}); print('go', flush=True); p.run(n=2**25, A='iota')"
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.readline() == b"go\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    begun = time.perf_counter()
    _, complaint = child.communicate(timeout=60)
    assert time.perf_counter() - begun < 5
    assert b"KeyboardInterrupt" in complaint


def test_the_cell_magic_binds_a_program(capsys):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shell.run_cell("%load_ext atgpu").raise_error()
    text = Path(ADDITION).read_text(encoding="utf-8")
    shell.run_cell(f"%%atgpu addition\n{text}").raise_error()
    assert shell.user_ns["addition"].name == "VectorAddition"
    assert "transfer" in capsys.readouterr().out
    shell.run_cell(f"%%atgpu wrong\n{FAULTY}").raise_error()
    assert "wrong" not in shell.user_ns
    assert "name::unknown" in capsys.readouterr().out


def test_the_stubs_name_all_that_there_is():
    stubs = (ROOT / "python/atgpu/__init__.pyi").read_text(encoding="utf-8")
    for name in atgpu.__all__:
        assert re.search(rf"(class|def) {name}\b|^{name}:", stubs, re.MULTILINE), name
        made = getattr(atgpu, name)
        if isinstance(made, type):
            body = re.search(rf"^class {name}\b.*?(?=^\S)", stubs, re.MULTILINE | re.DOTALL)[0]
            for own in vars(made):
                assert own.startswith("_") or own in body, f"{name}.{own}"


def test_sweeps_and_figures_refuse_a_program_at_fault():
    """As the commands do: costs of a program that reads out of bounds mean nothing."""
    text = open("programs/paper1/vector_addition.atgpu", encoding="utf-8").read()
    faulty = text.replace("_a[j] ⇐ a[ib + j]", "_a[j] ⇐ a[ib + j + 1]")
    program = atgpu.program(faulty)
    for call in (atgpu.sweep, atgpu.plot):
        with pytest.raises(atgpu.Error) as refused:
            call(program, n="2^10..2^12")
        assert refused.value.code == "bounds::global"
        assert "a[ib + j + 1]" in faulty.splitlines()[refused.value.line - 1]


def test_points_without_a_result_are_told():
    program = atgpu.load("programs/paper1/vector_addition.atgpu")
    for call in (atgpu.sweep, atgpu.plot):
        with pytest.warns(UserWarning, match=r"1 of 2 points of VectorAddition on gtx650 give nothing: `b \| n` does"):
            call(program, n="1000,1024")
    with pytest.raises(atgpu.Error) as refused:
        atgpu.sweep(program, n="1001,1003")
    assert refused.value.code == "require::violated"
