"""Breaks the program in sampled places and prints the changes that no unit test notices.

  make mutants
      100 places of components/, eks_platform/ and stack_config/: hours, where the machine is busy
  make mutants ARGUMENTS="--places 20 --seed other components/iam"
      fewer, others, elsewhere

Poodle (https://poodle.readthedocs.io) changes one place in a temporary copy of this folder; the
checkout stays as it is. Then the tests nearest to the file run, then those of the whole program,
up to the first that is red ("FOUND"). Docstrings, types, texts of the log and version pins are
left alone. The seed and the code at each place draw the sample, not the revision: where only tests
differ, it is the same. A survivor is a place without a test, or a change that changes nothing.
"""

# pyright: reportMissingTypeStubs=false

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten

from poodle import PoodleTrialRunError
from poodle.config import build_config
from poodle.data_types import MutantTrial, PoodleConfig, PoodleWork
from poodle.mutate import initialize_mutators  # pyright: ignore[reportUnknownVariableType]
from poodle.run import clean_run_each_source_folder, run_mutant_trails
from poodle.util import calc_timeout, create_temp_zips
from rich.console import Console
from rich.table import Table
from rich.text import Text

from frugal_eks.dev.mutants import places, trial

_ROOMS = (Path("components"), Path("eks_platform"), Path("stack_config"))
_PATIENCE = 5
"""Times the run without a change, after which one is given up: machines are busy."""
_WIDTH_WITHOUT_TERMINAL = 160


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--places", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--seed", default="1", help="any word; another draws others (default: 1)")
    parser.add_argument("--workers", type=int, default=1, help="trials at a time (default: 1)")
    parser.add_argument("paths", type=Path, nargs="*", help="folders (default: all three)")
    return parser.parse_args(argv)


def _config(folder: Path, workers: int) -> PoodleConfig:
    here = (Path(),)
    config = build_config(here, None, 0, 0, workers, (), (), (), None, None, None)  # pyright: ignore[reportArgumentType]
    return replace(config, work_folder=folder, timeout_multiplier=_PATIENCE)


def table(survivors: Sequence[MutantTrial]) -> Table:
    """A line for each change that turned no test red."""
    drawn = Table("place", "the code", "instead", "", show_lines=True)
    for survivor in survivors:
        changed = survivor.mutant
        code, text = (
            Text(shorten(each, 200, placeholder=" …"))
            for each in (places.before(changed), changed.text)
        )
        place = f"{changed.source_file}:{changed.lineno}"
        drawn.add_row(place, code, text, survivor.result.reason_code)
    return drawn


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the survivors and returns 0; 1 if a test is red without any change."""
    asked = _arguments(argv)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        work = PoodleWork(_config(Path(folder), asked.workers))
        create_temp_zips(work)
        work.mutators, work.runner = initialize_mutators(work), trial.run
        chosen = places.sample(work, asked.paths or _ROOMS, asked.seed, asked.places)
        try:
            limit = calc_timeout(work.config, clean_run_each_source_folder(work))
        except PoodleTrialRunError as error:
            print(*error.args, sep="\n", file=sys.stderr)
            return 1
        trials = run_mutant_trails(work, chosen, limit).mutant_trials

    survivors = [each for each in trials if not each.result.found]
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH_WITHOUT_TERMINAL)
    console.print(table(survivors))
    red = len(chosen) - len(survivors)
    print(f"{red} of {len(chosen)} changes turned a test red ({red / max(1, len(chosen)):.0%}).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
