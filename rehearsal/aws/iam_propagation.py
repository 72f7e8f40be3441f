"""IAM's changes reach other services some seconds later.

A role's policies and its trust count for EKS, and an instance profile for Auto Scaling, only after
a while (frugal_eks/dev/features/aws-behaviours.yaml: iam-propagation-general, mostly 2 to 15 s;
instance-profile-not-seen-by-ec2, mostly 10 to 35 s). A role itself is known at once: the real
provider waits for it longer than that (create_behaviour in tests/data/provider/iam.yaml).
"""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from moto.iam.models import IAMBackend

TRUST = "trust policy"
"""Key of the changes of a trust policy or instance profile; other keys are policies' ARNs or
names.
"""


@dataclass
class Delays:
    """Seconds until other services know of a change."""

    role: float = 0
    profile: float = 0


DELAYS = Delays()
"""Delays of this process: none until `install` sets them."""
REHEARSED = Delays(role=15 / 60, profile=35 / 60)
"""Worst usual delays, at a second for each of AWS's minutes, as the provider's patience."""


def install(delays: Delays) -> None:
    """Makes moto's IAM note its changes, in the whole process. Safe to call again."""
    DELAYS.role, DELAYS.profile = delays.role, delays.profile
    backend = cast("Any", IAMBackend)
    backend.update_assume_role_policy = _update_trust
    backend.attach_role_policy = _attach
    backend.put_role_policy = _put
    backend.add_role_to_instance_profile = _add_role


def counts(thing: Any, change: str) -> bool:
    """True if EKS knows already what changed of one of moto's roles."""
    return _seconds_since(thing, change) >= DELAYS.role


def profile_counts(profile: Any) -> bool:
    """True if EC2 and Auto Scaling know one of moto's instance profiles, with its role."""
    return _seconds_since(profile, TRUST) >= DELAYS.profile


def _seconds_since(thing: Any, change: str) -> float:
    return time.monotonic() - getattr(thing, "rehearsal_changes", {}).get(change, float("-inf"))


def _note(thing: Any, change: str) -> None:
    thing.rehearsal_changes = {**getattr(thing, "rehearsal_changes", {}), change: time.monotonic()}


_moto_updates_trust: Callable[..., Any] = IAMBackend.update_assume_role_policy
_moto_attaches: Callable[..., Any] = IAMBackend.attach_role_policy
_moto_puts: Callable[..., Any] = IAMBackend.put_role_policy
_moto_adds_role: Callable[..., Any] = IAMBackend.add_role_to_instance_profile


def _update_trust(iam: Any, role_name: str, policy_document: str) -> None:
    _moto_updates_trust(iam, role_name, policy_document)
    _note(iam.get_role(role_name), TRUST)


def _attach(iam: Any, policy_arn: str, role_name: str) -> None:
    _moto_attaches(iam, policy_arn, role_name)
    _note(iam.get_role(role_name), policy_arn)


def _put(iam: Any, role_name: str, policy_name: str, policy_json: str) -> None:
    _moto_puts(iam, role_name, policy_name, policy_json)
    _note(iam.get_role(role_name), policy_name)


def _add_role(iam: Any, profile_name: str, role_name: str) -> None:
    _moto_adds_role(iam, profile_name, role_name)
    _note(iam.get_instance_profile(profile_name), TRUST)
