import pytest

from frugal_eks.sweep.ownership import NAMING_KEYS, Claim, claim

pytestmark = pytest.mark.feature("C-03")


@pytest.mark.parametrize("key", NAMING_KEYS)
def test_a_tag_whose_value_is_the_clusters_name_is_a_claim(key: str):
    assert claim({key: "dev", "Name": "x"}, "dev") == Claim(f"{key}=dev", "")
    assert claim({key: "prod"}, "dev") is None
    assert claim({key: "dev-2"}, "dev") is None


def test_the_tag_of_the_clusters_lifecycle_is_the_one_that_is_told():
    tags = {"eks:eks-cluster-name": "dev", "kubernetes.io/cluster/dev": "owned"}

    assert claim(tags, "dev") == Claim("kubernetes.io/cluster/dev=owned", "")


@pytest.mark.parametrize("value", ["shared", "", "Owned"])
def test_a_lifecycle_that_is_not_owned_is_shared(value: str):
    found = claim({"kubernetes.io/cluster/dev": value, "eks:eks-cluster-name": "dev"}, "dev")

    assert found is not None
    assert found.shared == f"kubernetes.io/cluster/dev={value}"


@pytest.mark.parametrize(
    "other", [{"kubernetes.io/cluster/prod": "shared"}, {"elbv2.k8s.aws/cluster": "prod"}]
)
def test_what_names_a_second_cluster_too_is_shared(other: dict[str, str]):
    (key, value), *_ = other.items()

    assert claim({"kubernetes.io/cluster/dev": "owned", **other}, "dev") == Claim(
        "kubernetes.io/cluster/dev=owned", f"{key}={value}"
    )


def test_without_a_tag_the_path_names_the_cluster_but_a_tag_of_another_makes_it_shared():
    assert claim({}, "dev", "EKS's path") == Claim("EKS's path", "")
    assert claim({"eks:cluster-name": "prod"}, "dev", "EKS's path") == Claim(
        "EKS's path", "eks:cluster-name=prod"
    )
    assert claim({"ebs.csi.aws.com/cluster": "true"}, "dev") is None
