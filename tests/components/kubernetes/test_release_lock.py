from typing import Any

import pulumi
import pytest

from components.kubernetes.chart_release import chart_release
from components.kubernetes.charts import Chart, ChartSource, Installation
from components.kubernetes.release_lock import LOCKED, TAKEN, remedy
from components.workloads.extra_releases import ExtraReleases, ExtraReleasesArgs
from components.workloads.extra_releases_config import ExtraReleaseConfig

RELEASE = "kubernetes:helm.sh/v3:Release"


def test_an_error_of_another_kind_has_no_remedy_here():
    assert remedy("context deadline exceeded", release="a", namespace="b") is None


@pytest.mark.parametrize(
    ("error", "statuses"),
    [
        (TAKEN, "(pending-install,failed)"),
        (LOCKED, "(pending-install,pending-upgrade,pending-rollback)"),
    ],
)
def test_a_record_that_was_left_is_removed_by_its_status_and_no_deployed_one_is(error, statuses):
    told = remedy(f"helm: {error}", release="karpenter", namespace="kube-system")

    assert told
    selector = f"'owner=helm,name=karpenter,status in {statuses}'"
    assert f"`kubectl delete secret -n kube-system -l {selector}`" in told
    assert "deployed" not in told


def every_way() -> None:
    source = ChartSource()
    chart = Chart(name="x", repository="https://charts.example.com", version="1.0.0")
    into = Installation(namespace="kube-system", values={})
    chart_release("x", chart, into, source, pulumi.ResourceOptions())
    extra: dict[str, Any] = {"chart": "./mine", "namespace": "apps"}
    args = ExtraReleasesArgs(
        releases={"y": ExtraReleaseConfig.model_validate(extra)}, charts=source, needs=[]
    )
    ExtraReleases("extra", args)


def test_every_release_has_the_advice_and_keeps_its_other_options(deploy):
    built = deploy(every_way)

    hooks = {
        each.inputs["name"]: list(each.request.hooks.on_error) for each in built.every(RELEASE)
    }
    assert hooks == {"x": ["kube-system-x-record"], "y": ["apps-y-record"]}
    assert built.named(RELEASE, "extra-y").request.parent.endswith("::extra")
