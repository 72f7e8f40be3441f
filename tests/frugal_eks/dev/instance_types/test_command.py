import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs

import boto3
import pytest

from components.ec2 import instance_offerings, instance_types
from components.ec2.instance_offerings import KnownOfferings, LaunchFacts, Region, known_offerings
from components.ec2.instance_types import KnownTypes, TypeFacts, known_types
from frugal_eks.dev.instance_types.__main__ import REGIONS, main
from frugal_eks.dev.instance_types.ec2 import Ec2, Ec2Error, facts, launch_facts
from frugal_eks.dev.instance_types.lists import (
    Fetched,
    Lists,
    difference,
    offerings_text,
    refreshed,
    types_text,
)

M5, M7G, M4 = TypeFacts(2, 8192, "x86_64"), TypeFacts(2, 8192, "arm64"), TypeFacts(2, 4096, "i386")
OFFERED = {"eu-west-1": {"m5.large": M5, "m7g.large": M7G, "m4.large": M4}}
ELSEWHERE = {"m5.large": M5}
# Of each region the zones of each type; the last is no zone of the region's own.
ZONES = {
    "eu-west-1": {"m5.large": ("euw1-az2", "euw1-az1"), "m7g.large": ("euw1-az3",)},
    "us-east-1": {"m5.large": ("use1-az6", "use1-bos1-az1")},
    "us-west-2": {"m5.large": ("usw2-az1",)},
}
BOTH = LaunchFacts("on-demand spot")
NOTHING = KnownOfferings("", {}, {}, {})
EMPTY = Lists(KnownTypes("", "", {}), NOTHING)
INTERRUPTED, USAGE = 130, 2
RIGHTS = "the rights ec2:DescribeInstanceTypes and ec2:DescribeInstanceTypeOfferings"
# As EC2 itself would have it on a page.
TYPE = (
    "<item><instanceType>{}</instanceType><vCpuInfo><defaultVCpus>{}</defaultVCpus></vCpuInfo>"
    "<memoryInfo><sizeInMiB>{}</sizeInMiB></memoryInfo><processorInfo><supportedArchitectures>"
    "<item>{}</item></supportedArchitectures></processorInfo><supportedUsageClasses><item>spot"
    "</item><item>on-demand</item></supportedUsageClasses><supportedVirtualizationTypes><item>hvm"
    "</item></supportedVirtualizationTypes></item>"
)
OFFERING = "<item><instanceType>{}</instanceType><location>{}</location></item>"
ANSWERS = {
    "DescribeInstanceTypes": lambda region: (
        "instanceTypeSet",
        [TYPE.format(name, *each) for name, each in OFFERED.get(region, ELSEWHERE).items()],
    ),
    "DescribeInstanceTypeOfferings": lambda region: (
        "instanceTypeOfferingSet",
        [OFFERING.format(name, zone) for name, ids in ZONES[region].items() for zone in ids],
    ),
    "DescribeRegions": lambda _: (
        "regionInfo",
        [f"<item><regionName>{name}</regionName></item>" for name in sorted(ZONES, reverse=True)],
    ),
}


class PlayedEc2(BaseHTTPRequestHandler):
    """What the command asks, one thing a page, and in each region other things."""

    asked: ClassVar[list[dict[str, list[str]]]] = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        query = parse_qs(body)
        self.asked.append(query)
        region = re.search(r"Credential=[^/]+/\d+/([^/]+)/", self.headers["Authorization"])[1]
        action = query["Action"][0]
        name, items = ANSWERS[action](region)
        size = len(items) if action == "DescribeRegions" else 1
        page = int(query.get("NextToken", ["0"])[0])
        token = f"<nextToken>{page + size}</nextToken>" if page + size < len(items) else ""
        answer = (
            f'<{action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
            f"<{name}>{''.join(items[page : page + size])}</{name}>{token}</{action}Response>"
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        """Says nothing."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """Where the played EC2 listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), PlayedEc2)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def ec2(monkeypatch, endpoint, nobody):  # noqa: ARG001 (nobody's own files are out of the way)
    """Somebody is logged in there."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    PlayedEc2.asked.clear()


@pytest.fixture
def nobody(monkeypatch, tmp_path):
    """A machine on which nobody is logged in."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


@pytest.fixture
def listed(tmp_path):
    """Lists of before."""
    before = {"m5.large": M5, "m4.large": M5, "z9.elsewhere": M7G}
    launch = {"m5.large": BOTH, "z9.elsewhere": LaunchFacts("on-demand")}
    zones = {"m5.large": "euw1:123 use1:46", "z9.elsewhere": "euw1:1 mars1:1"}
    regions = {"mars-1": Region("mars1", "2026-01-01"), "eu-west-1": Region("euw1", "2026-01-01")}
    write(
        tmp_path,
        Lists(
            KnownTypes("somewhere", "2026-01-01", before),
            KnownOfferings("somewhere", regions, launch, zones),
        ),
    )
    return tmp_path


def files(folder):
    """Of both lists in a folder."""
    return folder / instance_types.FILE.name, folder / instance_offerings.FILE.name


def write(folder, lists):
    """Both lists as the command writes them."""
    types, offerings = files(folder)
    types.write_text(types_text(lists.types))
    offerings.write_text(offerings_text(lists.offerings))


def written(folder):
    """Both lists of a folder."""
    types, offerings = files(folder)
    return Lists(
        instance_types.read(types.read_text()), instance_offerings.read(offerings.read_text())
    )


def texts(folder):
    """Both as they stand."""
    return [file.read_text() for file in files(folder)]


def run(*arguments, folder):
    """The command on lists of the test's own."""
    return main([*arguments, "--folder", str(folder)])


@pytest.mark.usefixtures("ec2")
def test_all_pages_of_types_are_fetched_and_each_is_told():
    pages = []
    fetched = Ec2().types_of("eu-west-1", pages.append)

    assert {name: facts(each) for name, each in fetched.items()} == OFFERED["eu-west-1"]
    assert pages == [1, 1, 1]
    assert [query["MaxResults"] for query in PlayedEc2.asked] == [["100"]] * 3
    assert {query["Action"][0] for query in PlayedEc2.asked} == {"DescribeInstanceTypes"}


@pytest.mark.usefixtures("ec2")
def test_all_pages_of_zones_are_fetched_by_id():
    assert Ec2().zones_of("eu-west-1") == {
        "m5.large": {"euw1-az1", "euw1-az2"},
        "m7g.large": {"euw1-az3"},
    }

    assert [query["MaxResults"] for query in PlayedEc2.asked] == [["1000"]] * 3
    assert {query["LocationType"][0] for query in PlayedEc2.asked} == {"availability-zone-id"}


@pytest.mark.usefixtures("ec2")
def test_the_regions_are_those_of_the_account():
    assert Ec2().regions_of("us-east-1") == ["eu-west-1", "us-east-1", "us-west-2"]


@pytest.mark.parametrize(
    ("architectures", "kept"),
    [
        (["i386", "x86_64"], "x86_64"),
        (["x86_64"], "x86_64"),
        (["arm64"], "arm64"),
        (["arm64_mac"], "arm64_mac"),
    ],
)
def test_of_several_architectures_the_one_of_nodes_is_kept(architectures, kept):
    assert facts(described(architectures=architectures)) == TypeFacts(2, 8192, kept)


def described(*, architectures=("x86_64",), virtual=("hvm",), **more):
    """A type as EC2 tells it, at its barest."""
    return {
        "InstanceType": "x.large",
        "ProcessorInfo": {"SupportedArchitectures": list(architectures)},
        "VCpuInfo": {"DefaultVCpus": 2},
        "MemoryInfo": {"SizeInMiB": 8192},
        "SupportedUsageClasses": ["spot", "capacity-block", "on-demand"],
        "SupportedVirtualizationTypes": list(virtual),
    } | more


@pytest.mark.parametrize(
    "never", [{"architectures": ["arm64_mac"]}, {"architectures": ["i386"]}, {"virtual": ["pv"]}]
)
def test_of_what_karpenter_never_launches_nothing_is_kept(never):
    assert launch_facts(described(**never)) is None


def cards(*speeds, told="Up to 25 Gigabit"):
    """What EC2 says of a type's network cards."""
    each = [{"BaselineBandwidthInGbps": speed} if speed else {} for speed in speeds]
    return {"NetworkInfo": {"NetworkCards": each, "NetworkPerformance": told}}


def ebs(support):
    """What EC2 says of a type's disks elsewhere."""
    return {
        "EbsInfo": {
            "EbsOptimizedSupport": support,
            "EbsOptimizedInfo": {"MaximumBandwidthInMbps": 4750},
        }
    }


def disks(support):
    """What EC2 says of a type's own disks."""
    return {"InstanceStorageInfo": {"NvmeSupport": support, "TotalSizeInGB": 900}}


def gpus(count):
    """What EC2 says of a type with so many kinds of them."""
    each = {"Name": "Radeon Pro V520", "Manufacturer": "AMD", "Count": 4}
    return {"GpuInfo": {"Gpus": [each | {"MemoryInfo": {"SizeInMiB": 8192}}] * count}}


INFERENTIA = {"Name": "Inferentia", "Manufacturer": "AWS", "Count": 1}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, {}),
        ({"SupportedUsageClasses": ["on-demand"]}, {"capacity_types": "on-demand"}),
        ({"SupportedUsageClasses": ["capacity-block"]}, {"capacity_types": ""}),
        ({"Hypervisor": "nitro"}, {"hypervisor": "nitro"}),
        (ebs("default"), {"ebs_mbps": 4750}),
        (ebs("supported"), {}),
        (disks("required"), {"nvme_gb": 900}),
        (disks("unsupported"), {}),
        (cards(5.0), {"network_mbps": 5000}),
        (cards(100.0, 100.0), {"network_mbps": 200_000}),
        (cards(0.064, told="Low to Moderate"), {}),
        (cards(None), {}),
        (gpus(1), {"gpu": "radeon-pro-v520 amd 4 8192"}),
        (gpus(2), {}),
        (
            {"InferenceAcceleratorInfo": {"Accelerators": [{**INFERENTIA, "Manufacturer": "Who"}]}},
            {"accelerator": "inferentia who 1"},
        ),
        (
            {
                "NeuronInfo": {"NeuronDevices": [{"Name": "Inferentia 2", "Count": 6}]},
                "InferenceAcceleratorInfo": {"Accelerators": [INFERENTIA]},
            },
            {"accelerator": "inferentia-2 aws 6"},
        ),
    ],
)
def test_what_karpenter_compares_is_kept_as_its_labels_have_it(more, told):
    assert launch_facts(described(**more)) == BOTH._replace(**told)


def test_the_processor_is_kept_as_its_labels_have_it():
    processor = {
        "SupportedArchitectures": ["x86_64"],
        "Manufacturer": "Intel",
        "SustainedClockSpeedInGhz": 3.1,
    }

    found = launch_facts(described(ProcessorInfo=processor))

    assert (found.manufacturer, found.clock_mhz) == ("intel", 3100)


def test_the_lists_that_ship_are_written_as_the_command_writes_them():
    ships = Lists(known_types(), known_offerings())

    assert types_text(ships.types) == instance_types.FILE.read_text()
    assert offerings_text(ships.offerings) == instance_offerings.FILE.read_text()
    assert written(instance_types.FILE.parent) == ships


def test_a_list_is_one_line_a_type_in_order_whatever_came_first():
    known = KnownTypes('a "list"', "2026-11-21", {"m7g.large": M7G, "m5.large": M5})

    assert types_text(known).splitlines() == [
        "{",
        '"origin":"a \\"list\\"",',
        '"date":"2026-11-21",',
        '"types":{',
        '"m5.large":[2,8192,"x86_64"],',
        '"m7g.large":[2,8192,"arm64"]',
        "}}",
    ]


def test_offerings_are_one_line_a_region_and_a_type_without_what_is_absent_at_the_end():
    known = KnownOfferings(
        "a play",
        {"us-east-1": Region("use1", "2026-11-21"), "eu-west-1": Region("euw1", "2026-11-20")},
        {"m7g.large": BOTH, "i3.large": BOTH._replace(hypervisor="xen", nvme_gb=475)},
        {"m7g.large": "euw1:3", "i3.large": ""},
    )

    assert offerings_text(known).splitlines() == [
        "{",
        '"origin":"a play",',
        '"regions":{',
        '"eu-west-1":["euw1","2026-11-20"],',
        '"us-east-1":["use1","2026-11-21"]',
        "},",
        '"types":{',
        '"i3.large":["","on-demand spot","",0,"xen",false,null,null,475],',
        '"m7g.large":["euw1:3","on-demand spot"]',
        "}}",
    ]
    assert instance_offerings.read(offerings_text(known)) == known


@pytest.mark.usefixtures("ec2")
def test_a_refresh_adds_and_corrects_and_keeps_what_these_regions_do_not_offer(listed, capsys):
    assert run("--region", "eu-west-1", "--region", "eu-west-1", folder=listed) == 0

    now = written(listed)
    assert now.types.types == OFFERED["eu-west-1"] | {"z9.elsewhere": M7G}
    assert now.types.origin == now.offerings.origin == "EC2 DescribeInstanceTypes in eu-west-1"
    assert now.types.date > "2026-01-01"
    # m4.large is of i386 alone, which Karpenter never launches.
    assert now.offerings.types == {
        "m5.large": BOTH,
        "m7g.large": BOTH,
        "z9.elsewhere": LaunchFacts("on-demand"),
    }
    assert now.offerings.zones == {
        "m5.large": "euw1:12 use1:46",
        "m7g.large": "euw1:3",
        "z9.elsewhere": "mars1:1",
    }
    assert now.offerings.regions == {
        "eu-west-1": Region("euw1", now.types.date),
        "mars-1": Region("mars1", "2026-01-01"),
    }
    said = capsys.readouterr()
    assert said.out == (
        "1 new: m7g.large. 1 with other values: m4.large. 3 in other zones of eu-west-1: m5.large, "
        "m7g.large, z9.elsewhere. Written to instance-types.json and instance-offerings.json.\n"
    )
    assert said.err == ""


@pytest.mark.usefixtures("ec2")
def test_without_a_region_the_two_that_have_most_are_asked(tmp_path):
    assert run(folder=tmp_path) == 0

    now = written(tmp_path)
    assert now.types.origin == f"EC2 DescribeInstanceTypes in {', '.join(REGIONS)}"
    assert now.types.types == ELSEWHERE
    # Without the zone that is not the region's own.
    assert now.offerings.zones == {"m5.large": "use1:6 usw2:1"}


@pytest.mark.usefixtures("ec2")
def test_the_types_of_all_regions_come_together_and_a_played_origin_can_be_told(tmp_path):
    assert run("--all-regions", "--origin", "a play", folder=tmp_path) == 0

    now = written(tmp_path)
    assert (now.types.origin, now.types.types) == ("a play", OFFERED["eu-west-1"])
    assert now.offerings.origin == "a play"
    assert [*now.offerings.regions] == ["eu-west-1", "us-east-1", "us-west-2"]


def test_a_region_that_offers_nothing_is_none_that_was_asked():
    fetched = Fetched({}, {}, {"mx-central-1": {}})

    assert refreshed(EMPTY, fetched, "", "").offerings == NOTHING


@pytest.mark.usefixtures("ec2")
def test_a_check_that_finds_nothing_writes_nothing(tmp_path, capsys):
    offerings = KnownOfferings(
        "", {"us-east-1": Region("use1", "")}, {"m5.large": BOTH}, {"m5.large": "use1:6"}
    )
    write(tmp_path, Lists(KnownTypes("", "", {"m5.large": M5}), offerings))
    before = texts(tmp_path)

    assert run("--check", "--region", "us-east-1", folder=tmp_path) == 0

    assert texts(tmp_path) == before
    assert capsys.readouterr().out == "All 1 types of EC2 are in the lists as they are.\n"


@pytest.mark.usefixtures("ec2")
def test_a_check_tells_what_is_missing_and_fails(listed, capsys):
    before = texts(listed)

    assert run("--check", "--region", "us-east-1", folder=listed) == 1

    assert texts(listed) == before
    said = capsys.readouterr().out
    assert said == "1 for the first time in us-east-1: m5.large.\n"


def test_what_karpenter_compares_counts_as_a_value():
    offerings = KnownOfferings("", {}, {"m5.large": BOTH}, {"m5.large": ""})
    before = Lists(KnownTypes("", "", {"m5.large": M5}), offerings)
    dearer = BOTH._replace(capacity_types="on-demand")

    assert difference(before, Fetched({"m5.large": M5}, {"m5.large": BOTH}, {})) is None
    assert difference(before, Fetched({"m5.large": M5}, {"m5.large": dearer}, {})) == (
        "1 with other values: m5.large."
    )


def test_many_differences_are_counted():
    new = {f"m{n}.large": M5 for n in range(1, 10)}

    assert difference(EMPTY, Fetched(new, {}, {})) == (
        "9 new: m1.large, m2.large, m3.large, m4.large, m5.large, m6.large, m7.large, m8.large, …."
    )


@pytest.mark.usefixtures("nobody")
def test_without_credentials_it_says_how_to_log_in_and_changes_nothing(listed, capsys):
    before = texts(listed)

    assert run("--region", "eu-west-1", folder=listed) == 1

    assert texts(listed) == before
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "EC2 in eu-west-1 was not asked, for there are no credentials: log in (`aws sso login`) or "
        f"name a profile in AWS_PROFILE, as somebody who has {RIGHTS}. Nothing was changed.\n"
    )


@pytest.mark.usefixtures("ec2")
def test_an_answer_that_is_an_error_is_told_with_what_it_takes(monkeypatch):
    # Nothing listens there.
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")

    with pytest.raises(Ec2Error) as refused:
        Ec2().types_of("eu-west-1", print)

    assert str(refused.value).startswith("EC2 in eu-west-1 did not answer: Could not connect")
    assert str(refused.value).endswith(
        f". It takes credentials of that partition with {RIGHTS}, and a region that exists"
    )


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    "broken", ["", "[]", '{"types": {}}', '{"origin": "", "regions": {}, "types": {"a": 1}}']
)
def test_a_list_that_cannot_be_read_is_not_written_over(broken, which, listed, capsys):
    file = files(listed)[which]
    file.write_text(broken)

    assert run(folder=listed) == 1

    assert file.read_text() == broken
    said = capsys.readouterr().err
    assert said.startswith(f"{file} is not the list that this command writes (")
    assert said.endswith("): delete it, or restore it from version control. Nothing was changed.\n")


@pytest.mark.usefixtures("ec2")
def test_ctrl_c_changes_nothing(listed, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    before = texts(listed)
    monkeypatch.setattr(boto3.Session, "client", interrupt)

    assert run(folder=listed) == INTERRUPTED

    assert texts(listed) == before
    assert capsys.readouterr().err == "Interrupted. Nothing was changed.\n"


def test_help_tells_what_it_does(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    helped = capsys.readouterr().out
    usage = (
        "usage: python -m frugal_eks.dev.instance_types [-h] [--region R | --all-regions] [--check]"
    )
    assert " ".join(helped.split()).startswith(usage)
    for told in (
        "components/ec2/instance-types.json",
        "ec2:DescribeInstanceTypes",
        "us-east-1",
        RIGHTS,
    ):
        assert told in helped


def test_a_wrong_option_is_refused():
    with pytest.raises(SystemExit) as refused:
        main(["--regoin", "eu-west-1"])

    assert refused.value.code == USAGE
