"""Writes docs/reference.md and docs/components/, which are made of the program itself.

python -m frugal_eks.dev.reference
    writes them
python -m frugal_eks.dev.reference --check
    writes nothing: 1 if one of them is not what the program says

Exit code: 0 fine, 1 not up to date, 2 wrong usage.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from frugal_eks.dev.reference.component_page import pages
from frugal_eks.dev.reference.stack_page import stack_page
from stack_config.places import Places
from stack_config.schema import plain_schema

DOCS = Path(__file__).parents[3] / "docs"
COMPONENTS = "components"
BAD = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks the pages; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m frugal_eks.dev.reference",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it would change")
    options = parser.parse_args(arguments)
    return settle(every_page(), DOCS, is_check=options.check)


def settle(texts: Mapping[str, str], docs: Path, *, is_check: bool) -> int:
    """Writes pages that differ and deletes obsolete ones, or with `is_check` only reports them;
    returns the exit code.
    """
    changed = [name for name, text in texts.items() if not _holds(docs / name, text)]
    there = sorted((docs / COMPONENTS).glob("*.md"))
    old = [
        f"{COMPONENTS}/{each.name}" for each in there if f"{COMPONENTS}/{each.name}" not in texts
    ]
    if is_check:
        if changed or old:
            outdated = ", ".join(f"docs/{name}" for name in [*changed, *old])
            print(
                f"{outdated}: not what the program says: run `python -m frugal_eks.dev.reference`",
                file=sys.stderr,
            )
        return BAD if changed or old else 0
    (docs / COMPONENTS).mkdir(parents=True, exist_ok=True)
    for name in changed:
        (docs / name).write_text(texts[name], encoding="utf-8")
    for name in old:
        (docs / name).unlink()
    print(f"{len(changed)} of {len(texts)} pages written, {len(old)} removed.")
    return 0


def every_page() -> Mapping[str, str]:
    """Texts of all pages by path below docs/."""
    places = Places(plain_schema())
    inside = {f"{COMPONENTS}/{name}": text for name, text in pages(places).items()}
    return {"reference.md": stack_page(places)} | inside


def _holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
