"""`python -m rehearsal.toolchain [TOOL…]` finds or builds tools and prints where they are."""

import argparse
import signal
import sys
from types import FrameType

from rehearsal.errors import RehearsalError
from rehearsal.toolchain.builder import ensure
from rehearsal.toolchain.families import FAMILIES, REHEARSAL


def main() -> int:
    """Exit code 0 if every tool is there, 1 if one cannot be had, 130 after Ctrl-C."""
    known = [name for family in FAMILIES for name in family.packages]
    parser = argparse.ArgumentParser(prog="python -m rehearsal.toolchain", description=__doc__)
    parser.add_argument(
        "tools",
        metavar="TOOL",
        nargs="*",
        help=f"any of {', '.join(known)}; without one all that a rehearsal needs",
    )
    tools = parser.parse_args().tools or list(REHEARSAL)
    if unknown := [name for name in tools if name not in known]:
        parser.error(f"no such tool: {', '.join(unknown)}; there are {', '.join(known)}")
    # So that go is ended with us, as after Ctrl-C.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        for name, path in ensure(tools).items():
            print(f"{name}\t{path}")
    except RehearsalError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbroken off: what was built is kept, the rest is built next time", file=sys.stderr)
        return 130
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
