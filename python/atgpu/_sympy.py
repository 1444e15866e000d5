"""Formulas as expressions of SymPy."""


def expression(module, name, parameters):
    """Runs the function of a generated module on symbols of the formula's own names."""
    import sympy

    defined = {}
    exec(compile(module, f"<{name}>", "exec"), defined)
    arguments = {own: defined.get(own, sympy.Symbol(letter)) for letter, own in parameters}
    return defined[name](**arguments)
