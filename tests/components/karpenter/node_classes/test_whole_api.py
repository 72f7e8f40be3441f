"""The whole EC2NodeClass API of 1.14.1, field by field, as its CRD lists it."""

import copy
from collections.abc import Iterator, Mapping

import pytest

from components.karpenter.crd_rules import crd
from tests.components.karpenter.node_classes.node_class import config, spec, told

SPEC = crd("EC2NodeClass").schema["properties"]["spec"]

# Between them every field; what excludes another stands in the second.
ONE = {
    "amiFamily": "Bottlerocket",
    "amiSelectorTerms": [
        {"id": "ami-0123456789abcdef0"},
        {"name": "golden-*", "owner": "self", "tags": {"team": "*"}},
        {"ssmParameter": "/golden/image"},
    ],
    "associatePublicIPAddress": False,
    "blockDeviceMappings": [
        {
            "deviceName": "/dev/xvda",
            "ebs": {
                "deleteOnTermination": False,
                "encrypted": True,
                "iops": 4000,
                "kmsKeyID": "alias/nodes",
                "throughput": 250,
                "volumeSize": "8Gi",
                "volumeType": "gp3",
            },
        },
        {
            "deviceName": "/dev/xvdb",
            "ebs": {
                "deleteOnTermination": True,
                "snapshotID": "snap-0123456789abcdef0",
                "volumeInitializationRate": 200,
                "volumeType": "gp3",
            },
            "rootVolume": True,
        },
    ],
    "capacityReservationSelectorTerms": [
        {"id": "cr-0123456789abcdef0"},
        {"instanceMatchCriteria": "targeted", "ownerID": "111122223333", "tags": {"team": "ml"}},
    ],
    "connectionTracking": {
        "tcpEstablishedTimeout": 350,
        "udpStreamTimeout": 120,
        "udpTimeout": 45,
    },
    "context": "reserved",
    "cpuOptions": {"nestedVirtualization": "enabled"},
    "detailedMonitoring": True,
    "instanceProfile": "theirs",
    "instanceStorePolicy": "RAID0",
    "ipPrefixCount": 2,
    "kubelet": {
        "clusterDNS": ["172.20.0.10", "fd00::a"],
        "cpuCFSQuota": False,
        "evictionHard": {"memory.available": "5%", "nodefs.available": "1Gi"},
        "evictionMaxPodGracePeriod": 60,
        "evictionSoft": {"memory.available": "8.25%"},
        "evictionSoftGracePeriod": {"memory.available": "1m30s"},
        "imageGCHighThresholdPercent": 80,
        "imageGCLowThresholdPercent": 50,
        "kubeReserved": {"cpu": "200m", "ephemeral-storage": "1Gi", "memory": "1Gi", "pid": "99"},
        "maxPods": 58,
        "podsPerCore": 8,
        "systemReserved": {"cpu": "100m"},
    },
    "metadataOptions": {
        "httpEndpoint": "enabled",
        "httpProtocolIPv6": "enabled",
        "httpPutResponseHopLimit": 2,
        "httpTokens": "optional",
    },
    "networkInterfaces": [
        {"deviceIndex": 0, "interfaceType": "interface", "networkCardIndex": 0},
        {"deviceIndex": 1, "interfaceType": "efa-only", "networkCardIndex": 0},
    ],
    "placementGroupSelector": {"id": "pg-0123456789abcdef0"},
    "securityGroupSelectorTerms": [
        {"id": "sg-0123456789abcdef0"},
        {"name": "nodes"},
        {"tags": {"team": "apps"}},
    ],
    "subnetSelectorTerms": [{"id": "subnet-0123456789abcdef0"}, {"tags": {"team": "*"}}],
    "tags": {"team": "apps"},
    "userData": "[settings.host-containers.admin]\nenabled = true\n",
}
OTHER = {
    "amiFamily": "Custom",
    "amiSelectorTerms": [{"alias": "al2023@v20260930"}],
    "blockDeviceMappings": ONE["blockDeviceMappings"],
    "detailedMonitoring": False,
    "metadataOptions": ONE["metadataOptions"],
    "placementGroupSelector": {"name": "together"},
    "role": "theirs",
    "securityGroupSelectorTerms": [{"name": "nodes"}],
    "subnetSelectorTerms": [{"tags": {"team": "*"}}],
}


def fields(schema: Mapping, path: str = "") -> Iterator[str]:
    """Every property, `blockDeviceMappings.ebs.iops`; items of lists are not counted."""
    schema = schema.get("items", schema)
    for name, below in schema.get("properties", {}).items():
        here = f"{path}.{name}".lstrip(".")
        yield here
        yield from fields(below, here)


def enums(schema: Mapping, path: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """Every value of every enumeration, with the way to it, through the last item of a list."""
    for name, below in schema.get("properties", {}).items():
        item = below.get("items")
        way = (*path, name, -1) if item else (*path, name)
        yield from ((way, value) for value in (item or below).get("enum", ()))
        yield from enums(item or below, way)


def said(value, path: str = "") -> Iterator[str]:
    """The fields of the schema that a manifest's value sets."""
    for each in value if isinstance(value, list) else [value]:
        for name, below in each.items() if isinstance(each, dict) else ():
            here = f"{path}.{name}".lstrip(".")
            yield here
            yield from said(below, here)


@pytest.mark.feature("C-09")
@pytest.mark.parametrize("whole", [ONE, OTHER])
def test_what_the_api_takes_is_said_in_the_file_by_the_same_keys_and_comes_out_as_it_went_in(whole):
    assert spec(**whole) == whole


@pytest.mark.feature("C-09")
def test_every_field_of_the_api_can_be_set():
    known = set(fields(SPEC))
    reached = {*said(spec(**ONE)), *said(spec(**OTHER))}

    assert known - reached == set()
    # Below them are keys of maps only: tags, signals, resources.
    maps = {path.partition(".")[0] for path in reached - known}
    assert maps <= {
        "amiSelectorTerms",
        "capacityReservationSelectorTerms",
        "kubelet",
        "securityGroupSelectorTerms",
        "subnetSelectorTerms",
        "tags",
    }


@pytest.mark.feature("C-09")
@pytest.mark.parametrize(("way", "value"), [*enums(SPEC)], ids=str)
def test_every_value_of_every_enumeration_can_be_chosen(way, value):
    settings = copy.deepcopy(ONE)
    holder = settings
    for part in way[:-1]:
        holder = holder[part]
    holder[way[-1]] = value
    if value in {"io1", "io2"}:
        holder["iops"] = 100

    assert spec(**settings) == settings


@pytest.mark.feature("C-09")
def test_an_unknown_key_is_refused_wherever_it_stands():
    assert told(kubelet={"evictionHrad": {}}) == {
        "kubelet.evictionHrad": "Extra inputs are not permitted"
    }
    assert told(volume={"kmsKeyId": "alias/nodes"}) == {
        "volume.kmsKeyId": "Extra inputs are not permitted"
    }


@pytest.mark.feature("C-09")
def test_the_python_name_of_every_field_is_its_key_in_snake_case():
    made = config(kubelet={"clusterDNS": ["10.0.0.10"]}, volume={"kmsKeyID": "alias/nodes"})

    assert made.kubelet.cluster_dns == ("10.0.0.10",)
    assert made.volume.kms_key_id == "alias/nodes"
    assert made == type(made)(
        ami_alias="al2023@v20260930",
        kubelet={"cluster_dns": ["10.0.0.10"]},
        volume={"kms_key_id": "alias/nodes"},
    )
