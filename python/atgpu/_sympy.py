"""Formulas as expressions of SymPy."""


def expression(module, name):
    """The expression of this name in a generated module, whose symbols are positive."""
    defined = {}
    exec(compile(module, f"<{name}>", "exec"), defined)
    return defined[name]
