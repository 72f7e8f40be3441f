"""Deployments, Services and values of charts that the program brings itself."""

from typing import Any

import pytest

from frugal_eks.migrate.conversion import Migration, convert
from frugal_eks.migrate.documents import Document
from stack_config.yaml_text import documents

PODS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: NAMESPACE}
spec:
  replicas: 2
  template:
    spec:
      nodeSelector: {intent: apps}
      EXTRA
      containers:
      - name: NAME
        image: IMAGE
        resources: {requests: {cpu: 500m, memory: 64Mi}}
"""


def pods(name: str, namespace: str, image: str, extra: str = "restartPolicy: Always") -> str:
    words = {"NAMESPACE": namespace, "NAME": name, "IMAGE": image, "EXTRA": extra}
    text = PODS
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def migrated(text: str) -> Migration:
    return convert(
        [Document(source="f", value=value, lines=lines) for value, lines in documents(text)]
    )


def left(migration: Migration) -> dict[str, Any]:
    return {each.note.path: each.note.value for each in migration.left}


def test_inflate_keeps_its_size_and_its_nodes():
    migration = migrated(pods("inflate", "default", "public.ecr.aws/eks/pause:3.7"))

    assert migration.values == {
        "sampleWorkloads": {
            "inflate": {
                "replicas": 2,
                "cpu": "500m",
                "memory": "64Mi",
                "nodeSelector": {"intent": "apps"},
            }
        }
    }
    assert left(migration) == {
        "spec.template.spec.containers[0].image": "public.ecr.aws/eks/pause:3.7",
        "spec.template.spec.restartPolicy": "Always",
    }


def test_pause_pods_without_their_priority_class_lose_nothing():
    tolerations = "tolerations: [{key: spot, operator: Exists}]"
    migration = migrated(pods("pause-pods", "pause", "registry.k8s.io/pause", tolerations))

    assert migration.values["overprovisioning"]["tolerations"] == [
        {"key": "spot", "operator": "Exists"}
    ]
    assert migration.values["overprovisioning"]["memory"] == "64Mi"


def test_a_priority_class_alone_makes_no_pause_pods():
    migration = migrated(
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: pause-pods}\n"
        f"value: -1\n---\n{pods('inflate', 'default', 'pause')}"
    )

    assert "overprovisioning" not in migration.values
    assert any("their Deployment too" in each.note.text for each in migration.left)


def test_a_priority_of_another_height_is_told():
    migration = migrated(
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: pause-pods}\n"
        f"value: -5\n---\n{pods('pause-pods', 'pause', 'registry.k8s.io/pause')}"
    )

    assert ("value", "is -1 here, and was -5") in [
        (each.note.path, each.note.text) for each in migration.left
    ]


def test_ecsdemo_from_another_registry_without_the_preference():
    text = pods("ecsdemo-nodejs", "default", "public.ecr.aws/aws-containers/ecsdemo-nodejs:v1")
    migration = migrated(text)

    assert migration.values["sampleWorkloads"]["ecsdemo"] == {
        "replicas": {"nodejs": 2},
        "images": "public.ecr.aws/aws-containers",
        "tag": "v1",
        "cpu": "500m",
        "memory": "64Mi",
        "spotPreference": False,
    }


def test_services_of_ecsdemo_are_its_own_and_a_load_balancer_is_told():
    service = (
        "apiVersion: v1\nkind: Service\nmetadata: {name: ecsdemo-frontend}\n"
        "spec: {type: LoadBalancer, ports: [{port: 80, targetPort: 3000, protocol: TCP}]}\n"
    )
    migration = migrated(service)

    assert migration.values == {"sampleWorkloads": {"ecsdemo": {}}}
    assert left(migration) == {"spec.type": "LoadBalancer"}


def test_a_whole_autoscaler_keeps_flags_groups_and_size():
    command = (
        "      - image: registry.k8s.io/autoscaling/cluster-autoscaler:v1.26.2\n"
        "        name: cluster-autoscaler\n"
        "        command: [./cluster-autoscaler, --nodes=1:5:workers,"
        " --scale-down-unneeded-time=3m, --balance-similar-node-groups,"
        " --scale-down-utilization-threshold=0.4,"
        " --skip-nodes-with-system-pods=false, --stderrthreshold=warning, --max=x, rubbish,"
        " --nodes=workers, --ok=1, --ok=2, --v=2]\n"
    )
    text = (
        "apiVersion: apps/v1\nkind: Deployment\n"
        "metadata: {name: cluster-autoscaler, namespace: kube-system}\n"
        f"spec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n{command}"
    )
    migration = migrated(text)

    assert migration.values["clusterAutoscaler"] == {
        "replicas": 1,
        "groups": [{"name": "workers", "min": 1, "max": 5}],
        "scaleDownUnneededTime": "3m",
        "balanceSimilarNodeGroups": True,
        "extraArgs": {
            "scale-down-utilization-threshold": 0.4,
            "skip-nodes-with-system-pods": False,
            "max": "x",
            "ok": 1,
            "ok_2": 2,
        },
        "v": 2,
    }
    path = "spec.template.spec.containers[0]"
    assert left(migration) == {
        f"{path}.command[6]": "--stderrthreshold=warning",
        f"{path}.command[8]": "rubbish",
        f"{path}.command[9]": "--nodes=workers",
        f"{path}.image": "registry.k8s.io/autoscaling/cluster-autoscaler:v1.26.2",
    }


SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: kube-ops-view
  namespace: kube-system
  annotations:
    external-dns.alpha.kubernetes.io/hostname: view.example.com
spec: {type: LoadBalancer}
"""


def test_a_classic_load_balancer_of_kube_ops_view_becomes_an_internal_nlb():
    migration = migrated(SERVICE)

    assert migration.values["addons"]["kubeOpsView"] == {
        "loadBalancer": "nlb",
        "hostname": "view.example.com",
    }
    place = ("addons", "kubeOpsView", "loadBalancer")
    assert migration.comments[place] == "an NLB, was a Classic Load Balancer"


def test_kube_ops_view_without_a_load_balancer_has_none():
    migration = migrated(SERVICE.replace("LoadBalancer", "ClusterIP"))

    assert migration.values["addons"]["kubeOpsView"] == {}
    assert "view.example.com" in migration.comments["addons", "kubeOpsView"]


def test_values_of_a_handler_with_a_queue():
    migration = migrated(
        "enableSqsTerminationDraining: true\nreplicas: 2\nheartbeatInterval: 60\n"
        "deleteSqsMsgIfNodeNotFound: true\nqueueURL: https://sqs/q\n"
        "nodeSelector: {lifecycle: OnDemand}\n"
    )

    assert migration.values["addons"]["nodeTerminationHandler"] == {
        "mode": "queue",
        "deleteSqsMsgIfNodeNotFound": True,
        "replicas": 2,
        "heartbeatIntervalSeconds": 60,
        "nodeSelector": {"lifecycle": "OnDemand"},
    }
    assert left(migration) == {"queueURL": "https://sqs/q"}


def test_values_of_a_handler_on_nodes_keep_other_affinities():
    terms = "{matchExpressions: [{key: team, operator: Exists}]}"
    migration = migrated(
        "enableSpotInterruptionDraining: true\ndaemonsetAffinity:\n  nodeAffinity:\n"
        "    requiredDuringSchedulingIgnoredDuringExecution:\n"
        f"      nodeSelectorTerms: [{terms}]\n"
    )

    handler = migration.values["addons"]["nodeTerminationHandler"]
    assert handler["affinity"] == [{"matchExpressions": [{"key": "team", "operator": "Exists"}]}]
    assert "nodes" not in handler


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 2026-11-01", "2026-11-01"),
        ("a: 12:30", "12:30"),
        ("a: 0o17", 15),
        ("a: 017", 15),
        ("a: 0x1f", 31),
        ("a: yes", True),
        ("a: 1_000", 1000),
        ("a: 1.5", 1.5),
        ("a: 1e3", 1000.0),
        ("a: '1'", "1"),
        ("a: ~", None),
        ("8080: a", None),
    ],
)
def test_yaml_reads_as_for_kubectl(text, value):
    [(found, _)] = documents(text)

    assert found.get("a") == value
    assert type(found.get("a")) is type(value)
    assert all(isinstance(key, str) for key in found)


def test_merged_keys_are_those_of_the_anchor():
    [(found, lines)] = documents("a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3\n")

    assert found["b"] == {"x": 1, "y": 3}
    assert (lines["b", "x"], lines["b", "y"]) == (1, 4)
