import pulumi_aws as aws
import pytest
from pydantic import TypeAdapter, ValidationError

from components.kubernetes.charts import ChartSource
from components.workloads.extra_releases import ExtraReleases, ExtraReleasesArgs
from components.workloads.extra_releases_config import ExtraReleaseConfig, ReleaseName

RELEASE = "kubernetes:helm.sh/v3:Release"
RELEASES = {
    "podinfo": {
        "chart": "oci://ghcr.io/stefanprodan/charts/podinfo",
        "version": "6.9.0",
        "namespace": "web",
        "create_namespace": True,
        "values": {"replicaCount": 2, "ui": {"color": "#34577c"}},
    },
    "cert-manager": {
        "chart": "cert-manager",
        "repository": "https://charts.jetstack.io",
        "version": "v1.19.0",
        "namespace": "cert-manager",
        "timeout_seconds": 900,
    },
    "ours": {"chart": "./charts/ours", "namespace": "default"},
}


def extra_releases(charts=None):
    """A program with one release of each kind, and a queue that stands for the platform."""
    args = ExtraReleasesArgs(
        releases={name: ExtraReleaseConfig(**config) for name, config in RELEASES.items()},
        charts=charts or ChartSource(),
        needs=[aws.sqs.Queue("platform")],
    )
    return ExtraReleases("extra", args)


def from_upstream():
    extra_releases()


def from_a_mirror():
    extra_releases(ChartSource(mirror="oci://example.com/charts/"))


def release(built, name):
    return built.named(RELEASE, f"extra-{name}").inputs


@pytest.mark.feature("B-20")
def test_a_chart_in_a_registry_is_installed_as_the_stack_file_says(once):
    assert release(once(from_upstream), "podinfo") == {
        "name": "podinfo",
        "chart": "oci://ghcr.io/stefanprodan/charts/podinfo",
        "version": "6.9.0",
        "namespace": "web",
        "createNamespace": True,
        "values": {"replicaCount": 2, "ui": {"color": "#34577c"}},
        "timeout": 600,
        "compat": "true",
    }


@pytest.mark.feature("B-20")
def test_a_chart_of_a_repository_is_found_by_its_name(once):
    made = release(once(from_upstream), "cert-manager")

    assert (made["chart"], made["version"]) == ("cert-manager", "v1.19.0")
    assert made["repositoryOpts"] == {"repo": "https://charts.jetstack.io"}
    assert (made["namespace"], made["createNamespace"]) == ("cert-manager", False)
    assert made["timeout"] == 15 * 60


@pytest.mark.feature("B-20")
def test_a_chart_in_a_folder_needs_neither_address_nor_version(once):
    made = release(once(from_upstream), "ours")

    assert made["chart"] == "./charts/ours"
    assert not {"repositoryOpts", "version"} & {*made}


@pytest.mark.feature("B-20")
def test_all_of_them_start_after_the_platform_and_go_before_it(once):
    built = once(from_upstream)

    made, platform = built.every(RELEASE), built.one("aws:sqs/queue:Queue")
    assert [built.waits_for(each, platform) for each in made] == [True] * len(RELEASES)


def test_they_are_ready_when_all_that_they_make_is(once):
    assert not any(each.inputs.get("skipAwait") for each in once(from_upstream).every(RELEASE))


@pytest.mark.feature("B-20")
def test_a_mirror_has_all_charts_but_those_beside_the_program(once):
    built = once(from_a_mirror)

    made = {name: release(built, name) for name in RELEASES}
    assert {name: each["chart"] for name, each in made.items()} == {
        "podinfo": "oci://example.com/charts/podinfo",
        "cert-manager": "oci://example.com/charts/cert-manager",
        "ours": "./charts/ours",
    }
    assert not any("repositoryOpts" in each for each in made.values())
    assert made["podinfo"]["version"] == "6.9.0"


@pytest.mark.parametrize(
    ("config", "path", "problem"),
    [
        (
            {"chart": "podinfo", "version": "6.9.0"},
            "chart",
            "is a name alone: add repository: https://…, or write oci://… or ./… before it",
        ),
        (
            {"chart": "oci://ghcr.io/charts/podinfo"},
            "version",
            "is missing: name one, or a chart would change without a change here",
        ),
        (
            {"chart": "oci://ghcr.io/charts/x", "version": "1.0.0", "repository": "https://a.b"},
            "repository",
            "chart is an address by itself: drop one of the two",
        ),
        (
            {"chart": "./charts/x", "repository": "https://a.b"},
            "repository",
            "chart is an address by itself: drop one of the two",
        ),
        (
            {"chart": "/charts/x", "version": "1.0.0"},
            "version",
            "a folder has the version of its Chart.yaml: drop it",
        ),
        (
            {"chart": "x", "version": "1.0.0", "repository": "oci://a.b/charts"},
            "repository",
            "does not begin with https://; if it is oci://, write it before chart",
        ),
    ],
)
def test_a_chart_that_could_not_be_found_is_told_with_what_to_do(config, path, problem):
    with pytest.raises(ValidationError) as refused:
        ExtraReleaseConfig(namespace="web", **config)

    (error,) = refused.value.errors()
    ((at, told, _),) = error["ctx"]["mistakes"]
    assert (at, told) == (path, problem)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("chart", "https://a.b/x-1.0.0.tgz"),
        ("chart", "oci://podinfo"),
        ("chart", "Pod Info"),
        ("version", ">=1.0"),
        ("version", "latest"),
        ("version", "1"),
        ("namespace", "Web"),
        ("timeout_seconds", 0),
    ],
)
def test_what_helm_would_not_take_is_refused(key, value):
    config = {"chart": "oci://a.b/x", "version": "1.0.0", "namespace": "web"}
    with pytest.raises(ValidationError) as refused:
        ExtraReleaseConfig(**(config | {key: value}))

    assert [error["loc"] for error in refused.value.errors()] == [(key,)]


@pytest.mark.parametrize("chart", ["../charts/x", "./x", "/srv/charts/x"])
def test_a_path_is_a_folder(chart):
    assert ExtraReleaseConfig(chart=chart, namespace="web").is_folder


@pytest.mark.parametrize(
    ("name", "fits"),
    [("a", True), ("my-app-2", True), ("a" * 53, True), ("a" * 54, False)]
    + [(name, False) for name in ("", "-a", "a-", "a.b", "A", "a_b")],
)
def test_a_release_s_name_is_a_dns_label_that_helm_takes(name, fits):
    adapter = TypeAdapter(ReleaseName)
    if fits:
        assert adapter.validate_python(name) == name
    else:
        with pytest.raises(ValidationError):
            adapter.validate_python(name)


def test_without_any_there_is_nothing(deploy):
    args = ExtraReleasesArgs(releases={}, charts=ChartSource(), needs=[])

    assert deploy(lambda: ExtraReleases("extra", args)).every(RELEASE) == []


@pytest.mark.parametrize("program", [from_upstream, from_a_mirror])
def test_a_preview_shows_what_an_update_makes(once, program):
    preview, update = once(program, preview=True), once(program)

    assert preview.tree() == update.tree()
    made, shown = [{each.urn: each.inputs for each in one.declared} for one in (update, preview)]
    assert shown == made
