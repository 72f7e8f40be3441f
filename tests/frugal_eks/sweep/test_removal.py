"""The order and the patience of a removal, with a kind of thing that the test moves itself."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError

from frugal_eks.sweep.account import Account
from frugal_eks.sweep.kinds import KINDS
from frugal_eks.sweep.removal import PAUSE, Removal, Removed
from frugal_eks.sweep.search import Search
from frugal_eks.sweep.things import Finding, Kind, Thing
from tests.frugal_eks.sweep.world import OWNED

pytestmark = pytest.mark.feature("C-03")


class NoAccount(Account):
    """Whose things the test makes up."""

    id = "111122223333"


@dataclass
class Played:
    """A kind whose things lose a reason to stay with each look."""

    looks: list[list[Thing]]
    """What each look finds; the last one stays."""
    errors: list[str] = field(default_factory=list[str])
    """Codes with which AWS refuses the next removals."""
    asked: list[str] = field(default_factory=list[str])
    told: list[str] = field(default_factory=list[str])
    waits: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    now: float = 0.0

    def look(self, account: Account, cluster: str) -> Iterable[Thing]:
        del account, cluster
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]

    def remove(self, account: Account, thing: Thing) -> None:
        del account
        self.asked.append(thing.id)
        if self.errors:
            answer: Any = {"Error": {"Code": self.errors.pop(0), "Message": "not now"}}
            raise ClientError(answer, "DeleteThing")

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def run(self, patience: float = 60.0) -> Removed:
        def removed(finding: Finding) -> None:
            self.told.append(str(finding))

        def waiting(kind: Kind, reasons: dict[str, str]) -> None:
            assert kind.name == "thing"
            self.waits.append(reasons)

        removal = Removal(
            search=Search(account=NoAccount("eu-west-1"), cluster="dev"),
            patience=patience,
            removed=removed,
            waiting=waiting,
            sleep=self.sleep,
            clock=lambda: self.now,
        )
        return removal.run([Kind(name="thing", look=self.look, remove=self.remove)])


def thing(id: str, busy: str = "") -> Thing:
    return Thing(id=id, tags=OWNED, busy=busy)


def test_what_uses_others_goes_before_them():
    order = [kind.name for kind in KINDS]

    for first, then in (
        ("Auto Scaling group", "instance"),
        ("instance", "network interface"),
        ("instance", "volume"),
        ("instance", "instance profile"),
        ("Auto Scaling group", "launch template"),
        ("load balancer", "target group"),
        ("load balancer", "network interface"),
        ("classic load balancer", "security group"),
        ("network interface", "security group"),
    ):
        assert order.index(first) < order.index(then)


def test_a_removal_is_asked_for_once_and_waited_for():
    played = Played([[thing("a")], [thing("a")], [thing("a")], []])

    result = played.run()

    assert played.asked == ["a"]
    assert played.told == ["thing a"]
    assert played.waits == [{"a": "AWS has not finished its removal"}] * 2
    assert played.now == 2 * PAUSE
    assert result == Removed()


def test_what_is_in_use_is_waited_for_and_then_removed():
    played = Played([[thing("a", "used by b")], [thing("a")], []])

    assert played.run() == Removed()
    assert (played.asked, played.told) == (["a"], ["thing a"])
    assert played.waits == [{"a": "used by b"}]


def test_patience_ends_and_the_reason_is_told():
    played = Played([[thing("a", "used by b")]])

    result = played.run(patience=10.0)

    assert result.reasons == {("thing", "a"): "used by b"}
    assert played.asked == played.told == []
    assert played.now == 4 * PAUSE  # the first look after ten seconds is the last one


@pytest.mark.behaviour("eip-release-auth-failure", "vpc-dependency-violation-leftover-eni")
@pytest.mark.parametrize("code", ["DependencyViolation", "AuthFailure"])
def test_a_thing_that_aws_says_is_in_use_is_asked_for_again(code: str):
    played = Played([[thing("a")], [thing("a")], []], errors=[code])

    assert played.run() == Removed()
    assert played.asked == ["a", "a"]
    assert played.told == ["thing a"]
    (wait,) = played.waits
    assert code in wait["a"]


def test_a_refusal_is_final_and_does_not_hinder_the_others():
    played = Played([[thing("a"), thing("b")], [thing("a")]], errors=["UnauthorizedOperation"])

    result = played.run()

    assert played.asked == ["a", "b"]
    assert played.told == ["thing b"]
    assert played.waits == []
    assert "UnauthorizedOperation" in result.reasons["thing", "a"]


def test_what_went_by_itself_is_no_failure():
    played = Played([[thing("a")], []], errors=["InvalidVolume.NotFound"])

    assert played.run() == Removed()
    assert played.told == []
