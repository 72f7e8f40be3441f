import pulumi
import pytest
from pulumi import Output

from components.node_groups.images import (
    NodeImage,
    architecture_of,
    family_of,
    image_id,
    node_image,
    release_problem,
)

SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
PARAMETERS = "aws:ssm/getParametersByPath:getParametersByPath"
AL2023 = NodeImage(
    family="al2023", architecture="x86_64", kubernetes="1.35", release="1.35.0-20261101"
)
AL2023_PATH = (
    "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/"
    "amazon-eks-node-al2023-x86_64-standard-1.35-v20261101"
)
LISTED = "https://github.com/awslabs/amazon-eks-ami/releases"
FORM = (
    "is no release of AL2023: write kubelet's version and a date, for example 1.35.0-20261101 "
    f"({LISTED})"
)
BOTTLEROCKET_FORM = (
    "is no release of Bottlerocket: write its version and a commit, for example 1.50.0-a1b2c3d4 "
    "(https://github.com/bottlerocket-os/bottlerocket/releases)"
)


@pytest.mark.feature("B-34")
@pytest.mark.parametrize(
    ("image", "path"),
    [
        (AL2023, AL2023_PATH),
        (
            NodeImage(
                family="al2023", architecture="arm64", kubernetes="1.34", release="1.34.9-20260115"
            ),
            "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/"
            "amazon-eks-node-al2023-arm64-standard-1.34-v20260115",
        ),
        (
            NodeImage(
                family="bottlerocket",
                architecture="arm64",
                kubernetes="1.35",
                release="1.50.0-a1b2c3d4",
            ),
            "/aws/service/bottlerocket/aws-k8s-1.35/arm64/1.50.0",
        ),
    ],
)
def test_an_image_is_looked_up_below_the_path_of_its_release_and_never_the_latest(image, path):
    assert image.path == path


@pytest.mark.feature("B-34")
@pytest.mark.parametrize("preview", [False, True])
def test_its_id_is_what_aws_publishes_there_and_no_secret(deploy, preview):
    asked, found, secret = [], [], []

    def parameters(query):
        asked.append(query)
        names = [f"{AL2023_PATH}/{leaf}" for leaf in ("image_name", "image_id", "release_version")]
        return {
            "names": names,
            # As the provider hands out what Parameter Store holds.
            "values": SECRET | {"value": ["node", "ami-0123456789abcdef0", "1.35.0-20261101"]},
        }

    def program():
        ami = node_image(AL2023, pulumi.InvokeOutputOptions())
        ami.apply(found.append)
        Output.from_input(ami.is_secret()).apply(secret.append)

    deploy(program, {PARAMETERS: parameters}, preview=preview)

    assert asked == [{"path": AL2023_PATH}]
    assert found == ["ami-0123456789abcdef0"]
    assert secret == [False]


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        (
            AL2023,
            f"AWS has no node image {AL2023_PATH} in this region: set releaseVersion "
            f"1.35.0-20261101 to one of {LISTED}, or wait until it is published here",
        ),
        (
            NodeImage(
                family="bottlerocket",
                architecture="x86_64",
                kubernetes="1.36",
                release="1.50.0-a1b2c3d4",
            ),
            "AWS has no node image /aws/service/bottlerocket/aws-k8s-1.36/x86_64/1.50.0 in this "
            "region: set releaseVersion 1.50.0-a1b2c3d4 to one of "
            "https://github.com/bottlerocket-os/bottlerocket/releases, or wait until it is "
            "published here",
        ),
    ],
)
def test_a_release_that_aws_does_not_have_is_told_with_where_to_find_one(image, problem):
    with pytest.raises(pulumi.RunError) as refused:
        image_id({}, image)

    assert str(refused.value) == problem


def test_a_program_ends_where_there_is_no_such_release(deploy):
    def program():
        node_image(AL2023, pulumi.InvokeOutputOptions()).apply(lambda _: None)

    with pytest.raises(pulumi.RunError, match=r"or wait until it is published here$"):
        deploy(program, {PARAMETERS: lambda _: {"names": [], "values": []}})


@pytest.mark.parametrize(
    ("release", "family", "kubernetes", "problem"),
    [
        ("1.35.0-20261101", "al2023", "1.35", None),
        ("1.35.0-20261101", "al2023", None, None),
        ("1.50.0-a1b2c3d4", "bottlerocket", "1.35", None),
        # A commit of digits only, which is no date either.
        ("1.50.0-12345678", "bottlerocket", "1.35", None),
        (
            "1.34.9-20261101",
            "al2023",
            "1.35",
            "is for Kubernetes 1.34, and the cluster has 1.35: take a release that begins with "
            f"1.35 ({LISTED})",
        ),
        ("1.3.9-20261101", "al2023", "1.3", None),
        (
            "1.30.9-20261101",
            "al2023",
            "1.3",
            "is for Kubernetes 1.30, and the cluster has 1.3: take a release that begins with 1.3 "
            f"({LISTED})",
        ),
        ("1.35.0-20261301", "al2023", "1.35", FORM),
        ("1.35.0-12345678", "al2023", "1.35", FORM),
        ("1.35.0-19991101", "al2023", "1.35", FORM),
        ("1.35.0-20261101-1", "al2023", "1.35", FORM),
        ("1.50.0-a1b2c3d4", "al2023", None, FORM),
        ("1.35-20261101", "al2023", "1.35", FORM),
        ("latest", "al2023", "1.35", FORM),
        ("1.50.0", "bottlerocket", "1.35", BOTTLEROCKET_FORM),
        ("1.50.0-a1b2c3d", "bottlerocket", None, BOTTLEROCKET_FORM),
        ("v1.50.0-a1b2c3d4", "bottlerocket", "1.35", BOTTLEROCKET_FORM),
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
