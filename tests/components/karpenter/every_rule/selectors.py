"""Each CEL rule of the EC2NodeClass about what is found by selectors, broken by a stack file."""

GROUPS = "spec.securityGroupSelectorTerms"
RESERVED = "spec.capacityReservationSelectorTerms"
SUBNETS = "spec.subnetSelectorTerms"
ALIAS = {"amiAlias": "al2023@v20260930"}
NO_TAG = "empty tag keys or values aren't supported"

# As of pools: where the rule stands, its message; the class that breaks it; where the user is told,
# in which words, of which value.
BROKEN = [
    (
        f"{RESERVED}[].tags",
        NO_TAG,
        ALIAS | {"capacityReservationSelectorTerms": [{"tags": {"": "x"}}]},
        ("capacityReservationSelectorTerms[0].tags.", "at least 1 character", ""),
    ),
    (
        RESERVED,
        "expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']",
        ALIAS | {"capacityReservationSelectorTerms": [{"ownerID": "111122223333"}]},
        ("capacityReservationSelectorTerms[0]", "finds nothing: give id, tags", None),
    ),
    (
        RESERVED,
        "'id' is mutually exclusive, cannot be set along with other fields in a capacity"
        " reservation selector term",
        ALIAS | {"capacityReservationSelectorTerms": [{"id": "cr-1", "tags": {"a": "b"}}]},
        ("capacityReservationSelectorTerms[0].id", "stands alone in its term", "cr-1"),
    ),
    (
        "spec.placementGroupSelector",
        "expected at least one, got none, ['name', 'id']",
        ALIAS | {"placementGroupSelector": {}},
        ("placementGroupSelector", "give either id or name", None),
    ),
    (
        "spec.placementGroupSelector",
        "'name' and 'id' are mutually exclusive",
        ALIAS | {"placementGroupSelector": {"id": "pg-1", "name": "x"}},
        ("placementGroupSelector", "give either id or name", None),
    ),
    (
        f"{GROUPS}[].tags",
        NO_TAG,
        ALIAS | {"securityGroupSelectorTerms": [{"tags": {"team": ""}}]},
        ("securityGroupSelectorTerms[0].tags.team", "at least 1 character", ""),
    ),
    (
        GROUPS,
        "securityGroupSelectorTerms cannot be empty",
        ALIAS | {"securityGroupSelectorTerms": []},
        ("securityGroupSelectorTerms", "is empty", []),
    ),
    (
        GROUPS,
        "expected at least one, got none, ['tags', 'id', 'name']",
        ALIAS | {"securityGroupSelectorTerms": [{}]},
        ("securityGroupSelectorTerms[0]", "give either id, name or tags", None),
    ),
    (
        GROUPS,
        "'id' is mutually exclusive, cannot be set with a combination of other fields in a security"
        " group selector term",
        ALIAS | {"securityGroupSelectorTerms": [{"id": "sg-1", "name": "x"}]},
        ("securityGroupSelectorTerms[0]", "give either id, name or tags", None),
    ),
    (
        GROUPS,
        "'name' is mutually exclusive, cannot be set with a combination of other fields in a"
        " security group selector term",
        ALIAS | {"securityGroupSelectorTerms": [{"name": "x", "tags": {"a": "b"}}]},
        ("securityGroupSelectorTerms[0]", "give either id, name or tags", None),
    ),
    (
        f"{SUBNETS}[].tags",
        NO_TAG,
        ALIAS | {"subnetSelectorTerms": [{"tags": {"team": ""}}]},
        ("subnetSelectorTerms[0].tags.team", "at least 1 character", ""),
    ),
    (
        SUBNETS,
        "subnetSelectorTerms cannot be empty",
        ALIAS | {"subnetSelectorTerms": []},
        ("subnetSelectorTerms", "is empty", []),
    ),
    (
        SUBNETS,
        "expected at least one, got none, ['tags', 'id']",
        ALIAS | {"subnetSelectorTerms": [{}]},
        ("subnetSelectorTerms[0]", "give either id or tags", None),
    ),
    (
        SUBNETS,
        "'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet"
        " selector term",
        ALIAS | {"subnetSelectorTerms": [{"id": "subnet-1", "tags": {"a": "b"}}]},
        ("subnetSelectorTerms[0]", "give either id or tags", None),
    ),
]
