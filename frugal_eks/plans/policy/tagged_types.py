"""Writes the list of AWS types that take tags, from the SDK that is installed.

python -m frugal_eks.plans.policy.tagged_types
    write frugal_eks/plans/policy/tagged-types.txt
python -m frugal_eks.plans.policy.tagged_types --check
    exit 1 if it is of another SDK
"""

import argparse
import importlib.util
import re
import sys
from importlib.metadata import version
from pathlib import Path

from frugal_eks.plans.policy.rules.tags import FILE

_TOKEN = re.compile(r"__self__\)\.__init__\(\s*'(aws:[^']+)'")
_ARGUMENTS = re.compile(r"def _internal_init\((.*?)\):\n", re.DOTALL)


def tagged() -> str:
    """Text of the list: a line with its source, then one type per line."""
    package = importlib.util.find_spec("pulumi_aws")
    assert package
    assert package.submodule_search_locations
    # Read, not imported: 1,700 modules would take minutes.
    modules = sorted(Path(package.submodule_search_locations[0]).glob("*/*.py"))
    types = {token for module in modules for token in _types(module.read_text(encoding="utf-8"))}
    return "\n".join([f"# pulumi-aws {version('pulumi_aws')}", *sorted(types), ""])


def _types(text: str) -> list[str]:
    token, arguments = _TOKEN.search(text), _ARGUMENTS.search(text)
    takes = token and arguments and re.search(r"\btags: ", arguments[1])
    return [token[1]] if token and takes else []


def main() -> int:
    """Writes or checks the list; returns 1 if `--check` finds another list."""
    description, _, examples = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m frugal_eks.plans.policy.tagged_types",
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    if not parser.parse_args().check:
        FILE.write_text(tagged(), encoding="utf-8")
        return 0
    if FILE.read_text(encoding="utf-8") == tagged():
        return 0
    print(
        f"{FILE.name} is not of the installed SDK: run `python -m "
        f"frugal_eks.plans.policy.tagged_types`."
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
