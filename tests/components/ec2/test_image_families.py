import pytest

from components.ec2.image_families import architecture_of, family_of, release_problem

LISTED = "https://github.com/awslabs/amazon-eks-ami/releases"
FORM = (
    "is no release of AL2023: write kubelet's version and a date, for example 1.35.8-20260930 "
    f"({LISTED})"
)
BOTTLEROCKET_FORM = (
    "is no release of Bottlerocket: write its version and a commit, for example 1.66.0-1ad6b4a4 "
    "(https://github.com/bottlerocket-os/bottlerocket/releases)"
)


@pytest.mark.parametrize(
    ("release", "family", "kubernetes", "problem"),
    [
        ("1.35.8-20260930", "al2023", "1.35", None),
        ("1.35.8-20260930", "al2023", None, None),
        ("1.66.0-1ad6b4a4", "bottlerocket", "1.35", None),
        # A commit of digits only, which is no date either.
        ("1.66.0-12345678", "bottlerocket", "1.35", None),
        (
            "1.34.11-20260930",
            "al2023",
            "1.35",
            "is for Kubernetes 1.34, and the cluster has 1.35: take a release that begins with "
            f"1.35 ({LISTED})",
        ),
        ("1.3.9-20260930", "al2023", "1.3", None),
        (
            "1.30.9-20260930",
            "al2023",
            "1.3",
            "is for Kubernetes 1.30, and the cluster has 1.3: take a release that begins with 1.3 "
            f"({LISTED})",
        ),
        ("1.35.0-20261301", "al2023", "1.35", FORM),
        ("1.35.0-12345678", "al2023", "1.35", FORM),
        ("1.35.0-19991101", "al2023", "1.35", FORM),
        ("1.35.8-20260930-1", "al2023", "1.35", FORM),
        ("1.66.0-1ad6b4a4", "al2023", None, FORM),
        ("1.35-20260930", "al2023", "1.35", FORM),
        ("latest", "al2023", "1.35", FORM),
        ("1.66.0", "bottlerocket", "1.35", BOTTLEROCKET_FORM),
        ("1.66.0-a1b2c3d", "bottlerocket", None, BOTTLEROCKET_FORM),
        ("v1.66.0-a1b2c3d4", "bottlerocket", "1.35", BOTTLEROCKET_FORM),
    ],
)
def test_a_release_is_of_its_family_and_of_the_cluster_s_minor(
    release, family, kubernetes, problem
):
    assert release_problem(release, family, kubernetes) == problem


@pytest.mark.parametrize(
    ("ami_type", "family", "architecture"),
    [
        ("AL2023_x86_64_STANDARD", "al2023", "x86_64"),
        ("AL2023_ARM_64_STANDARD", "al2023", "arm64"),
        ("BOTTLEROCKET_x86_64", "bottlerocket", "x86_64"),
        ("BOTTLEROCKET_ARM_64", "bottlerocket", "arm64"),
    ],
)
def test_eks_s_names_say_family_and_architecture(ami_type, family, architecture):
    assert (family_of(ami_type), architecture_of(ami_type)) == (family, architecture)
