"""Policies that allow more than before, or deny less, statement by statement."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from frugal_eks.plans.previews import UNKNOWN, Change, Preview, Resource
from frugal_eks.plans.previews.markdown import code, codes
from frugal_eks.plans.review.risk import Concern, Risk, changed
from frugal_eks.plans.review.risks.documents import (
    POLICY,
    ROLE,
    Document,
    documents,
    holder,
    owner,
    unknown,
)
from frugal_eks.plans.review.risks.statements import NOBODY, Statement, Terms, more

ATTACHMENTS = (
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:iam/userPolicyAttachment:UserPolicyAttachment",
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
)
_MOST = 300
"""Statements that are compared: each with each, and AWS takes no policy that has more."""
Rights = Mapping[str, list[Statement]]


@dataclass(frozen=True)
class Accounts:
    """Who has rights before and after."""

    new: frozenset[str]
    """Names of roles that are only made now."""
    gone: frozenset[str]
    """Names of roles that are deleted."""

    @classmethod
    def of(cls, preview: Preview) -> "Accounts":
        """Of a whole preview."""
        roles = [one for one in preview.changes if one.type == ROLE]
        return cls(
            new=frozenset(_names(one.new for one in roles if one.operation == "create")),
            gone=frozenset(_names(one.old for one in roles if one.operation == "delete")),
        )

    def has(self, name: object) -> bool:
        """Whether the role, user or group is there already."""
        return isinstance(name, str) and name != UNKNOWN and name not in self.new

    def keeps(self, name: object) -> bool:
        """Whether it is there afterwards."""
        return name not in self.gone


def find(preview: Preview) -> Iterator[Risk]:
    """What a new holder of rights is given is told only where it is without bounds."""
    accounts = Accounts.of(preview)
    before = _rights(change.old for change in preview.changes)
    after = _rights(change.new for change in preview.changes)
    for change in changed(preview):
        for path in unknown(change):
            yield _risk(change, f"{code(path)} is known only after `up`: look at it then")
        for document in documents(change.new):
            yield from _wider(change, document, before, was=_was(change, preview, accounts))
        if _stays(change, preview, accounts):
            for document in documents(change.old):
                yield from _denied_no_more(change, document, after)


def _wider(change: Change, document: Document, before: Rights, *, was: bool) -> Iterator[Risk]:
    assert change.new
    had = before.get(holder(change.new, document), [])
    if max(len(document.statements), len(had)) > _MOST:
        yield _risk(change, f"{code(document.path)} has too many statements to compare: look at it")
        return
    for statement in document.statements:
        if statement.effect == "Deny":
            continue
        if was and (parts := more(statement, had)):
            yield _risk(change, f"{code(document.path)}: {_added(statement, parts, had)}")
        elif not was and _without_bounds(statement):
            yield _risk(change, f"{code(document.path)}: {_allows(statement)}, without a condition")


def _denied_no_more(change: Change, document: Document, after: Rights) -> Iterator[Risk]:
    assert change.old
    # What is not told any more does not deny any more; what is unknown has been told.
    if document.path in unknown(change):
        return
    left = after.get(holder(change.new or change.old, document), [])
    if max(len(document.statements), len(left)) > _MOST:
        return
    for statement in document.statements:
        if statement.effect == "Deny" and (parts := more(statement, left)):
            told = f"a Deny{_sid(statement)} no longer holds for {_whom(parts)}"
            yield _risk(change, f"{code(document.path)}: {told}")


def _added(statement: Statement, parts: list[Statement], had: list[Statement]) -> str:
    closest = _closest(statement, had)
    if not closest:
        return f"a new statement{_sid(statement)} {_allows(statement)}"
    more_of = [
        f"{word} {codes(names)}"
        for word, names in (
            ("also", _beyond(closest.actions, [one.actions for one in parts])),
            ("also on", _beyond(closest.resources, [one.resources for one in parts])),
            ("also to", _beyond(closest.principals, [one.principals for one in parts])),
        )
        if names
    ]
    lost = [" ".join(one) for one in closest.conditions if not _still(one, closest, statement)]
    told = [f"allows {', '.join(more_of)}"] if more_of else []
    if lost:
        told.append(f"requires less, or nothing, of {codes(lost)}")
    return f"a statement{_sid(statement)} {' and '.join(told) or f'allows more: {_whom(parts)}'}"


def _still(one: tuple[str, str], closest: Statement, statement: Statement) -> bool:
    return replace(statement, conditions={one: closest.conditions[one]}).covers(statement)


def _closest(statement: Statement, had: list[Statement]) -> Statement | None:
    """The one that it was made from, as far as that can be told."""
    of_its_kind = [one for one in had if one.effect == statement.effect]
    for one in of_its_kind:
        if statement.sid and one.sid == statement.sid:
            return one
    likeness = {i: _likeness(statement, one) for i, one in enumerate(of_its_kind)}
    best = max(likeness, key=lambda i: likeness[i], default=None)
    return of_its_kind[best] if best is not None and likeness[best] > 0 else None


def _likeness(one: Statement, other: Statement) -> int:
    if not one.actions.patterns & other.actions.patterns:
        # Other actions on the same things are a statement of their own.
        return 0
    sides = ((one.actions, other.actions), (one.resources, other.resources))
    shared = sum(len(a.patterns & b.patterns) for a, b in sides)
    return 2 * shared + (one.conditions == other.conditions)


def _beyond(had: Terms, parts: Iterable[Terms]) -> list[str]:
    return list(
        dict.fromkeys(name for one in parts if not had.covers_all(one) for name in _told(one))
    )


def _allows(statement: Statement) -> str:
    told = f"allows {codes(_told(statement.actions))} on {codes(_told(statement.resources))}"
    if statement.principals != NOBODY:
        told += f" to {codes(_told(statement.principals))}"
    if statement.conditions:
        told += f" under conditions on {codes(sorted({key for _, key in statement.conditions}))}"
    return told


def _whom(parts: list[Statement]) -> str:
    actions = dict.fromkeys(name for one in parts for name in _told(one.actions))
    resources = dict.fromkeys(name for one in parts for name in _told(one.resources))
    return f"{codes(actions)} on {codes(resources)}"


def _told(terms: Terms) -> list[str]:
    if terms.negated:
        return [f"all but {', '.join(sorted(terms.patterns))}"]
    return sorted(terms.patterns)


def _sid(statement: Statement) -> str:
    return f" {code(statement.sid)}" if statement.sid else ""


def _without_bounds(statement: Statement) -> bool:
    if statement.conditions:
        return False
    if statement.principals != NOBODY:
        return statement.principals.negated or "*" in statement.principals.patterns
    actions = statement.actions
    whole = actions.negated or any(
        one.endswith((":*", "*:*")) or one == "*" for one in actions.patterns
    )
    return whole and statement.resources.covers("*")


def _was(change: Change, preview: Preview, accounts: Accounts) -> bool:
    """Whether who gets the rights is there already."""
    assert change.new
    if (name := owner(change.new)) is not None:
        return accounts.has(name)
    if change.type == POLICY and change.operation == "create":
        return any(
            change.urn in one.dependencies
            and any(accounts.has(one.inputs.get(key)) for key in ("role", "user", "group"))
            for one in preview.after
            if one.type in ATTACHMENTS
        )
    return change.operation != "create"


def _stays(change: Change, preview: Preview, accounts: Accounts) -> bool:
    """Whether what a document protected is there afterwards."""
    if not change.old:
        return False
    if change.operation != "delete":
        return True
    if (name := owner(change.old)) is not None:
        return accounts.keeps(name)
    gone = {one.urn for one in preview.changes if one.operation == "delete"}
    return change.type not in {ROLE} and not gone & {*change.old.dependencies}


def _rights(resources: Iterable[Resource | None]) -> dict[str, list[Statement]]:
    found: dict[str, list[Statement]] = {}
    for resource in resources:
        for document in documents(resource):
            assert resource
            found.setdefault(holder(resource, document), []).extend(document.statements)
    return found


def _names(roles: Iterable[Resource | None]) -> Iterator[str]:
    for role in roles:
        name = role.inputs.get("name") if role else None
        if isinstance(name, str):
            yield name


def _risk(change: Change, text: str) -> Risk:
    return Risk(Concern.RIGHTS, change, text)
