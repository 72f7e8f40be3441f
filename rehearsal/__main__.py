"""Tries a stack on this machine, without an AWS account: the real Pulumi engine, a real Kubernetes
control plane and the real Karpenter, with AWS played.

  python -m rehearsal run              the whole of it: start, up, load, preview, destroy, stop
  python -m rehearsal start            or step by step: what `up` needs
  python -m rehearsal up               as often as you like, after changes to the stack file
  python -m rehearsal scale 3 10 0     load for Karpenter
  python -m rehearsal replay           a day's load, on-demand and then spot, and what it costs
  python -m rehearsal interrupt        a spot node's two minutes, and where its pods go
  python -m rehearsal destroy          and what is left
  python -m rehearsal stop             ends all that `start` began
"""

import signal
import sys
from types import FrameType

from rich.console import Console
from rich.markup import escape

from rehearsal.arguments import parser
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import EngineError
from rehearsal.errors import RehearsalError

FAILED, INTERRUPTED = 1, 130
LOG_WIDTH = 160
"""Columns where no terminal says how wide it is."""


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: all is well. 1: something failed, or was left behind. 130: Ctrl-C."""
    description, _, examples = (__doc__ or "").partition("\n\n")
    chosen = parser(description, examples).parse_args(arguments)
    out = Console()
    console = out if out.is_terminal else Console(width=LOG_WIDTH, soft_wrap=True)
    errors = Console(stderr=True, soft_wrap=True)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        options = Options(
            state=chosen.state,
            stack=chosen.stack,
            stack_file=chosen.stack_file,
            eks=chosen.eks,
            charts=chosen.charts,
        )
        chosen.command(Rehearsal(options, console), chosen)
    except RehearsalError as error:
        errors.print(escape(str(error)), style="red", highlight=False)
        interrupted = isinstance(error, EngineError) and error.outcome.interrupted
        return INTERRUPTED if interrupted else FAILED
    except KeyboardInterrupt:
        errors.print("Interrupted. `python -m rehearsal stop` ends what still runs.")
        return INTERRUPTED
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
