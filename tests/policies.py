"""What a policy document allows, as the tests of policies say it."""


def _texts(given):
    return [given] if isinstance(given, str) else given


def allowed(document):
    """The condition, or None, of each allowed action on a resource. Fails if one stands twice."""
    statements = document["Statement"]
    assert {statement["Effect"] for statement in statements} == {"Allow"}
    pairs = [
        ((action, resource), statement.get("Condition"))
        for statement in statements
        for action in _texts(statement["Action"])
        for resource in _texts(statement["Resource"])
    ]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)
