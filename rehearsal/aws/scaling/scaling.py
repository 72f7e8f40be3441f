"""All Auto Scaling groups of the played account, as the endpoint keeps them going."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import logging
import time
from typing import Any

from moto.autoscaling.models import autoscaling_backends

from rehearsal.aws.moto_account import MotoAccount
from rehearsal.aws.scaling import endings, interruptions, refreshes, requests
from rehearsal.aws.scaling.interruptions import Interruptions


class Scaling:
    """The groups of one account and region."""

    def __init__(self, account: MotoAccount) -> None:
        """Makes moto treat groups this way, in the whole process."""
        requests.install()
        self._account = account
        self.interruptions = Interruptions(account)

    @property
    def groups(self) -> list[Any]:
        """moto's groups."""
        backend = autoscaling_backends[self._account.id][self._account.region]
        return list(backend.autoscaling_groups.values())

    def settle(self, now: float | None = None) -> None:
        """Advances everything that is under way; `now` is on the monotonic clock."""
        moment = time.monotonic() if now is None else now
        self.interruptions.settle(moment)
        for group in self.groups:
            try:
                endings.settle(group, moment)
                interruptions.settle(group)
                refreshes.settle(group)
            except Exception as error:  # moto's own, one a case: a template or subnet that is gone
                logging.getLogger(__name__).warning("%s is not settled: %s", group.name, error)
