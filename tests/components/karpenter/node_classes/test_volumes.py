import pytest

from tests.components.karpenter.node_classes.node_class import config, spec, told

EBS = {"encrypted": True, "deleteOnTermination": True, "volumeType": "gp3"}
DEVICE = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "20Gi"}}


@pytest.mark.parametrize(
    ("image", "disks"),
    [
        ({"amiAlias": "al2@v20250101"}, {"/dev/xvda": "20Gi"}),
        ({"amiAlias": "al2023@v20260930"}, {"/dev/xvda": "20Gi"}),
        ({"amiAlias": "bottlerocket@v1.66.0"}, {"/dev/xvda": "4Gi", "/dev/xvdb": "20Gi"}),
        ({"amiAlias": "windows2019@latest", "allowLatest": True}, {"/dev/sda1": "50Gi"}),
        ({"amiAlias": "windows2022@latest", "allowLatest": True}, {"/dev/sda1": "50Gi"}),
        ({"amiAlias": "windows2025@latest", "allowLatest": True}, {"/dev/sda1": "50Gi"}),
        (
            {"amiSelectorTerms": [{"id": "ami-1"}], "amiFamily": "Bottlerocket"},
            {"/dev/xvda": "4Gi", "/dev/xvdb": "20Gi"},
        ),
    ],
)
def test_each_family_has_its_disks_all_encrypted_and_deleted_with_the_node(image, disks):
    assert spec(**image)["blockDeviceMappings"] == [
        {"deviceName": place, "ebs": EBS | {"volumeSize": size}} for place, size in disks.items()
    ]


@pytest.mark.parametrize(
    "image",
    [{"amiFamily": "Custom"}, {"amiSelectorTerms": [{"id": "ami-1"}], "amiFamily": "Custom"}],
)
def test_an_image_of_one_s_own_has_the_disks_that_it_brings(image):
    assert "blockDeviceMappings" not in spec(**image)
    assert told(**image, volume={"size": "50Gi"}) == {
        "volume": "where it lies in an image of Custom is not known: write blockDeviceMappings"
    }


def test_bottlerocket_keeps_its_system_apart_from_the_volume_that_is_asked_for():
    volume = {"size": "50Gi", "kmsKeyID": "alias/own", "iops": 4000}

    devices = spec(amiAlias="bottlerocket@v1.66.0", volume=volume)["blockDeviceMappings"]

    key = {"kmsKeyID": "alias/own"}
    assert devices == [
        {"deviceName": "/dev/xvda", "ebs": EBS | key | {"volumeSize": "4Gi"}},
        {"deviceName": "/dev/xvdb", "ebs": EBS | key | {"volumeSize": "50Gi", "iops": 4000}},
    ]


@pytest.mark.parametrize(
    "volume",
    [
        {"size": "100Gi", "iops": 4000, "throughput": 250, "type": "gp3"},
        {"size": "1Ti", "iops": 100, "type": "io2", "kmsKeyID": "alias/own"},
        {"type": "io1", "iops": 64000},
    ],
)
def test_speed_and_key_of_a_volume_are_sent_only_where_they_are_asked_for(volume):
    (device,) = spec(volume=volume)["blockDeviceMappings"]

    more = {key: volume[key] for key in ("iops", "throughput", "kmsKeyID") if key in volume}
    size = {"volumeSize": volume.get("size", "20Gi"), "volumeType": volume["type"]}
    assert device["ebs"] == EBS | size | more


def test_a_volume_in_short_and_disks_in_full_exclude_each_other():
    assert told(volume={"size": "50Gi"}, blockDeviceMappings=[DEVICE]) == {
        "volume": "blockDeviceMappings says the same in full: keep one of them"
    }


def test_what_is_absent_of_a_disk_in_full_is_written_out():
    assert spec(blockDeviceMappings=[DEVICE])["blockDeviceMappings"] == [
        {"deviceName": "/dev/xvda", "ebs": EBS | {"volumeSize": "20Gi"}}
    ]


@pytest.mark.parametrize(
    ("ebs", "written"),
    [
        ({"volumeSize": "20Gi", "encrypted": False}, {"encrypted": False}),
        ({"volumeSize": "20Gi", "deleteOnTermination": False}, {"deleteOnTermination": False}),
        ({"volumeSize": "20Gi", "volumeType": "st1"}, {"volumeType": "st1"}),
    ],
)
def test_a_disk_in_full_is_as_the_file_has_it(ebs, written):
    (device,) = spec(blockDeviceMappings=[DEVICE | {"ebs": ebs}])["blockDeviceMappings"]

    assert device["ebs"] == EBS | {"volumeSize": "20Gi"} | written


def test_whether_a_snapshot_is_encrypted_it_says_itself():
    ebs = {"snapshotID": "snap-1", "volumeInitializationRate": 100}

    (device,) = spec(blockDeviceMappings=[DEVICE | {"ebs": ebs}])["blockDeviceMappings"]

    assert device["ebs"] == ebs | {"deleteOnTermination": True, "volumeType": "gp3"}


@pytest.mark.parametrize(
    ("speed", "place", "problem"),
    [
        (
            {"throughput": 250, "iops": 4000},
            "throughput",
            "needs {} gp3, not {}: drop one of them",
        ),
        ({}, "iops", "{1} has no speed of its own: add it, from 100 on"),
    ],
)
@pytest.mark.parametrize("kind", ["io1", "io2"])
def test_a_fast_volume_says_how_fast_it_is(kind, speed, place, problem):
    full = DEVICE | {"ebs": {"volumeSize": "20Gi", "volumeType": kind} | speed}

    assert told(volume={"type": kind} | speed) == {f"volume.{place}": problem.format("type", kind)}
    assert told(blockDeviceMappings=[full]) == {
        f"blockDeviceMappings.0.ebs.{place}": problem.format("volumeType", kind)
    }


@pytest.mark.parametrize(
    ("settings", "place", "problem"),
    [
        ({"iops": 2999}, "iops", "gp3 has 3000 at least: raise it or drop it"),
        ({"iops": 99}, "iops", "Input should be greater than or equal to 100"),
        ({"iops": 64001}, "iops", "Input should be less than or equal to 64000"),
        ({"throughput": 124}, "throughput", "Input should be greater than or equal to 125"),
        # The API server takes it, and EC2 does not.
        ({"throughput": 5000}, "throughput", "Input should be less than or equal to 1000"),
        ({"kmsKeyID": ""}, "kmsKeyID", "String should have at least 1 character"),
    ],
)
def test_speed_and_key_have_their_bounds(settings, place, problem):
    full = DEVICE | {"ebs": {"volumeSize": "20Gi"} | settings}

    assert told(volume=settings) == {f"volume.{place}": problem}
    assert told(blockDeviceMappings=[full]) == {f"blockDeviceMappings.0.ebs.{place}": problem}


@pytest.mark.parametrize("size", ["20", 20, "20GiB", "20Mi", "0x14Gi", "Ti", "T", "", "1.5Gi"])
def test_a_volume_has_a_size_with_its_unit(size):
    full = DEVICE | {"ebs": {"volumeSize": size}}

    assert [*told(volume={"size": size})] == ["volume.size"]
    assert [*told(blockDeviceMappings=[full])] == ["blockDeviceMappings.0.ebs.volumeSize"]


@pytest.mark.parametrize(("unit", "most"), [("Gi", 59000), ("G", 64000), ("Ti", 58), ("T", 64)])
def test_a_size_is_what_the_api_takes(unit, most):
    problem = f"is no size that the API takes: 1{unit} to {most}{unit}"

    for number in (1, most):
        (device,) = spec(volume={"size": f"{number}{unit}"})["blockDeviceMappings"]
        assert device["ebs"]["volumeSize"] == f"{number}{unit}"
    for number in ("0", most + 1, "01"):
        assert told(volume={"size": f"{number}{unit}"}) == {"volume.size": problem}


@pytest.mark.parametrize(
    ("ebs", "place", "problem"),
    [
        ({}, "volumeSize", "give volumeSize, for example 20Gi, or snapshotID"),
        (
            {"volumeSize": "20Gi", "volumeInitializationRate": 100},
            "volumeInitializationRate",
            "is of a volume from a snapshot: add snapshotID, or drop it",
        ),
        (
            {"volumeSize": "20Gi", "encrypted": False, "kmsKeyID": "alias/own"},
            "kmsKeyID",
            "needs encrypted: true: drop one of them",
        ),
        (
            {"volumeSize": "200Gi", "volumeType": "st1", "iops": 3000},
            "iops",
            "the size of st1 decides on them: drop it, or take gp3",
        ),
    ],
)
def test_what_ec2_would_refuse_of_a_disk_in_full_is_told(ebs, place, problem):
    assert told(blockDeviceMappings=[DEVICE | {"ebs": ebs}]) == {
        f"blockDeviceMappings.0.ebs.{place}": problem
    }


@pytest.mark.parametrize("missing", ["deviceName", "ebs"])
def test_an_empty_disk_is_refused_at_which_karpenter_itself_would_end(missing):
    device = {key: value for key, value in DEVICE.items() if key != missing}

    assert told(blockDeviceMappings=[DEVICE, device]) == {
        f"blockDeviceMappings.1.{missing}": "Field required"
    }


def test_each_disk_has_its_place_and_one_of_them_is_the_root():
    second = {"deviceName": "/dev/xvdb", "ebs": {"volumeSize": "1Gi"}, "rootVolume": True}

    assert told(blockDeviceMappings=[DEVICE, DEVICE]) == {
        "blockDeviceMappings[1].deviceName": "is the place of blockDeviceMappings[0]: give it "
        "another"
    }
    assert told(blockDeviceMappings=[DEVICE | {"rootVolume": True}, second]) == {
        "blockDeviceMappings[1].rootVolume": "blockDeviceMappings[0] is the one: drop it"
    }
    assert spec(blockDeviceMappings=[DEVICE, second])["blockDeviceMappings"][1]["rootVolume"]


def test_there_is_an_end_to_the_number_of_disks():
    disks = [DEVICE | {"deviceName": f"/dev/{number}"} for number in range(51)]

    assert len(config(blockDeviceMappings=disks[:50]).block_device_mappings) == len(disks) - 1
    assert [*told(blockDeviceMappings=disks)] == ["blockDeviceMappings"]
    assert [*told(blockDeviceMappings=[])] == ["blockDeviceMappings"]
