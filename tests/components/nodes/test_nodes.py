import pytest
from pydantic import ValidationError

from components.nodes.nodes import (
    MetadataConfig,
    NodesConfig,
    SizeConfig,
    block_devices,
    label_problem,
    metadata_options,
)

SIZE = {"min": 1, "max": 3}
OWN = (
    "is one of Kubernetes' own, with which kubelet does not start: use a prefix of your own, "
    "for example example.com/{name}, or node.kubernetes.io/{name}"
)
RESTRICTED = (
    "is one of those that no node may give itself: use a prefix of your own, or have an "
    "administrator label the nodes once they are there"
)
TOO_LONG = "is too long: at most 253 characters before the slash and 63 after it"


def told(**settings):
    """What is said of these settings."""
    with pytest.raises(ValidationError) as refused:
        NodesConfig.model_validate({"size": SIZE} | settings)
    (error,) = refused.value.errors()
    return error["msg"]


# What kubelet of Kubernetes 1.35 lists when it refuses a label.
@pytest.mark.parametrize(
    "key",
    [
        "lifecycle",
        "example.com/team",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
        "kubelet.kubernetes.io/anything",
        "node.kubernetes.io/anything",
        "pool.node.kubernetes.io/anything",
        # Only the end of a prefix counts.
        "kubernetes.io.example.com/role",
        "mykubernetes.io/role",
        "eks.amazonaws.com/anything",
        f"{'a' * 253}/{'b' * 63}",
    ],
)
def test_labels_that_a_node_may_give_itself(key):
    assert label_problem(key) is None


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("node-role.kubernetes.io/spot", OWN.format(name="spot")),
        ("kubernetes.io/role", OWN.format(name="role")),
        ("app.kubernetes.io/name", OWN.format(name="name")),
        ("k8s.io/cluster-autoscaler", OWN.format(name="cluster-autoscaler")),
        ("deep.in.k8s.io/x", OWN.format(name="x")),
        ("topology.kubernetes.io/rack", OWN.format(name="rack")),
        ("mynode.kubernetes.io/x", OWN.format(name="x")),
        ("node-restriction.kubernetes.io/team", RESTRICTED),
        ("fips.node-restriction.kubernetes.io/team", RESTRICTED),
        ("a" * 64, TOO_LONG),
        (f"{'a' * 254}/b", TOO_LONG),
    ],
)
def test_labels_with_which_no_node_would_join_are_told_with_what_to_do(key, problem):
    assert label_problem(key) == problem


def test_all_labels_and_taints_that_are_wrong_are_told_at_once():
    taints = [
        {"key": "spot", "value": "true", "effect": "NoSchedule"},
        {"key": "spot", "effect": "NoExecute"},
        {"key": "spot", "value": "false", "effect": "NoSchedule"},
    ]
    labels = {"kubernetes.io/role": "spot", "node-restriction.kubernetes.io/a": "b", "fine": "x"}

    assert told(labels=labels, taints=taints) == (
        f"labels.kubernetes.io/role: {OWN.format(name='role')}; "
        f"labels.node-restriction.kubernetes.io/a: {RESTRICTED}; "
        "taints[2]: has key and effect of taints[0]: drop one of them"
    )


def test_a_misspelt_effect_is_refused_with_the_ones_there_are():
    message = told(taints=[{"key": "spot", "effect": "PreferNoSchedul"}])

    assert message == "Input should be 'NoSchedule', 'PreferNoSchedule' or 'NoExecute'"


@pytest.mark.parametrize("hops", [1, 64])
@pytest.mark.feature("B-29")
def test_metadata_asks_for_a_token_however_far_it_reaches(hops):
    assert metadata_options(MetadataConfig(hop_limit=hops)) == {
        "http_endpoint": "enabled",
        "http_tokens": "required",
        "http_put_response_hop_limit": hops,
    }


@pytest.mark.parametrize("hops", [0, 65])
@pytest.mark.feature("B-29")
def test_a_hop_limit_that_ec2_does_not_take_is_refused(hops):
    assert "hop" not in told(metadata={"hopLimit": hops})
    with pytest.raises(ValidationError) as refused:
        NodesConfig.model_validate({"size": SIZE, "metadata": {"hopLimit": hops}})
    assert [error["loc"] for error in refused.value.errors()] == [("metadata", "hopLimit")]


def test_version_1_of_the_metadata_service_cannot_be_asked_for():
    with pytest.raises(ValidationError) as refused:
        NodesConfig.model_validate({"size": SIZE, "metadata": {"httpTokens": "optional"}})

    assert [error["type"] for error in refused.value.errors()] == ["extra_forbidden"]


@pytest.mark.parametrize(
    ("family", "volumes"),
    [
        ("al2023", {"/dev/xvda": 50}),
        # Its system is apart, and comes unencrypted where nobody says otherwise.
        ("bottlerocket", {"/dev/xvda": 4, "/dev/xvdb": 50}),
    ],
)
def test_every_volume_of_a_node_is_encrypted_gp3_and_goes_with_it(family, volumes):
    assert block_devices(family, 50) == [
        {
            "device_name": device,
            "ebs": {
                "volume_size": gib,
                "volume_type": "gp3",
                "encrypted": "true",
                "delete_on_termination": "true",
            },
        }
        for device, gib in volumes.items()
    ]


OUTSIDE = "desired: lies outside min 1 to max 2: correct one of them"


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        ({"min": 3, "max": 2}, "min: is above max 2: lower it or raise max"),
        (
            {"min": 1, "max": 2, "desired": 3},
            OUTSIDE,
        ),
        (
            {"min": 1, "max": 2, "desired": 0},
            OUTSIDE,
        ),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(size, problem):
    with pytest.raises(ValidationError) as refused:
        SizeConfig(**size)

    assert [error["msg"] for error in refused.value.errors()] == [problem]


def test_a_group_may_start_with_none_and_by_default_starts_with_the_minimum():
    started = [SizeConfig(min=0, max=3, desired=0).initial, SizeConfig(min=2, max=3).initial]

    assert started == [0, 2]
