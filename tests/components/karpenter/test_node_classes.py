import pytest
from pydantic import ValidationError

from components.karpenter.crd_rules import violations
from components.karpenter.node_classes import RESTRICTED_TAGS, NodeClassConfig, node_class_spec

AMI = "al2023@v20261101"
DISCOVERY = [{"tags": {"karpenter.sh/discovery": "dev"}}]


def config(**settings):
    return NodeClassConfig(**({"ami_alias": AMI} | settings))


def spec(role="KarpenterNodeRole-dev", instance_profile=None, **settings):
    return node_class_spec(
        config(**settings), cluster="dev", role=role, instance_profile=instance_profile
    )


def refused(**settings):
    """What is said of the mistake in these settings."""
    with pytest.raises(ValidationError) as error:
        config(**settings)
    detail, *_ = error.value.errors()
    return detail["msg"]


def taken(found):
    """The spec, if the API server would take it."""
    metadata = {"name": "default"}
    kind = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass"}
    assert violations("EC2NodeClass", kind | {"metadata": metadata, "spec": found}) == []
    return found


@pytest.mark.feature("A2-54", "B-34")
def test_every_default_that_matters_is_written_out():
    assert taken(spec()) == {
        "amiSelectorTerms": [{"alias": AMI}],
        "subnetSelectorTerms": DISCOVERY,
        "securityGroupSelectorTerms": DISCOVERY,
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {
                    "volumeSize": "20Gi",
                    "volumeType": "gp3",
                    "encrypted": True,
                    "deleteOnTermination": True,
                },
            }
        ],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
        },
        "detailedMonitoring": False,
        "role": "KarpenterNodeRole-dev",
    }


@pytest.mark.feature("B-34", "C-21")
@pytest.mark.parametrize(
    "alias", ["al2023@latest", "bottlerocket@latest", "al2023", "al2@v20261101", "al2023@20261101"]
)
def test_an_image_that_aws_can_change_is_refused(alias):
    assert refused(ami_alias=alias).startswith("String should match pattern")


@pytest.mark.parametrize("alias", ["al2023@v20261101", "bottlerocket@v1.50.0"])
def test_a_pinned_image_is_taken_as_it_is(alias):
    assert taken(spec(ami_alias=alias))["amiSelectorTerms"] == [{"alias": alias}]


def test_bottlerocket_keeps_its_system_apart_from_the_volume_that_is_asked_for():
    volume = {"size": "50Gi", "kms_key_id": "alias/own"}

    devices = taken(spec(ami_alias="bottlerocket@v1.50.0", volume=volume))["blockDeviceMappings"]

    assert [device["deviceName"] for device in devices] == ["/dev/xvda", "/dev/xvdb"]
    assert [device["ebs"]["volumeSize"] for device in devices] == ["4Gi", "50Gi"]
    assert {device["ebs"]["kmsKeyID"] for device in devices} == {"alias/own"}
    assert all(device["ebs"]["encrypted"] for device in devices)


def test_speed_of_a_volume_is_sent_only_where_it_is_asked_for():
    volume = {"size": "100Gi", "iops": 4000, "throughput": 250, "type": "gp3"}

    (device,) = taken(spec(volume=volume))["blockDeviceMappings"]

    assert device["ebs"] == {
        "volumeSize": "100Gi",
        "volumeType": "gp3",
        "encrypted": True,
        "deleteOnTermination": True,
        "iops": 4000,
        "throughput": 250,
    }


def test_throughput_is_gp3_s():
    assert refused(volume={"type": "io2", "throughput": 250}).endswith(
        "throughput: needs type gp3, not io2: drop one of them"
    )


@pytest.mark.parametrize("size", ["20", "20Mi", "0x14Gi"])
def test_a_volume_has_a_size_with_its_unit(size):
    assert refused(volume={"size": size}).startswith("String should match pattern")


@pytest.mark.feature("A2-14")
def test_nodes_get_their_rights_by_role_or_by_the_stack_s_own_instance_profile():
    profile = taken(spec(role=None, instance_profile="dev-node"))

    assert profile["instanceProfile"] == "dev-node"
    assert "role" not in profile
    assert "instanceProfile" not in taken(spec())


def test_subnets_and_groups_can_be_named_or_found_by_other_tags():
    by_tag, by_id = (
        {"tags": {"alpha.eksctl.io/cluster-name": "dev"}},
        {"id": "sg-0123456789abcdef0"},
    )

    found = taken(spec(subnet_selector_terms=(by_tag,), security_group_selector_terms=(by_id,)))

    assert found["subnetSelectorTerms"] == [by_tag]
    assert found["securityGroupSelectorTerms"] == [by_id]


@pytest.mark.parametrize("term", [{}, {"id": "subnet-1", "tags": {"a": "b"}}])
def test_a_term_is_an_id_or_tags(term):
    assert refused(subnet_selector_terms=(term,)).endswith(
        "give either id or tags: each term is one of them"
    )


def test_no_term_at_all_is_refused_since_it_would_find_nothing():
    assert refused(subnet_selector_terms=()).startswith("Tuple should have at least 1 item")


@pytest.mark.parametrize("key", [*RESTRICTED_TAGS, "kubernetes.io/cluster/dev"])
def test_tags_that_karpenter_sets_itself_are_refused(key):
    assert refused(tags={key: "x"}).endswith(f"tags.{key}: Karpenter sets this tag itself: drop it")


@pytest.mark.feature("C-21")
@pytest.mark.parametrize(
    "value",
    [
        "2026-11-21T04:50:00Z",
        "deployed 2026-11-21 04:50",
        "2026-11-21T04:50:00.123456+00:00",
        "1790000000",
        "1790000000123",
    ],
)
def test_a_time_stamp_in_a_tag_is_refused_since_it_rolls_every_node_at_each_run(value):
    assert refused(tags={"deployed": value}).endswith(
        "tags.deployed: holds a time stamp, which would replace every node at each run: drop it"
    )


@pytest.mark.parametrize("value", ["2026-11-21", "111122223333", "1.35.0-20261101", "", "17900"])
def test_what_only_looks_like_a_time_stamp_is_a_tag(value):
    assert taken(spec(tags={"note": value}))["tags"] == {"note": value}


def test_metadata_stays_at_version_2_whatever_the_hop_limit():
    options = taken(spec(metadata={"hop_limit": 2}))["metadataOptions"]

    assert options["httpPutResponseHopLimit"] == 1 + 1
    assert options["httpTokens"] == "required"
