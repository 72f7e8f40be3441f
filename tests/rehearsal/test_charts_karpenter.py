"""What Karpenter's stand-ins make of the values."""

import pytest

from rehearsal import charts

SETTINGS = {"settings": {"clusterName": "dev"}}
GATES = {
    "CapacityBuffer=false",
    "NodeOverlay=false",
    "NodeRepair=false",
    "ReservedCapacity=true",
    "SpotToSpotConsolidation=false",
    "StaticCapacity=false",
}


def pod_spec(objects):
    return objects["Deployment", "karpenter"]["spec"]["template"]["spec"]


def variables(objects):
    return {one["name"]: one.get("value") for one in pod_spec(objects)["containers"][0]["env"]}


@pytest.mark.engine
def test_a_chart_without_the_clusters_name_is_refused(render):
    with pytest.raises(ValueError, match=r"settings\.clusterName must name the cluster"):
        render("karpenter", {})


@pytest.mark.engine
def test_an_unknown_value_stops_helm(render):
    with pytest.raises(ValueError, match="'interruptionQueueName' not allowed"):
        render("karpenter", {"settings": {"clusterName": "a", "interruptionQueueName": "q"}})


@pytest.mark.engine
def test_settings_become_the_controllers_variables(render):
    settings = {"clusterName": "dev", "interruptionQueue": "queue", "isolatedVPC": True}
    region = {"name": "AWS_REGION", "value": "eu-west-1"}

    told = variables(render("karpenter", {"settings": settings, "controller": {"env": [region]}}))

    assert set(told.pop("FEATURE_GATES").split(",")) == GATES
    expected = {
        "CLUSTER_NAME": "dev",
        "INTERRUPTION_QUEUE": "queue",
        "ISOLATED_VPC": "true",
        "BATCH_MAX_DURATION": "10s",
        "BATCH_IDLE_DURATION": "1s",
        "VM_MEMORY_OVERHEAD_PERCENT": "0.075",
        "RESERVED_ENIS": "0",
        "PREFERENCE_POLICY": "Respect",
        "MIN_VALUES_POLICY": "Strict",
        "AMI_REFRESH_INTERVAL": "1m",
        "AWS_REGION": "eu-west-1",
        "METRICS_PORT": "8080",
        "LOG_LEVEL": "info",
    }
    assert expected.items() <= told.items()
    assert "CLUSTER_ENDPOINT" not in told


@pytest.mark.engine
def test_a_setting_that_is_false_or_zero_is_not_sent_as_upstream_does_not(render):
    settings = {"clusterName": "dev", "vmMemoryOverheadPercent": 0, "ignoreDRARequests": False}

    told = variables(render("karpenter", {"settings": settings}))

    assert {"VM_MEMORY_OVERHEAD_PERCENT", "IGNORE_DRA_REQUESTS"} & set(told) == set()


@pytest.mark.engine
def test_rules_of_placement_select_the_controllers_own_pods(render):
    spec = pod_spec(render("karpenter", SETTINGS))

    own = {"app.kubernetes.io/name": "karpenter", "app.kubernetes.io/instance": "karpenter"}
    apart = spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert [term["labelSelector"]["matchLabels"] for term in apart] == [own]
    spread = spec["topologySpreadConstraints"]
    assert [rule["labelSelector"]["matchLabels"] for rule in spread] == [own]
    assert "podAffinity" not in spec["affinity"]


@pytest.mark.engine
def test_values_of_the_pod_arrive(render):
    resources = {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}
    values = {
        "replicas": 1,
        "dnsPolicy": "Default",
        "tolerations": [],
        "podLabels": {"team": "platform"},
        "controller": {"resources": resources},
        "serviceAccount": {"name": "other", "annotations": {"eks.amazonaws.com/role-arn": "arn"}},
    }

    objects = render("karpenter", SETTINGS | values)

    deployment, spec = objects["Deployment", "karpenter"], pod_spec(objects)
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["template"]["metadata"]["labels"]["team"] == "platform"
    assert (spec["dnsPolicy"], spec["serviceAccountName"]) == ("Default", "other")
    assert "tolerations" not in spec
    assert spec["priorityClassName"] == "system-cluster-critical"
    assert spec["containers"][0]["resources"] == resources
    account = objects["ServiceAccount", "other"]
    assert account["metadata"]["annotations"] == {"eks.amazonaws.com/role-arn": "arn"}


@pytest.mark.engine
def test_each_right_is_bound_to_the_service_account(render):
    objects = render("karpenter", SETTINGS | {"serviceAccount": {"name": "other"}})

    bindings = {key: one for key, one in objects.items() if key[0].endswith("Binding")}
    assert set(bindings) == {
        ("ClusterRoleBinding", "karpenter"),
        ("ClusterRoleBinding", "karpenter-core"),
        ("RoleBinding", "karpenter"),
        ("RoleBinding", "karpenter-dns"),
    }
    for (kind, name), binding in bindings.items():
        assert (kind.removesuffix("Binding"), name) in objects
        subject = {"kind": "ServiceAccount", "name": "other", "namespace": "platform"}
        assert binding["subjects"] == [subject]


@pytest.mark.engine
def test_annotations_reach_each_crd(render):
    keep = {"helm.sh/resource-policy": "keep"}

    crds = render("karpenter-crd", {"additionalAnnotations": keep})

    assert len(crds) == len(charts.crds())
    for crd in crds.values():
        assert crd["kind"] == "CustomResourceDefinition"
        assert keep.items() <= crd["metadata"]["annotations"].items()
