import pytest

from rehearsal.aws import images
from tests.rehearsal.aws.endpoint.conftest import refused

AL2023 = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023"
PINNED = "amazon-eks-node-al2023-arm64-standard-1.35-v20260930"


def parameter(aws, name):
    return aws.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]


def image(aws, ami):
    query = [{"Name": "image-id", "Values": [ami]}]
    (found,) = aws.client("ec2").describe_images(Filters=query)["Images"]
    return found


def test_a_pinned_al2023_alias_leads_to_its_image(bare_aws):
    ami = parameter(bare_aws, f"{AL2023}/arm64/standard/{PINNED}/image_id")

    found = image(bare_aws, ami)

    assert (found["Name"], found["Architecture"]) == (PINNED, "arm64")
    assert found["CreationDate"].startswith("2026-09-30")
    assert found["ImageOwnerAlias"] == "amazon"


def test_bottlerocket_and_the_newest_ones_are_there_too(bare_aws):
    bottlerocket = "/aws/service/bottlerocket/aws-k8s-1.35/x86_64"
    newest = images.releases().bottlerocket["1.35"][-1].partition("-")[0]

    assert parameter(bare_aws, f"{bottlerocket}/latest/image_id") == parameter(
        bare_aws, f"{bottlerocket}/{newest}/image_id"
    )
    name = image(bare_aws, parameter(bare_aws, f"{bottlerocket}/1.58.0/image_id"))["Name"]
    assert name == "bottlerocket-aws-k8s-1.35-x86_64-v1.58.0-c5c37032"
    arm = bottlerocket.replace("x86_64", "arm64")
    name = image(bare_aws, parameter(bare_aws, f"{arm}/1.58.0/image_id"))["Name"]
    assert name == "bottlerocket-aws-k8s-1.35-aarch64-v1.58.0-c5c37032"
    released = parameter(bare_aws, f"{AL2023}/x86_64/standard/recommended/release_version")
    assert released == images.releases().al2023["1.35"][-1]


def test_different_dates_are_different_images_and_the_same_date_the_same(bare_aws):
    names = [f"{AL2023}/arm64/standard/{PINNED[:-2]}{day}/image_id" for day in ("30", "23", "30")]

    first, other, again = (parameter(bare_aws, name) for name in names)

    assert first == again != other


@pytest.mark.parametrize(
    "name",
    [
        f"{AL2023}/arm64/neuron/recommended/image_id",
        f"{AL2023}/arm64/standard/{PINNED.replace('20260930', '20261341')}/image_id",
        # A Sunday, on which AWS released nothing; and one that was not seen for this minor.
        f"{AL2023}/arm64/standard/{PINNED.replace('20260930', '20261101')}/image_id",
        f"{AL2023}/arm64/standard/{PINNED.replace('20260930', '20260810')}/image_id",
        f"{AL2023}/x86_64/standard/{PINNED}/image_id",
        "/aws/service/bottlerocket/aws-k8s-1.36/x86_64/1.58.0/image_id",
        "/aws/service/bottlerocket/aws-k8s-1.35/x86_64/1.50.0/image_id",
        "/aws/service/eks/optimized-ami/1.35/amazon-linux-2/recommended/image_id",
    ],
)
@pytest.mark.behaviour("karpenter-ami-alias-not-published")
def test_an_image_that_was_never_published_is_not_found(bare_aws, name):
    assert refused(lambda: parameter(bare_aws, name)).startswith("ParameterNotFound")


def below(aws, path, **options):
    found = aws.client("ssm").get_paginator("get_parameters_by_path")
    pages = found.paginate(Path=path, **options)
    return {one["Name"]: one["Value"] for page in pages for one in page["Parameters"]}


def test_the_path_of_a_release_tells_all_of_it_and_an_unknown_one_nothing(bare_aws):
    release = f"{AL2023}/arm64/standard/{PINNED}"

    found = below(bare_aws, release)

    assert found == {
        f"{release}/image_id": parameter(bare_aws, f"{release}/image_id"),
        f"{release}/image_name": PINNED,
        f"{release}/release_version": "1.35.8-20260930",
    }
    bottlerocket = "/aws/service/bottlerocket/aws-k8s-1.35/x86_64/1.66.0"
    assert set(below(bare_aws, bottlerocket)) == {
        f"{bottlerocket}/image_id",
        f"{bottlerocket}/image_version",
    }
    assert below(bare_aws, f"{AL2023}/arm64/standard/{PINNED}"[:-1]) == {}
    assert below(bare_aws, "/aws/service/eks/nowhere", Recursive=True) == {}


def test_a_path_above_releases_leads_to_all_of_them_and_the_newest(bare_aws):
    path = f"{AL2023}/arm64/standard"

    assert below(bare_aws, path) == {}
    found = below(bare_aws, path, Recursive=True)

    leaf = "/release_version"
    told = {name.split("/")[-2]: value for name, value in found.items() if name.endswith(leaf)}
    released = images.releases().al2023["1.35"]
    assert told.pop("recommended") == released[-1]
    assert sorted(told.values()) == sorted(released)
    assert len(found) == 3 * (len(released) + 1)
    above = "/aws/service/bottlerocket/aws-k8s-1.36/x86_64"
    assert set(below(bare_aws, above, Recursive=True)) == {
        f"{above}/{release}/{leaf}"
        for release in ("latest", "1.66.0")
        for leaf in ("image_id", "image_version")
    }
    assert below(bare_aws, path.replace("1.35", "1.29"), Recursive=True) == {}
