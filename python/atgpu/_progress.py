"""How far long work has come: one line in a notebook or on a terminal, and nothing anywhere else."""

import sys

_shown = None


def tell(done, total):
    """Shows a line, over the last one."""
    line = f"{done:,} of {total:,}" if total else f"{done:,} steps"
    _show(f"atgpu: {line}" if done else "atgpu: at work")


def end():
    """Takes the line away."""
    global _shown
    if _shown is not None:
        _show("")
        _shown = None


def _show(line):
    global _shown
    notebook = _notebook()
    if notebook is not None:
        if _shown is None:
            _shown = notebook.display({"text/plain": line}, raw=True, display_id=True)
        else:
            _shown.update({"text/plain": line}, raw=True)
    elif sys.stderr is not None and sys.stderr.isatty():
        _shown = line
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()


def _notebook():
    """The display of a notebook's kernel, if this runs in one."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import display

    return display
