"""Runs the checks in parallel."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
)

from frugal_eks.preflight.account import MissingRightError, NotReadError, is_denied, missing_action
from frugal_eks.preflight.findings import Finding, unknown, unread
from frugal_eks.preflight.situation import Check, Situation

AT_ONCE = 8
"""Number of parallel checks, which mostly wait for AWS."""

Progress = Callable[[Sequence[str]], None]
"""Called with the names of the open checks."""


def run(checks: Sequence[Check], situation: Situation, progress: Progress) -> list[Finding]:
    """Findings of all checks, in the order of the checks."""
    relevant = [check for check in checks if not (situation.update and check.first_up)]
    open_checks = [check.name for check in relevant]
    by_check: dict[str, list[Finding]] = {}
    with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
        progress(open_checks)
        futures = {threads.submit(_findings, check, situation): check.name for check in relevant}
        try:
            for future in as_completed(futures):
                name = futures[future]
                by_check[name] = future.result()
                open_checks.remove(name)
                progress(open_checks)
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    return [finding for check in relevant for finding in by_check[check.name]]


def _findings(check: Check, situation: Situation) -> list[Finding]:
    return list(_until_unread(check, situation))


def _until_unread(check: Check, situation: Situation) -> Iterator[Finding]:
    try:
        yield from check.look(situation)
    except MissingRightError as error:
        yield unread(check.name, *error.actions)
    except NotReadError as error:
        yield unknown(check.name, str(error), "run it again")
    except ClientError as error:
        if is_denied(error):
            yield unread(check.name, missing_action(error))
        else:
            yield unknown(check.name, str(error), "see what AWS says")
    except BotoCoreError as error:
        yield unknown(check.name, str(error), "run it again")
