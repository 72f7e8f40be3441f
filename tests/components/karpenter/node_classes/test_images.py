import pytest

from tests.components.karpenter.node_classes.node_class import AMI, config, spec, told

DECIDES = "AWS would decide when every node is replaced, since each new image drifts them all"
NO_ALIAS = (
    "is no alias: write family@release, for example al2023@v20260930; families: "
    "al2, al2023, bottlerocket, windows2019, windows2022, windows2025"
)
OWN = "ami-0123456789abcdef0"
MOVING = (
    f"points to AWS's newest image: {DECIDES}; name the parameter of one release, or set "
    "allowLatest: true"
)


@pytest.mark.feature("B-34", "C-21")
@pytest.mark.parametrize("way", ["amiAlias", "amiSelectorTerms[0].alias"])
@pytest.mark.parametrize(
    ("alias", "problem"),
    [
        ("al2023@latest", f"{DECIDES}: pin al2023@v20260930, or set allowLatest: true"),
        ("bottlerocket@latest", f"{DECIDES}: pin bottlerocket@v1.66.0, or set allowLatest: true"),
        (
            "windows2022@latest",
            f"{DECIDES}: select one image by amiSelectorTerms, or set allowLatest: true",
        ),
        ("al2023", "is no release of AL2023: write it like al2023@v20260930"),
        ("al2023@20260930", "is no release of AL2023: write it like al2023@v20260930"),
        ("al2023@v20261301", "is no release of AL2023: write it like al2023@v20260930"),
        ("al2023@v1.66.0", "is no release of AL2023: write it like al2023@v20260930"),
        ("bottlerocket@v20260930", "is no release of Bottlerocket: write it like "),
        ("AL2023@v20260930", NO_ALIAS),
        ("ubuntu@v20260930", NO_ALIAS),
        ("", NO_ALIAS),
        (
            "windows2025@v20260930",
            "Windows has no pinned alias: write windows2025@latest and allowLatest: true",
        ),
    ],
)
def test_an_image_that_aws_can_change_or_does_not_have_is_refused(way, alias, problem):
    image = {"amiAlias": alias} if way == "amiAlias" else {"amiSelectorTerms": [{"alias": alias}]}

    assert {path: said[: len(problem)] for path, said in told(**image).items()} == {way: problem}


@pytest.mark.parametrize("alias", ["al2023@latest", "bottlerocket@latest", "windows2022@latest"])
def test_the_latest_image_is_taken_where_the_file_says_so(alias):
    found = spec(amiAlias=alias, allowLatest=True)

    assert found["amiSelectorTerms"] == [{"alias": alias}]
    assert "allowLatest" not in found


@pytest.mark.feature("B-34")
@pytest.mark.parametrize(
    "alias",
    ["al2023@v20260930", "al2@v20250101", "bottlerocket@v1.66.0", "bottlerocket@1.66.0"],
)
def test_a_pinned_image_is_taken_as_it_is_and_says_its_family_itself(alias):
    found = spec(amiAlias=alias)

    assert found["amiSelectorTerms"] == [{"alias": alias}]
    assert "amiFamily" not in found
    assert spec(amiSelectorTerms=[{"alias": alias}]) == found


@pytest.mark.feature("B-34", "C-21")
@pytest.mark.parametrize(
    ("parameter", "moving"),
    [
        (
            "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/recommended"
            "/image_id",
            True,
        ),
        (
            "arn:aws:ssm:eu-west-1:111122223333:parameter/aws/service/bottlerocket/aws-k8s-1.35"
            "/arm64/latest/image_id",
            True,
        ),
        ("/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS", True),
        ("/aws/service/bottlerocket/aws-k8s-1.35/arm64/1.66.0/image_id", False),
        # Whoever writes it decides on it.
        ("/golden/latest", False),
        ("/team/aws/service/latest", False),
    ],
)
def test_a_parameter_that_follows_aws_s_newest_image_is_refused(parameter, moving):
    image = {"amiFamily": "AL2023", "amiSelectorTerms": [{"ssmParameter": parameter}]}

    assert told(**image) == ({"amiSelectorTerms[0].ssmParameter": MOVING} if moving else {})
    assert spec(**image, allowLatest=True)["amiSelectorTerms"] == [{"ssmParameter": parameter}]


@pytest.mark.feature("B-34")
@pytest.mark.parametrize(
    ("term", "moving"),
    [
        ({"name": "amazon-eks-node-al2023-x86_64-standard-1.35-*"}, True),
        ({"name": "amazon-eks-node-al2023-x86_64-standard-1.35-v2026093?"}, True),
        ({"name": "bottlerocket-*", "owner": "amazon"}, True),
        ({"name": "amazon-eks-node-*", "owner": "602401143452"}, True),
        ({"name": "golden-*", "tags": {"team": "a"}}, True),
        ({"name": "amazon-eks-node-al2023-x86_64-standard-1.35-v20260930"}, False),
        # Whoever makes them decides on them.
        ({"name": "golden-*", "owner": "self"}, False),
        ({"tags": {"team": "*"}}, False),
    ],
)
def test_a_name_that_images_to_come_have_as_well_is_refused(term, moving):
    image = {"amiFamily": "AL2023", "amiSelectorTerms": [term]}
    problem = (
        "fits images to come as well, and Karpenter takes the newest: whoever publishes one would "
        "replace every node; write the whole name or the id of one image, add owner: self, or set "
        "allowLatest: true"
    )

    assert told(**image) == ({"amiSelectorTerms[0].name": problem} if moving else {})
    assert spec(**image, allowLatest=True)["amiSelectorTerms"] == [term]


@pytest.mark.parametrize(
    "image",
    [
        {"amiAlias": None},
        {"amiAlias": AMI, "amiFamily": "AL2023", "amiSelectorTerms": [{"id": OWN}]},
    ],
)
def test_images_are_chosen_by_an_alias_or_by_terms(image):
    assert told(**image) == {
        "amiAlias": "give either amiAlias, for example al2023@v20260930, or amiSelectorTerms"
    }


WAYS = "alias, id, ssmParameter, or name and tags"
PARAMETER = {"ssmParameter": "/golden/image"}


@pytest.mark.parametrize(
    ("term", "place", "problem"),
    [
        ({}, "", f"finds nothing: give one of {WAYS}"),
        ({"tags": {}}, "", f"finds nothing: give one of {WAYS}"),
        ({"owner": "self"}, ".owner", "finds every image of theirs: add name or tags"),
        ({"id": OWN} | PARAMETER, "", f"gives id, ssmParameter: keep one of {WAYS}"),
        ({"alias": AMI} | PARAMETER, "", f"gives alias, ssmParameter: keep one of {WAYS}"),
        ({"id": OWN, "name": "golden"}, "", f"gives id, name: keep one of {WAYS}"),
        ({"name": "golden"} | PARAMETER, "", f"gives ssmParameter, name: keep one of {WAYS}"),
        ({"id": OWN, "tags": {"a": "b"}}, "", f"gives id, tags: keep one of {WAYS}"),
        ({"id": OWN, "owner": "self"}, "", f"gives id, owner: keep one of {WAYS}"),
    ],
)
def test_a_term_says_one_thing_also_where_the_api_server_would_take_more(term, place, problem):
    # A good term beside it does not hide it.
    terms = [{"id": OWN}, term]

    said = told(amiFamily="AL2023", amiSelectorTerms=terms)

    assert {path: said[path] for path in said if path.startswith("amiSel")} == {
        f"amiSelectorTerms.1{place}": problem
    }


@pytest.mark.parametrize(
    "term",
    [
        {"name": "golden", "owner": "self", "tags": {"a": "*"}},
        {"tags": {"a": "b"}, "owner": "111122223333"},
        PARAMETER,
        {"ssmParameter": "golden:3"},
    ],
)
def test_a_term_may_narrow_a_name_or_tags(term):
    assert spec(amiFamily="AL2023", amiSelectorTerms=[term])["amiSelectorTerms"] == [term]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "xxami-1!!"),
        ("id", "ami-1 "),
        ("owner", "1234"),
        ("name", ""),
        ("tags", {"a": ""}),
        ("tags", {"": "b"}),
        ("ssmParameter", "arn:aws:s3:::bucket"),
        ("ssmParameter", "/golden image"),
    ],
)
def test_rubbish_in_a_term_is_refused(key, value):
    said = told(amiFamily="AL2023", amiSelectorTerms=[{"id": OWN}, {key: value}])

    assert [path.split(".")[:3] for path in said] == [["amiSelectorTerms", "1", key]]


def test_an_alias_is_the_only_term():
    assert told(amiSelectorTerms=[{"alias": AMI}, {"id": OWN}]) == {
        "amiSelectorTerms": "an alias is the only term: drop the others, or write none as alias"
    }


def test_without_an_alias_the_family_must_be_said():
    assert told(amiSelectorTerms=[{"id": OWN}]) == {
        "amiFamily": "is needed where no alias says it: add it, Custom for an image of your own "
        "that joins by itself"
    }


@pytest.mark.parametrize("family", ["AL2023", "Custom"])
def test_a_family_may_repeat_the_alias_or_leave_it(family):
    assert spec(amiFamily=family)["amiFamily"] == family
    assert config(amiFamily=family).family == family


def test_a_family_that_is_not_the_alias_s_is_refused():
    assert told(amiFamily="Bottlerocket") == {
        "amiFamily": "the alias is of AL2023: write that, or Custom, or drop it"
    }


def test_there_is_an_end_to_the_number_of_terms():
    ids = [{"id": f"ami-{number}"} for number in range(31)]

    assert [*told(amiFamily="AL2023", amiSelectorTerms=ids)] == ["amiSelectorTerms"]
    assert [*told(amiFamily="AL2023", amiSelectorTerms=[])] == ["amiSelectorTerms"]
