"""Programs for the installed package, run with the modules of this checkout."""


def as_in_the_checkout(program: str) -> str:
    """The program's text with components/ under the name that it has here."""
    return program.replace("frugal_eks.components", "components")
