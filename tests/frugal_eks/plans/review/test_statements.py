"""What is told as covered is covered: every request that the new statements let in, the old did."""

import itertools
from fnmatch import fnmatchcase

from hypothesis import given, settings
from hypothesis import strategies as st

from frugal_eks.plans.review.risks.statements import covers, more, read

ACTIONS = ["a:x", "a:y", "b:x"]
RESOURCES = ["r/1", "r/2", "q"]
PRINCIPALS = ["AWS:one", "Service:two"]
VALUES = ["v1", "v2", "w", None]
REQUESTS = list(itertools.product(ACTIONS, RESOURCES, PRINCIPALS, VALUES))


def some(*patterns):
    return st.lists(st.sampled_from(patterns), min_size=1, max_size=2)


def element(name, patterns):
    return st.builds(
        lambda negated, many: {f"Not{name}" if negated else name: many},
        st.booleans(),
        some(*patterns),
    )


conditions = st.dictionaries(
    st.sampled_from(
        ["StringEquals", "StringLike", "StringNotEquals", "StringEqualsIfExists", "StringNotLike"]
    ),
    st.builds(lambda many: {"k": many}, some("v1", "v2", "v*", "w")),
    max_size=2,
)
statements = st.builds(
    lambda actions, resources, who, condition: (
        {"Effect": "Allow", "Condition": condition} | actions | resources | {"Principal": who}
    ),
    element("Action", ["a:x", "a:*", "A:?", "b:x", "*"]),
    element("Resource", ["r/1", "r/*", "?", "q", "*"]),
    st.sampled_from(["*", {"AWS": "one"}, {"AWS": ["one"], "Service": "two"}]),
    conditions,
)


def named(statement, name, wanted, fold=str):
    patterns = statement.get(name) or statement[f"Not{name}"]
    found = any(fnmatchcase(fold(wanted), fold(pattern)) for pattern in patterns)
    return found if name in statement else not found


def who(statement, principal):
    given = statement["Principal"]
    if given == "*":
        return True
    kind, _, name = principal.partition(":")
    return name in given.get(kind, [])


def met(operator, value, patterns):
    bare = operator.removesuffix("IfExists")
    if value is None:
        # A key that is not there meets what is negated, and what asks for it only if it is.
        return "Not" in bare or bare != operator
    like = any(fnmatchcase(value, one) if "Like" in bare else value == one for one in patterns)
    return like != ("Not" in bare)


def lets_in(statement, request):
    action, resource, principal, value = request
    return (
        named(statement, "Action", action, str.lower)
        and named(statement, "Resource", resource)
        and who(statement, principal)
        and all(met(op, value, keys["k"]) for op, keys in statement["Condition"].items())
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(statements, max_size=3), st.lists(statements, min_size=1, max_size=2))
def test_nothing_widens_unseen(old, new):
    had = read({"Statement": old})
    found = [part for one in read({"Statement": new}) for part in more(one, had)]

    if not found:
        for request in REQUESTS:
            if any(lets_in(one, request) for one in new):
                assert any(lets_in(one, request) for one in old), request


@given(st.lists(statements, min_size=1, max_size=3))
def test_what_stays_is_never_more(same):
    document = {"Statement": same}

    assert [part for one in read(document) for part in more(one, read(document))] == []


@given(st.text("ab*?", max_size=6), st.text("ab*?", max_size=6))
def test_a_pattern_covers_only_what_it_matches(wide, narrow):
    texts = [
        narrow.replace("*", star).replace("?", mark)
        for star in ("", "a", "ba")
        for mark in ("a", "b")
    ]

    if covers(wide, narrow):
        assert all(fnmatchcase(text, wide) for text in texts)
    if "*" not in narrow and "?" not in narrow:
        assert covers(wide, narrow) == fnmatchcase(narrow, wide)


def test_one_with_too_many_parts_is_told_whole():
    names = [f"r{i}" for i in range(200)]
    document = {"Statement": [{"Effect": "Allow", "Action": names, "Resource": names}]}
    (statement,) = read(document)

    assert more(statement, []) == [statement]
    assert more(statement, read(document)) == []
