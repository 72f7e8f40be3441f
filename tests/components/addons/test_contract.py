"""What holds for each add-on of the registry: a new one is held to it without a line here."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lightkube.utils.quantity import parse_quantity

from components.addons import user_values
from components.addons.addon_config import FARGATE_SIZE, NAMESPACE, PodsConfig
from components.addons.config import AddonsConfig
from components.kubernetes.charts import ChartSource
from components.placement import RunsOn
from tests.components.addons.programs import ADDONS, CHARTS

RELEASE = "kubernetes:helm.sh/v3:Release"
HOME = "aws:sqs/queue:Queue"
MIRRORS = ChartSource(mirror="oci://example.com/charts", images="example.com/images")
SELECTOR = {"nodeSelector": {"lifecycle": "OnDemand"}}
each_addon = pytest.mark.parametrize("addon", ADDONS, ids=lambda each: each.section.__name__)
each_chart = pytest.mark.parametrize("addon", CHARTS, ids=lambda each: each.section.__name__)
each_deployment = pytest.mark.parametrize(
    "addon",
    [each for each in CHARTS if issubclass(each.section, PodsConfig)],
    ids=lambda each: each.section.__name__,
)
each_home = pytest.mark.parametrize("runs_on", RunsOn)


@pytest.fixture
def built(deploy, account):
    """An add-on in a program of its own, as `Addon.program` says."""

    def run(addon, runs_on, *, preview=False, **settings):
        return deploy(addon.program(runs_on, **settings), account, preview=preview)

    return run


def leaves(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def test_each_folder_is_registered_and_has_its_files():
    folders = {each.folder for each in ADDONS}
    there = {file.parent.name for file in Path(user_values.ADDONS).glob("*/component.py")}

    assert folders == there
    for folder in folders:
        files = {file.name for file in (user_values.ADDONS / folder).iterdir()}
        assert {"__init__.py", "component.py", "config.py", "example.py"} <= files


def test_an_add_on_comes_after_those_that_it_needs():
    order = list(AddonsConfig.model_fields)
    page = {"load_balancer": "nlb", "hostname": "a.example.com"}
    for addon in ADDONS:
        config = addon.section.model_construct(**page)
        for need in config.needs():
            folder = next(k for k, f in AddonsConfig.model_fields.items() if f.alias == need.addon)
            assert order.index(folder) < order.index(addon.folder)


@each_chart
@pytest.mark.feature(
    "A0-15", "A2-33", "A2-39", "A2-41", "A2-66", "A4-08", "A4-09", "A4-18", "B-38", "B-40"
)
def test_the_chart_is_upstreams_at_its_pin_under_its_own_name(built, addon):
    release = built(addon, RunsOn.FARGATE).one(RELEASE).inputs
    readme = (user_values.ADDONS / "README.md").read_text()

    name = addon.section.CHART_NAME
    assert (release["name"], release["namespace"]) == (name, NAMESPACE)
    # The chart's own values lie beside the component: those of another release would be wrong.
    assert f"| `{name}` | {release['version']} |" in readme
    assert (user_values.folder(name) / "values.yaml").exists()
    if str(release["chart"]).startswith("oci://"):
        assert release["chart"].endswith(f"/{name}")
        assert not release.get("repositoryOpts")
    else:
        assert release["chart"] == name
        assert release["repositoryOpts"]["repo"].startswith("https://")


@each_chart
def test_chart_and_images_can_come_from_mirrors(built, upstream_values, addon):
    release = built(addon, RunsOn.NODES, charts=MIRRORS).one(RELEASE).inputs

    name = addon.section.CHART_NAME
    assert release["chart"] == f"oci://example.com/charts/{name}"
    upstream = dict(leaves(upstream_values(name)))
    images = {k: v for k, v in leaves(release["values"]) if k.endswith("mage.repository")}
    assert images
    for key, image in images.items():
        registry, _, name = upstream[key].partition("/")
        repository = name if "." in registry else upstream[key]
        assert image == f"example.com/images/{repository}"


@each_deployment
def test_on_fargate_pods_fit_the_smallest_size_and_are_given_no_nodes(built, addon):
    values = built(addon, RunsOn.FARGATE, keys=SELECTOR).one(RELEASE).inputs["values"]

    sizes = values.get("resources") or values["controller"]["resources"]
    assert sizes["requests"] == sizes["limits"]
    for resource, most in FARGATE_SIZE.items():
        assert parse_quantity(sizes["requests"][resource]) <= parse_quantity(most)
    assert not values.get("nodeSelector")
    assert not values.get("controller", {}).get("nodeSelector")


@each_chart
def test_on_nodes_the_section_chooses_nodes_and_size(built, addon):
    keys = {"cpu": "0.5", "memory": "1Gi", **SELECTOR}
    values = built(addon, RunsOn.NODES, keys=keys).one(RELEASE).inputs["values"]

    part = values if "resources" in values else values["controller"]
    # No limit of the processor: it would only slow pods down where there is some to spare.
    assert part["resources"] == {
        "requests": {"cpu": "0.5", "memory": "1Gi"},
        "limits": {"memory": "1Gi"},
    }
    assert part["nodeSelector"] == SELECTOR["nodeSelector"]


@each_home
@each_addon
def test_it_comes_after_its_compute_and_goes_before_it(built, addon, runs_on):
    program = built(addon, runs_on)

    pods = [
        each for each in program.declared if each.request.type in (RELEASE, "aws:eks/addon:Addon")
    ]
    assert pods
    for each in pods:
        assert program.waits_for(each, program.named(HOME, "home"))


@each_home
@each_addon
def test_a_preview_shows_what_an_update_makes(built, addon, runs_on):
    preview, update = built(addon, runs_on, preview=True), built(addon, runs_on)

    assert preview.tree() == update.tree()


@each_home
@each_chart
def test_who_has_rights_has_an_account_that_the_program_makes_first(built, addon, runs_on):
    program = built(addon, runs_on)

    release = program.one(RELEASE)
    given = dict(leaves(release.inputs["values"]))
    chosen = [value for key, value in given.items() if key.endswith("erviceAccount.name")]
    accounts = program.every("kubernetes:core/v1:ServiceAccount")
    assert chosen == [each.inputs["metadata"]["name"] for each in accounts]
    assert len(program.every("aws:iam/role:Role")) == len(accounts)
    for each in accounts:
        assert program.waits_for(release, each)
        assert False in [v for k, v in given.items() if k.endswith("erviceAccount.create")]
