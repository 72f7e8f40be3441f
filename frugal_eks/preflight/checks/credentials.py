"""Checks the caller, its session and this machine's clock."""

import datetime
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any

import boto3  # pyright: ignore[reportMissingTypeStubs]

from components.cluster.cluster import deploys_as_admin
from frugal_eks.preflight.findings import Finding, fails, ok, unknown
from frugal_eks.preflight.situation import Situation

SKEW = datetime.timedelta(minutes=5)
"""Largest clock skew: AWS refuses requests signed earlier or later (IAM user guide, "Signature
Version 4").
"""
UP = datetime.timedelta(minutes=30)
"""Duration of a first `up` with reserve: EKS alone takes about ten minutes."""
EXPIRIES = ("AWS_CREDENTIAL_EXPIRATION", "AWS_SESSION_EXPIRATION")
"""Variables in which `aws configure export-credentials` and aws-vault put a session's expiry."""


def caller(situation: Situation) -> Iterator[Finding]:
    """Checks that the caller is an administrator of the new cluster."""
    arn = situation.account.ask("sts", "get_caller_identity")["Arn"]
    cluster = situation.new_cluster
    if cluster is None:
        yield ok("credentials", arn)
    elif deploys_as_admin(arn, cluster.admins):
        yield ok("credentials", f"{arn}, an administrator of the cluster")
    else:
        yield unknown(
            "credentials",
            f"{arn} is not in cluster.admins, and `up` refuses to run as anybody else",
            "fine for preflight; for `up` take the credentials of an administrator, or add the "
            "role to cluster.admins",
        )


def session(situation: Situation) -> Iterator[Finding]:
    """Checks that the session outlasts an `up`."""
    machine = situation.machine
    session: Any = boto3.DEFAULT_SESSION
    credentials: Any = session.get_credentials() if session else None
    if credentials is None or not credentials.token:
        yield ok("session", "long-lived keys, which do not expire")
        return
    if hasattr(credentials, "refresh_needed"):
        yield ok("session", "renewed by itself, as long as the login behind it lasts")
        return
    expiry = next(filter(None, map(machine.variable, EXPIRIES)), None)
    ends = _moment(expiry)
    if ends is None:
        yield unknown(
            "session",
            "a session token, and nothing says until when it lasts",
            f"be sure that it lasts {_minutes(UP)} more",
        )
        return
    left = ends - machine.now()
    if left < UP:
        yield fails(
            "session",
            f"it ends in {_minutes(max(left, datetime.timedelta()))}, an `up` may take "
            f"{_minutes(UP)}",
            "log in again, or take a profile whose sessions are renewed",
        )
    else:
        yield ok("session", f"it lasts {_minutes(left)} more")


def clock(situation: Situation) -> Iterator[Finding]:
    """Checks this machine's clock against AWS's."""
    answer = situation.account.ask("sts", "get_caller_identity")["ResponseMetadata"]
    date = answer["HTTPHeaders"].get("date")
    if date is None:
        yield unknown("clock", "the answer has no date", "compare the clock by hand")
        return
    skew = abs(situation.machine.now() - parsedate_to_datetime(date))
    words = f"{skew.total_seconds():.0f} s from AWS's"
    if skew >= SKEW:
        yield fails("clock", words, "set this machine's clock, by NTP for example")
    else:
        yield ok("clock", words)


def _moment(text: str | None) -> datetime.datetime | None:
    try:
        moment = datetime.datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return moment.replace(tzinfo=datetime.UTC) if moment and moment.tzinfo is None else moment


def _minutes(duration: datetime.timedelta) -> str:
    return f"{duration.total_seconds() // 60:.0f} minutes"
