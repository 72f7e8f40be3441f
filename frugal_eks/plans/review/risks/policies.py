"""Finds policies that allow more than before, or deny less, statement by statement."""

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
"""Maximum number of statements compared, each with each; AWS accepts no policy with more."""
Rights = Mapping[str, list[Statement]]


@dataclass(frozen=True)
class Accounts:
    """Principals before and after a change."""

    new: frozenset[str]
    """Names of roles that the change creates."""
    gone: frozenset[str]
    """Names of roles that are deleted."""

    @classmethod
    def of(cls, preview: Preview) -> "Accounts":
        """Principals of a whole preview."""
        roles = [change for change in preview.changes if change.type == ROLE]
        return cls(
            new=frozenset(_names(change.new for change in roles if change.operation == "create")),
            gone=frozenset(_names(change.old for change in roles if change.operation == "delete")),
        )

    def has(self, name: object) -> bool:
        """True if the role, user or group exists before the change."""
        return isinstance(name, str) and name != UNKNOWN and name not in self.new

    def keeps(self, name: object) -> bool:
        """True if the role, user or group exists after the change."""
        return name not in self.gone


def find(preview: Preview) -> Iterator[Risk]:
    """Statements that widen; a new principal's rights count only if they are unlimited."""
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
            text = f"a Deny{_sid(statement)} no longer holds for {_whom(parts)}"
            yield _risk(change, f"{code(document.path)}: {text}")


def _added(statement: Statement, parts: list[Statement], had: list[Statement]) -> str:
    closest = _closest(statement, had)
    if not closest:
        return f"a new statement{_sid(statement)} {_allows(statement)}"
    more_of = [
        f"{word} {codes(names)}"
        for word, names in (
            ("also", _beyond(closest.actions, [part.actions for part in parts])),
            ("also on", _beyond(closest.resources, [part.resources for part in parts])),
            ("also to", _beyond(closest.principals, [part.principals for part in parts])),
        )
        if names
    ]
    lost = [
        " ".join(condition)
        for condition in closest.conditions
        if not _still(condition, closest, statement)
    ]
    effects = [f"allows {', '.join(more_of)}"] if more_of else []
    if lost:
        effects.append(f"requires less, or nothing, of {codes(lost)}")
    return f"a statement{_sid(statement)} {' and '.join(effects) or f'allows more: {_whom(parts)}'}"


def _still(condition: tuple[str, str], closest: Statement, statement: Statement) -> bool:
    return replace(statement, conditions={condition: closest.conditions[condition]}).covers(
        statement
    )


def _closest(statement: Statement, had: list[Statement]) -> Statement | None:
    """The earlier statement that this one most likely came from; None if there is none."""
    of_its_kind = [earlier for earlier in had if earlier.effect == statement.effect]
    for earlier in of_its_kind:
        if statement.sid and earlier.sid == statement.sid:
            return earlier
    likeness = {i: _likeness(statement, earlier) for i, earlier in enumerate(of_its_kind)}
    best = max(likeness, key=lambda i: likeness[i], default=None)
    return of_its_kind[best] if best is not None and likeness[best] > 0 else None


def _likeness(statement: Statement, other: Statement) -> int:
    if not statement.actions.patterns & other.actions.patterns:
        # Other actions on the same things are a statement of their own.
        return 0
    sides = ((statement.actions, other.actions), (statement.resources, other.resources))
    shared = sum(len(a.patterns & b.patterns) for a, b in sides)
    return 2 * shared + (statement.conditions == other.conditions)


def _beyond(had: Terms, parts: Iterable[Terms]) -> list[str]:
    return list(
        dict.fromkeys(name for part in parts if not had.covers_all(part) for name in _spelled(part))
    )


def _allows(statement: Statement) -> str:
    text = f"allows {codes(_spelled(statement.actions))} on {codes(_spelled(statement.resources))}"
    if statement.principals != NOBODY:
        text += f" to {codes(_spelled(statement.principals))}"
    if statement.conditions:
        text += f" under conditions on {codes(sorted({key for _, key in statement.conditions}))}"
    return text


def _whom(parts: list[Statement]) -> str:
    actions = dict.fromkeys(name for part in parts for name in _spelled(part.actions))
    resources = dict.fromkeys(name for part in parts for name in _spelled(part.resources))
    return f"{codes(actions)} on {codes(resources)}"


def _spelled(terms: Terms) -> list[str]:
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
        pattern.endswith((":*", "*:*")) or pattern == "*" for pattern in actions.patterns
    )
    return whole and statement.resources.covers("*")


def _was(change: Change, preview: Preview, accounts: Accounts) -> bool:
    """True if the principal that gets the rights exists before the change."""
    assert change.new
    if (name := owner(change.new)) is not None:
        return accounts.has(name)
    if change.type == POLICY and change.operation == "create":
        return any(
            change.urn in attachment.dependencies
            and any(accounts.has(attachment.inputs.get(key)) for key in ("role", "user", "group"))
            for attachment in preview.after
            if attachment.type in ATTACHMENTS
        )
    return change.operation != "create"


def _stays(change: Change, preview: Preview, accounts: Accounts) -> bool:
    """True if what a document protected exists after the change."""
    if not change.old:
        return False
    if change.operation != "delete":
        return True
    if (name := owner(change.old)) is not None:
        return accounts.keeps(name)
    gone = {other.urn for other in preview.changes if other.operation == "delete"}
    return change.type not in {ROLE} and not gone & {*change.old.dependencies}


def _rights(resources: Iterable[Resource | None]) -> dict[str, list[Statement]]:
    by_holder: dict[str, list[Statement]] = {}
    for resource in resources:
        for document in documents(resource):
            assert resource
            by_holder.setdefault(holder(resource, document), []).extend(document.statements)
    return by_holder


def _names(roles: Iterable[Resource | None]) -> Iterator[str]:
    for role in roles:
        name = role.inputs.get("name") if role else None
        if isinstance(name, str):
            yield name


def _risk(change: Change, text: str) -> Risk:
    return Risk(Concern.RIGHTS, change, text)
