"""An AWSNodeTemplate v1alpha1 as a node class: every rule of what it comes to."""

import pytest

from components.karpenter.crd_files import crd
from components.karpenter.node_classes import NodeClassConfig
from frugal_eks.migrate.karpenter import volumes
from tests.frugal_eks.migrate.karpenter.manifests import (
    class_of,
    comments,
    migrated,
    objects,
    template,
    told,
)

AL2023 = "al2023@v20260930"
ENABLED = {"httpEndpoint": "enabled", "httpProtocolIPv6": "disabled"}
AS_BEFORE = "as before: name its role by instanceProfileRole, and give that an access entry"
UBUNTU_ROOT = {"volumeSize": "20Gi", "volumeType": "gp3", "encrypted": True}


def made(**spec):
    """The spec of the one class that the API gets."""
    (node_class,) = objects(migrated(template(**spec)))
    return node_class["spec"]


def left(**spec):
    return told(migrated(template(**spec)))


def said(**spec):
    return comments(migrated(template(**spec)), "nodeClasses")


@pytest.mark.feature("A1-12")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("subnetSelector", "subnetSelectorTerms"),
        ("securityGroupSelector", "securityGroupSelectorTerms"),
    ],
)
@pytest.mark.parametrize(
    ("selector", "terms"),
    [
        (
            {"alpha.eksctl.io/cluster-name": "demo"},
            [{"tags": {"alpha.eksctl.io/cluster-name": "demo"}}],
        ),
        ({"a": "1", "b": "2"}, [{"tags": {"a": "1", "b": "2"}}]),
        ({"Name": "x, y"}, [{"tags": {"Name": "x"}}, {"tags": {"Name": "y"}}]),
        (
            {"a": "1,2", "b": "3,4"},
            [
                {"tags": {"a": "1", "b": "3"}},
                {"tags": {"a": "1", "b": "4"}},
                {"tags": {"a": "2", "b": "3"}},
                {"tags": {"a": "2", "b": "4"}},
            ],
        ),
        ({"a": "*"}, [{"tags": {"a": "*"}}]),
        ({"a": ""}, [{"tags": {"a": "*"}}]),
    ],
)
def test_a_selector_of_tags_is_a_term_for_each_choice_of_values(old, new, selector, terms):
    assert made(**{old: selector})[new] == terms
    assert left(**{old: selector}) == []


@pytest.mark.parametrize("key", ["aws-ids", "aws::ids"])
def test_ids_are_a_term_each_and_what_stands_beside_them_is_told(key):
    selector = {key: "subnet-1, subnet-2", "team": "a"}

    assert made(subnetSelector=selector)["subnetSelectorTerms"] == [
        {"id": "subnet-1"},
        {"id": "subnet-2"},
    ]
    ((path, text, value),) = left(subnetSelector=selector)
    assert (path, value) == ("spec.subnetSelector.team", "a")
    assert text.startswith("an id stands alone now")


def test_more_terms_than_the_api_takes_are_told():
    many = ",".join(f"v{number}" for number in range(31))

    ((path, text, _),) = left(subnetSelector={"a": many})

    assert path == "spec.subnetSelector"
    assert text == "comes to 31 terms, and the API takes 30: use fewer values"
    assert left(subnetSelector={"a": many.removesuffix(",v30")}) == []


@pytest.mark.parametrize("key", ["subnetSelector", "securityGroupSelector"])
def test_no_selector_is_the_packages_own_and_is_said(key):
    assert said(**{key: {}})[""] == f"no {key}: found by the tag karpenter.sh/discovery"
    assert made(**{key: {}})[f"{key}Terms"] == [{"tags": {"karpenter.sh/discovery": "demo"}}]


@pytest.mark.parametrize(
    ("selector", "terms"),
    [
        ({"aws-ids": "ami-1,ami-2"}, [{"id": "ami-1"}, {"id": "ami-2"}]),
        ({"aws::ids": "ami-1"}, [{"id": "ami-1"}]),
        ({"aws::name": "mine-*"}, [{"name": "mine-*"}]),
        (
            {"aws::name": "a,b", "aws::owners": "self,111122223333"},
            [
                {"name": "a", "owner": "self"},
                {"name": "a", "owner": "111122223333"},
                {"name": "b", "owner": "self"},
                {"name": "b", "owner": "111122223333"},
            ],
        ),
        (
            {"aws::owners": "self", "os": "x,y"},
            [{"owner": "self", "tags": {"os": "x"}}, {"owner": "self", "tags": {"os": "y"}}],
        ),
    ],
)
def test_an_image_selector_is_a_term_for_each_choice(selector, terms):
    spec = made(amiSelector=selector, amiFamily="Bottlerocket")

    assert spec["amiSelectorTerms"] == terms
    assert spec["amiFamily"] == "Bottlerocket"
    assert left(amiSelector=selector, amiFamily="Bottlerocket") == []


def test_an_owner_alone_is_told_and_the_class_still_has_an_image():
    owner = {"aws::owners": "self"}

    assert left(amiSelector=owner) == [
        (
            "spec.amiSelector.aws::owners",
            "an owner alone would be every image of that account: add a name or tags",
            "self",
        )
    ]
    assert made(amiSelector=owner)["amiSelectorTerms"] == [{"alias": AL2023}]


@pytest.mark.parametrize(
    ("family", "alias", "comment"),
    [
        (None, AL2023, "not AL2, which has no image from Kubernetes 1.33 on; pinned: "),
        ("AL2", AL2023, "not AL2, which has no image from Kubernetes 1.33 on; pinned: "),
        ("AL2023", AL2023, "pinned: the old API took the newest, which now replaces nodes at "),
        ("Bottlerocket", "bottlerocket@v1.66.0", "pinned: the old API took the newest"),
        ("Windows2022", "windows2022@latest", "Windows2022 has no release to pin: AWS decides "),
        ("Windows2019", "windows2019@latest", "Windows2019 has no release to pin: AWS decides "),
    ],
)
def test_a_family_without_a_selector_is_a_pinned_alias(family, alias, comment):
    spec = {"amiFamily": family} if family else {}

    assert made(**spec)["amiSelectorTerms"] == [{"alias": alias}]
    assert said(**spec)["amiAlias"].startswith(comment)
    assert left(**spec) == []


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize("family", ["Ubuntu", "Custom"])
def test_a_family_for_which_nobody_finds_images_is_told(family):
    ((path, text, value),) = left(amiFamily=family)

    assert (path, value) == ("spec.amiFamily", family)
    assert text.startswith(f"Karpenter finds no image for {family} by itself any more")
    assert said(amiFamily=family)["amiAlias"] == (
        f"a stand-in: {family} needs an image of your own"
    )


def test_al2_keeps_its_family_with_an_image_of_ones_own():
    spec = {"amiSelector": {"aws-ids": "ami-1"}}

    assert made(**spec)["amiFamily"] == "AL2"
    assert said(**spec)["amiFamily"].startswith("AL2's user data, as before")


@pytest.mark.feature("A1-35")
def test_ubuntu_is_custom_with_its_own_image_and_root_volume():
    spec = {"amiSelector": {"aws-ids": "ami-1"}, "amiFamily": "Ubuntu"}

    found = made(**spec)
    assert found["amiFamily"] == "Custom"
    (device,) = found["blockDeviceMappings"]
    assert device["deviceName"] == "/dev/sda1"
    assert UBUNTU_ROOT.items() <= device["ebs"].items()
    ((path, text, _),) = left(**spec)
    assert path == "spec.amiFamily"
    assert "karpenter.sh/unregistered:NoExecute" in text
    own = [{"deviceName": "/dev/xvda", "ebs": UBUNTU_ROOT}]
    assert made(**spec, blockDeviceMappings=own)["blockDeviceMappings"][0]["deviceName"] == (
        "/dev/xvda"
    )


def test_an_instance_profile_stays_and_its_role_is_asked_for():
    assert made(instanceProfile="nodes")["instanceProfile"] == "nodes"
    assert said(instanceProfile="nodes")["instanceProfile"] == AS_BEFORE
    assert made()["role"] == "the-stacks-own"


@pytest.mark.feature("A1-35")
def test_a_launch_template_is_refused():
    ((path, text, value),) = left(launchTemplate="mine")

    assert (path, value) == ("spec.launchTemplate", "mine")
    assert text.startswith("Karpenter takes no launch template of yours any more")
    assert "launchTemplate" not in class_of(template(launchTemplate="mine"))


@pytest.mark.feature("A1-13")
def test_tags_stay_as_spelled_without_those_that_karpenter_sets():
    tags = {
        "KarpenerProvisionerName": "default",
        "NodeType": "karpenter-workshop",
        "IntentLabel": "apps",
    }
    restricted = {
        "karpenter.sh/provisioner-name": "default",
        "karpenter.sh/managed-by": "demo",
        "karpenter.sh/nodepool": "default",
        "karpenter.sh/nodeclaim": "x",
        "karpenter.k8s.aws/ec2nodeclass": "default",
        "eks:eks-cluster-name": "demo",
        "kubernetes.io/cluster/demo": "owned",
    }

    assert made(tags=tags | restricted)["tags"] == tags
    assert {path: value for path, _, value in left(tags=tags | restricted)} == {
        f"spec.tags.{key}": value for key, value in restricted.items()
    }


def test_metadata_options_that_are_absent_are_the_old_ones():
    assert made()["metadataOptions"] == ENABLED | {
        "httpPutResponseHopLimit": 2,
        "httpTokens": "required",
    }
    assert said()["metadataOptions.httpPutResponseHopLimit"].startswith("the old default; 1, ")


@pytest.mark.parametrize(
    ("options", "hops", "tokens", "comment"),
    [
        ({}, 1, "optional", True),
        ({"httpEndpoint": "enabled"}, 1, "optional", True),
        ({"httpPutResponseHopLimit": 3}, 3, "optional", True),
        ({"httpTokens": "required"}, 1, "required", False),
    ],
)
def test_metadata_options_in_part_are_filled_as_the_old_api_did(options, hops, tokens, comment):
    found = made(metadataOptions=options)["metadataOptions"]

    assert found == ENABLED | {"httpPutResponseHopLimit": hops, "httpTokens": tokens}
    assert ("metadataOptions.httpTokens" in said(metadataOptions=options)) is comment


@pytest.mark.parametrize(
    ("old", "new", "comment"),
    [
        ("100Gi", "100Gi", ""),
        ("100G", "100G", ""),
        ("2Ti", "2Ti", ""),
        ("2048Mi", "2Gi", ""),
        (107374182400, "100Gi", ""),
        ("107374182400", "100Gi", ""),
        ("1.5Ti", "1536Gi", ""),
        ("1e11", "94Gi", "1e11, rounded up as the old API did"),
        ("20000M", "19Gi", "20000M, rounded up as the old API did"),
        ("20000000K", "19Gi", "20000000K, rounded up as the old API did"),
        ("3145728Ki", "3Gi", ""),
        (100, "100Gi", "100 had no unit: GiB is meant"),
        ("100", "100Gi", "100 had no unit: GiB is meant"),
    ],
)
def test_sizes_of_volumes_get_a_unit(old, new, comment):
    assert volumes.size(old) == (new, comment)


def test_volumes_stay_with_their_sizes_as_text_and_what_ec2_decided_is_said():
    full = {
        "volumeType": "io2",
        "iops": 4000,
        "encrypted": False,
        "deleteOnTermination": False,
    }
    mappings = [
        {"deviceName": "/dev/xvda", "ebs": {"volumeSize": 100}},
        {"deviceName": "/dev/xvdb", "ebs": full | {"volumeSize": "50Gi"}},
        {"deviceName": "/dev/xvdc", "ebs": {"snapshotID": "snap-1"}},
    ]

    first, second, third = made(blockDeviceMappings=mappings)["blockDeviceMappings"]
    assert first["ebs"]["volumeSize"] == "100Gi"
    assert second == {"deviceName": "/dev/xvdb", "ebs": full | {"volumeSize": "50Gi"}}
    assert third["ebs"]["snapshotID"] == "snap-1"
    found = said(blockDeviceMappings=mappings)
    assert found["blockDeviceMappings.0.ebs.volumeSize"] == "100 had no unit: GiB is meant"
    assert found["blockDeviceMappings.0.ebs"] == (
        "written out now, EC2 decided before: volumeType gp3, encrypted true, "
        "deleteOnTermination true"
    )
    assert "blockDeviceMappings.1.ebs" not in found
    assert "encrypted" not in found["blockDeviceMappings.2.ebs"]


@pytest.mark.parametrize(
    ("mapping", "missing"),
    [
        ({"ebs": {"volumeSize": "1Gi"}}, "deviceName"),
        ({"deviceName": "/dev/xvda"}, "volumeSize and no snapshotID"),
        ({"deviceName": "/dev/xvda", "ebs": {"iops": 1}}, "volumeSize and no snapshotID"),
    ],
)
def test_a_volume_without_place_or_size_is_told(mapping, missing):
    text = f"has no {missing}, which the old API refused too: add it"

    assert left(blockDeviceMappings=[mapping]) == [("spec.blockDeviceMappings[0]", text, mapping)]
    assert "blockDeviceMappings" not in class_of(template(blockDeviceMappings=[mapping]))


def test_user_data_monitoring_and_context_stay():
    spec = {"userData": "#!/bin/bash\necho\n", "detailedMonitoring": True, "context": "c"}

    assert spec.items() <= made(**spec).items()
    assert said(**spec)["userData"] == "written for AL2: AL2023 has no /etc/eks/bootstrap.sh"
    assert "userData" not in said(**spec, amiFamily="AL2023")
    assert "userData" not in said(**spec, amiSelector={"aws-ids": "ami-1"})


@pytest.mark.feature("A1-35")
def test_what_breaks_the_old_schema_is_told_and_the_rest_is_converted():
    found = left(tags={"a": 1, "b": "c"}, userdata="x", amiFamily=["AL2"])

    assert [(path, value) for path, _, value in found] == [
        ("spec.amiFamily", ["AL2"]),
        ("spec.tags.a", 1),
        ("spec.userdata", "x"),
    ]
    assert class_of(template(tags={"a": 1, "b": "c"}))["tags"] == {"b": "c"}


def test_the_package_has_every_field_of_the_present_api():
    spec = crd("EC2NodeClass").schema["properties"]["spec"]["properties"]
    keys = {field.alias for field in NodeClassConfig.model_fields.values()}

    assert spec.keys() - keys == set()
