import pytest

from tests.components.karpenter.node_classes.node_class import AMI, ROLE, spec, told

DISCOVERY = [{"tags": {"karpenter.sh/discovery": "dev"}}]
# Of 001, word by word.
WORKSHOP = {
    "KarpenerProvisionerName": "default",
    "NodeType": "karpenter-workshop",
    "IntentLabel": "apps",
}
OWN_PROFILE = {"role": None, "instance_profile": "dev-node"}
EKSCTL = [{"tags": {"alpha.eksctl.io/cluster-name": "dev"}}]


@pytest.mark.feature("A2-54", "B-34")
def test_every_default_that_matters_is_written_out():
    assert spec() == {
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
        "role": ROLE,
    }


@pytest.mark.feature("A1-12")
def test_subnets_and_groups_of_a_cluster_made_with_eksctl_are_found_by_eksctl_s_tag():
    found = spec(subnetSelectorTerms=EKSCTL, securityGroupSelectorTerms=EKSCTL)

    assert found["subnetSelectorTerms"] == EKSCTL
    assert found["securityGroupSelectorTerms"] == EKSCTL


@pytest.mark.feature("A1-13")
def test_tags_are_spelled_as_the_file_spells_them():
    assert spec(tags=WORKSHOP)["tags"] == WORKSHOP


def test_a_group_that_is_not_tagged_is_named_unless_the_file_says_which():
    stack = {"security_group_id": "sg-0123456789abcdef0"}
    own = [{"id": "sg-0fedcba9876543210"}]

    assert spec(stack)["securityGroupSelectorTerms"] == [{"id": "sg-0123456789abcdef0"}]
    assert spec(stack, securityGroupSelectorTerms=own)["securityGroupSelectorTerms"] == own


@pytest.mark.feature("A2-14")
def test_nodes_get_their_rights_by_role_or_by_the_stack_s_own_instance_profile():
    profile = spec(OWN_PROFILE)

    assert profile["instanceProfile"] == "dev-node"
    assert "role" not in profile
    assert "instanceProfile" not in spec()


@pytest.mark.parametrize("stack", [{}, OWN_PROFILE], ids=["role", "profile"])
@pytest.mark.parametrize(
    ("said", "identity"),
    [
        ({"role": "theirs"}, {"role": "theirs"}),
        (
            {"instanceProfile": "theirs", "instanceProfileRole": "inside"},
            {"instanceProfile": "theirs"},
        ),
    ],
)
def test_a_role_or_profile_of_the_file_comes_before_the_stack_s(stack, said, identity):
    found = spec(stack, **said)

    assert {key: found[key] for key in ("role", "instanceProfile") if key in found} == identity


BARE = (
    "is no bare name: write it without ARN and path, which Karpenter would take for a change at "
    "every look, in at most {} characters"
)


@pytest.mark.parametrize(
    ("said", "mistakes"),
    [
        ({"role": "teams/nodes"}, {"role": BARE.format(64)}),
        ({"role": "arn:aws:iam::111122223333:role/nodes"}, {"role": BARE.format(64)}),
        ({"role": ""}, {"role": BARE.format(64)}),
        ({"role": "r" * 65}, {"role": BARE.format(64)}),
        ({"instanceProfile": "teams/nodes"}, {"instanceProfile": BARE.format(128)}),
        (
            {"instanceProfile": "nodes", "instanceProfileRole": "teams/nodes"},
            {"instanceProfileRole": BARE.format(64)},
        ),
        (
            {"role": "nodes", "instanceProfile": "nodes"},
            {"role": "instanceProfile brings a role too: drop one"},
        ),
        (
            {"instanceProfileRole": "nodes"},
            {"instanceProfileRole": "goes with instanceProfile: add that, or write role"},
        ),
    ],
)
def test_a_role_or_a_profile_is_one_bare_name(said, mistakes):
    assert told(**said) == mistakes


@pytest.mark.parametrize("name", ["r" * 64, "nodes+=,.@-_1"])
def test_every_name_that_iam_allows_is_taken(name):
    assert spec(role=name)["role"] == name


def test_metadata_stays_at_version_2_whatever_the_hop_limit():
    options = spec(metadataOptions={"httpPutResponseHopLimit": 2})["metadataOptions"]

    assert options == {
        "httpEndpoint": "enabled",
        "httpProtocolIPv6": "disabled",
        "httpPutResponseHopLimit": 1 + 1,
        "httpTokens": "required",
    }


@pytest.mark.parametrize("hops", [0, 65])
def test_a_hop_limit_has_its_bounds(hops):
    assert [*told(metadataOptions={"httpPutResponseHopLimit": hops})] == [
        "metadataOptions.httpPutResponseHopLimit"
    ]


def test_the_first_way_to_set_the_hop_limit_is_gone():
    assert told(metadata={"hopLimit": 2}) == {"metadata": "Extra inputs are not permitted"}
