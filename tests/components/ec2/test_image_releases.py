import pulumi
import pytest
from pulumi import Output

from components.ec2.image_releases import ImagePin, ImageSeries, published_image

SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
PARAMETERS = "aws:ssm/getParametersByPath:getParametersByPath"
AL2023 = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard"
AMI = "ami-0123456789abcdef0"
RELEASES = ["1.35.6-20260801", "1.35.7-20260911", "1.35.8-20260917", "1.35.8-20260923"]
VERSIONS = ["1.9.1-0a1b2c3d", "1.54.0-5043decc", "1.58.0-c5c37032", "1.66.0-1ad6b4a4"]


def series(family="al2023", architecture="x86_64", kubernetes="1.35"):
    return ImageSeries(family=family, architecture=architecture, kubernetes=kubernetes)


def pin(value, key="managedNodeGroups.base.releaseVersion", **of):
    return ImagePin(key=key, value=value, series=series(**of))


def store(releases, of=None):
    """Parameter Store with these releases of one series, as the data source reads it."""
    of = of or series()
    leaf = "image_version" if of.family == "bottlerocket" else "release_version"
    folders = {of.release_path(of.build_of(release)): release for release in releases}
    if releases:
        folders[f"{of.path}/recommended"] = releases[-1]
    parameters = {f"{folder}/{leaf}": release for folder, release in folders.items()}
    parameters |= {f"{folder}/image_id": AMI for folder in folders}

    def below(query):
        steps = query["path"].count("/") + 1
        found = {
            name: value
            for name, value in parameters.items()
            if name.startswith(f"{query['path']}/")
            and (query.get("recursive") or name.count("/") == steps)
        }
        # As the provider hands out what Parameter Store holds.
        return {"names": list(found), "values": SECRET | {"value": list(found.values())}}

    return below


def look_up(wanted):
    return published_image(wanted, pulumi.InvokeOutputOptions())


@pytest.mark.feature("B-34")
@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        (pin("1.35.8-20260930"), f"{AL2023}/amazon-eks-node-al2023-x86_64-standard-1.35-v20260930"),
        (
            pin("al2023@v20260930"),
            f"{AL2023}/amazon-eks-node-al2023-x86_64-standard-1.35-v20260930",
        ),
        (
            pin("1.34.2-20260120", architecture="arm64", kubernetes="1.34"),
            "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/"
            "amazon-eks-node-al2023-arm64-standard-1.34-v20260120",
        ),
        *(
            (
                pin(value, family="bottlerocket", architecture="arm64"),
                "/aws/service/bottlerocket/aws-k8s-1.35/arm64/1.66.0",
            )
            for value in ("1.66.0-1ad6b4a4", "bottlerocket@v1.66.0", "bottlerocket@1.66.0")
        ),
        (
            pin("al2@v20250101", family="al2", kubernetes="1.32"),
            "/aws/service/eks/optimized-ami/1.32/amazon-linux-2/amazon-eks-node-1.32-v20250101",
        ),
        (
            pin("al2@v20250101", family="al2", kubernetes="1.32", architecture="arm64"),
            "/aws/service/eks/optimized-ami/1.32/amazon-linux-2-arm64/"
            "amazon-eks-arm64-node-1.32-v20250101",
        ),
    ],
)
def test_an_image_is_looked_up_below_the_path_of_its_release_and_never_the_latest(wanted, path):
    assert wanted.path == path


@pytest.mark.feature("B-34")
@pytest.mark.parametrize("preview", [False, True])
@pytest.mark.parametrize("value", ["1.35.8-20260923", "al2023@v20260923"])
def test_its_id_is_what_aws_publishes_there_and_no_secret(deploy, preview, value):
    asked, found, secret = [], [], []
    wanted, published = pin(value), store(RELEASES)

    def program():
        ami = look_up(wanted)
        ami.apply(found.append)
        Output.from_input(ami.is_secret()).apply(secret.append)

    deploy(
        program,
        {PARAMETERS: lambda query: asked.append(query) or published(query)},
        preview=preview,
    )

    # One page, and not the long list.
    assert asked == [{"path": wanted.path}]
    assert found == [AMI]
    assert secret == [False]


NODE_CLASS = "karpenter.nodeClasses.default.amiAlias"


@pytest.mark.feature("B-34")
@pytest.mark.behaviour("karpenter-ami-alias-not-published")
@pytest.mark.parametrize("preview", [False, True])
@pytest.mark.parametrize(
    ("wanted", "published", "problem"),
    [
        (
            pin("1.35.0-20261101"),
            RELEASES,
            "managedNodeGroups.base.releaseVersion: AWS has no such image of AL2023 for Kubernetes "
            "1.35 and x86_64 in this region: take 1.35.8-20260917 or 1.35.8-20260923, or another "
            "one that `./frugal-eks images --kubernetes 1.35 --family al2023` "
            "lists "
            '(got "1.35.0-20261101")',
        ),
        (
            pin("al2023@v20260906", key=NODE_CLASS),
            RELEASES,
            f"{NODE_CLASS}: AWS has no such image of AL2023 for Kubernetes 1.35 and x86_64 in this "
            "region: take al2023@v20260801 or al2023@v20260911 or al2023@v20260917, or another one "
            "that `./frugal-eks images --kubernetes 1.35 --family al2023` lists "
            '(got "al2023@v20260906")',
        ),
        (
            pin("1.57.0-01234567", family="bottlerocket", architecture="arm64"),
            VERSIONS,
            "managedNodeGroups.base.releaseVersion: AWS has no such image of Bottlerocket for "
            "Kubernetes 1.35 and arm64 in this region: take 1.9.1-0a1b2c3d or 1.54.0-5043decc or "
            "1.58.0-c5c37032 or 1.66.0-1ad6b4a4, or another one that `./frugal-eks "
            'images --kubernetes 1.35 --family bottlerocket` lists (got "1.57.0-01234567")',
        ),
        (
            pin("al2023@v20260923", key=NODE_CLASS, kubernetes="1.29"),
            [],
            f"{NODE_CLASS}: AWS has no such image of AL2023 for Kubernetes 1.29 and x86_64 in this "
            "region: take one that `./frugal-eks images --kubernetes 1.29 "
            "--family al2023` "
            'lists (got "al2023@v20260923")',
        ),
        (
            pin("1.35.0-20260911"),
            RELEASES,
            "managedNodeGroups.base.releaseVersion: AWS published the release of that day as "
            '1.35.7-20260911: write this (got "1.35.0-20260911")',
        ),
        (
            pin("1.66.0-a1b2c3d4", family="bottlerocket"),
            VERSIONS,
            "managedNodeGroups.base.releaseVersion: AWS published that version as "
            '1.66.0-1ad6b4a4: write this (got "1.66.0-a1b2c3d4")',
        ),
    ],
)
def test_a_release_that_aws_does_not_have_is_told_with_those_next_to_it(
    deploy, preview, wanted, published, problem
):
    def program():
        look_up(wanted).apply(lambda _: None)

    with pytest.raises(pulumi.RunError) as refused:
        deploy(program, {PARAMETERS: store(published, wanted.series)}, preview=preview)

    assert str(refused.value) == problem
