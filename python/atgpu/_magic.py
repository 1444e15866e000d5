"""The cell magic ``%%atgpu name`` of IPython and Jupyter."""

from atgpu import Error, program


def atgpu(line, cell, shell=None):
    """Checks the cell's program, shows its derivation, and binds the program to the name.

    ``%%atgpu scan`` binds ``scan``; without a name the algorithm's own name is taken.
    """
    from IPython import get_ipython
    from IPython.display import display

    name = line.strip()
    if name and not name.isidentifier():
        raise ValueError(f"`{name}` is no name of Python")
    try:
        read = program(cell, name or "cell")
        for finding in read.check():
            print(finding.render())
        derivation = read.derive()
    except Error as error:
        print(error.render())
        return
    print(derivation)
    display(derivation)
    (shell or get_ipython()).user_ns[name or read.name] = read


def load_ipython_extension(shell):
    """``%load_ext atgpu``."""
    shell.register_magic_function(lambda line, cell: atgpu(line, cell, shell), "cell", "atgpu")
