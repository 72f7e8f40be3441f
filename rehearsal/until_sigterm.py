"""Main function of the processes that play a part of AWS."""

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from rehearsal.errors import RehearsalError
from rehearsal.state import State


def main(
    module: str, description: str | None, play: Callable[[State, threading.Event], None]
) -> int:
    """Plays until SIGTERM sets the event. Exit code 1 if there is no rehearsal in the folder."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--state", type=Path, required=True, metavar="DIR")
    state = State(parser.parse_args().state)
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        play(state, stopping)
    except RehearsalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
