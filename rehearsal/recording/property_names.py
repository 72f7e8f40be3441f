"""The names of inputs that the SDK's class of a resource has."""

from collections.abc import Set
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from pulumi._types import input_type_py_to_pulumi_names


@cache
def property_names(kind: str) -> Set[str] | None:
    """The inputs of a type, by its token; None where no SDK has a class for it.

    A manifest reaches the engine without such a class, and options of a component without its own:
    a name that is misspelt there would be recorded, and refused by nobody before AWS or Kubernetes.
    """
    package, place, name = kind.split(":")
    group, _, version = place.partition("/")
    module = f"pulumi_{package}"
    if package == "kubernetes":
        module += f".{group.partition('.')[0]}.{version}"
    elif place != "index":
        module += f".{group}"
    if package == "pulumi" or not _is_there(module):
        return None
    sdk = import_module(module)
    # A class whose fields have the name of its arguments has them under another name.
    arguments = getattr(sdk, f"{name}InitArgs", None) or getattr(sdk, f"{name}Args", None)
    return arguments and set(input_type_py_to_pulumi_names(arguments).values())


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
