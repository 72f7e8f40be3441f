"""A real API server takes the old objects as they are, and the new ones that they become."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from components.karpenter import crd_files
from frugal_eks.migrate.conversion import convert
from frugal_eks.migrate.documents import read
from frugal_eks.migrate.karpenter import schemas
from rehearsal import control_plane, toolchain
from rehearsal.clients import Cluster
from rehearsal.processes import Processes
from rehearsal.state import State
from rehearsal.toolchain.families import CONTROL_PLANE
from tests.frugal_eks.migrate.karpenter.manifests import migrated, objects, provisioner, template

SEEDS = Path(__file__).parents[3] / "data" / "seeds"
RESOURCES = {
    "Provisioner": "provisioners",
    "AWSNodeTemplate": "awsnodetemplates",
    "NodePool": "nodepools",
    "EC2NodeClass": "ec2nodeclasses",
}
DEFINITIONS = [
    *(schemas.CRDS / file for file in schemas.FILES.values()),
    *(crd_files.CRDS / crd_files.FILES[kind] for kind in ("NodePool", "EC2NodeClass")),
]
# Every field of the old API at once.
FULL = [
    provisioner(
        labels={"intent": "apps"},
        annotations={"a": "b"},
        requirements=[
            {"key": "karpenter.k8s.aws/instance-family", "operator": "NotIn", "values": ["t3"]},
            {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gt", "values": ["3"]},
            {"key": "example.com/team", "operator": "Exists"},
        ],
        taints=[{"key": "a", "value": "b", "effect": "NoSchedule"}],
        startupTaints=[{"key": "c", "effect": "NoExecute"}],
        ttlSecondsAfterEmpty=30,
        ttlSecondsUntilExpired=120,
        weight=10,
        limits={"resources": {"cpu": 1000, "memory": "1000Gi", "nvidia.com/gpu": 2}},
        kubeletConfiguration={
            "clusterDNS": ["172.20.0.10"],
            "containerRuntime": "containerd",
            "maxPods": 30,
            "podsPerCore": 4,
            "kubeReserved": {"cpu": 1, "memory": "200Mi"},
            "systemReserved": {"ephemeral-storage": "1Gi"},
            "evictionHard": {"memory.available": "5%"},
            "evictionSoft": {"nodefs.available": "10%"},
            "evictionSoftGracePeriod": {"nodefs.available": "1m"},
            "evictionMaxPodGracePeriod": 60,
            "imageGCHighThresholdPercent": 85,
            "imageGCLowThresholdPercent": 80,
            "cpuCFSQuota": True,
        },
    ),
    provisioner("plain"),
    template(
        amiFamily="Bottlerocket",
        amiSelector={"aws::name": "bottlerocket-*", "aws::owners": "amazon,self"},
        subnetSelector={"aws-ids": "subnet-1,subnet-2"},
        securityGroupSelector={"Name": "a,b", "team": "c"},
        instanceProfile="nodes",
        tags={"team": "a"},
        metadataOptions={"httpPutResponseHopLimit": 2},
        blockDeviceMappings=[
            {
                "deviceName": "/dev/xvdb",
                "ebs": {
                    "volumeSize": "100Gi",
                    "volumeType": "gp3",
                    "iops": 4000,
                    "throughput": 200,
                    "encrypted": True,
                    "deleteOnTermination": True,
                    "kmsKeyID": "alias/nodes",
                },
            }
        ],
        detailedMonitoring=True,
        userData="[settings.kubernetes]\n",
        context="c",
    ),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Cluster]:
    state = State(tmp_path_factory.mktemp("api-server") / "state")
    state.create()
    try:
        plane = control_plane.start(state, toolchain.ensure(CONTROL_PLANE))
        state.remember({"apiServer": plane.url})
        cluster = Cluster(state)
        for file in DEFINITIONS:
            definition = yaml.safe_load(file.read_text())
            cluster.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        yield cluster
    finally:
        Processes(state).stop()


def send(cluster, manifest):
    """Sends it without keeping it; raises what the API server says to it."""
    path = f"/apis/{manifest['apiVersion']}/{RESOURCES[manifest['kind']]}"
    deadline = time.monotonic() + 20
    while True:
        try:
            cluster.create(f"{path}?dryRun=All&fieldValidation=Strict", manifest)
        except LookupError:
            assert time.monotonic() < deadline, f"{path} is not served"
            time.sleep(0.1)
        else:
            return


@pytest.mark.engine
@pytest.mark.feature("A1-01", "A1-03", "A1-10", "A1-11", "A1-12", "A1-13", "A1-14", "A1-35")
@pytest.mark.parametrize("file", ["001-provisioner.yaml", "002-provisioner.yaml"])
def test_the_server_takes_the_objects_of_a_document_and_what_they_become(cluster, file):
    documents = read([str(SEEDS / file)], {"CLUSTER_NAME": "demo"})

    for document in documents:
        send(cluster, dict(document.value))
    for manifest in objects(convert(documents)):
        send(cluster, manifest)


@pytest.mark.engine
@pytest.mark.feature("A1-01", "A1-35")
def test_the_server_takes_every_field_of_the_old_api_and_what_it_becomes(cluster):
    migration = migrated(*FULL)

    assert migration.left == []
    made = objects(migration)
    assert [one["metadata"]["name"] for one in made] == [
        "default",
        "default-default",
        "default",
        "plain",
    ]
    for manifest in [*FULL, *made]:
        send(cluster, manifest)
