import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs

import boto3
import pytest

from components.instance_types import FILE, KnownTypes, TypeFacts, known_types, read
from instance_types.__main__ import REGIONS, difference, main, text
from instance_types.ec2 import Ec2Error, facts, types_of

M5, M7G, M4 = TypeFacts(2, 8192, "x86_64"), TypeFacts(2, 8192, "arm64"), TypeFacts(2, 4096, "i386")
OFFERED = {"eu-west-1": {"m5.large": M5, "m7g.large": M7G, "m4.large": M4}}
ELSEWHERE = {"m5.large": M5}
INTERRUPTED, USAGE = 130, 2
# As EC2 itself would have it on a page.
ITEM = (
    "<item><instanceType>{}</instanceType><vCpuInfo><defaultVCpus>{}</defaultVCpus></vCpuInfo>"
    "<memoryInfo><sizeInMiB>{}</sizeInMiB></memoryInfo><processorInfo><supportedArchitectures>"
    "<item>{}</item></supportedArchitectures></processorInfo></item>"
)


class PlayedEc2(BaseHTTPRequestHandler):
    """DescribeInstanceTypes with one type a page, and in each region other types."""

    asked: ClassVar[list[dict[str, list[str]]]] = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        query = parse_qs(body)
        self.asked.append(query)
        region = re.search(r"Credential=[^/]+/\d+/([^/]+)/", self.headers["Authorization"])[1]
        types = list(OFFERED.get(region, ELSEWHERE).items())
        page = int(query.get("NextToken", ["0"])[0])
        name, type_facts = types[page]
        token = f"<nextToken>{page + 1}</nextToken>" if page + 1 < len(types) else ""
        item = ITEM.format(name, *type_facts)
        answer = (
            '<DescribeInstanceTypesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
            f"<instanceTypeSet>{item}</instanceTypeSet>{token}</DescribeInstanceTypesResponse>"
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
    """A list of before, and how to read it again."""
    file = tmp_path / "list.json"
    before = {"m5.large": M5, "m4.large": M5, "z9.elsewhere": M7G}
    file.write_text(text(KnownTypes("somewhere", "2026-01-01", before)))
    return file


def run(*arguments, file):
    """The command on a list of the test's own."""
    return main([*arguments, "--file", str(file)])


@pytest.mark.usefixtures("ec2")
def test_all_pages_are_fetched_and_each_is_told():
    pages = []
    fetched = types_of("eu-west-1", pages.append)

    assert fetched == OFFERED["eu-west-1"]
    assert pages == [1, 1, 1]
    assert [query["MaxResults"] for query in PlayedEc2.asked] == [["100"]] * 3
    assert {query["Action"][0] for query in PlayedEc2.asked} == {"DescribeInstanceTypes"}


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
    described = {
        "InstanceType": "x.large",
        "ProcessorInfo": {"SupportedArchitectures": architectures},
        "VCpuInfo": {"DefaultVCpus": 2},
        "MemoryInfo": {"SizeInMiB": 8192},
    }

    assert facts(described) == ("x.large", TypeFacts(2, 8192, kept))


def test_the_list_that_ships_is_written_as_the_command_writes_it():
    known = known_types()

    assert text(known) == FILE.read_text()
    assert read(text(known)) == known


def test_a_list_is_one_line_a_type_in_order_whatever_came_first():
    known = KnownTypes('a "list"', "2026-11-21", {"m7g.large": M7G, "m5.large": M5})

    assert text(known).splitlines() == [
        "{",
        '"origin":"a \\"list\\"",',
        '"date":"2026-11-21",',
        '"types":{',
        '"m5.large":[2,8192,"x86_64"],',
        '"m7g.large":[2,8192,"arm64"]',
        "}}",
    ]


@pytest.mark.usefixtures("ec2")
def test_a_refresh_adds_and_corrects_and_keeps_what_these_regions_do_not_offer(listed, capsys):
    assert run("--region", "eu-west-1", "--region", "eu-west-1", file=listed) == 0

    now = read(listed.read_text())
    assert now.types == OFFERED["eu-west-1"] | {"z9.elsewhere": M7G}
    assert now.origin == "EC2 DescribeInstanceTypes in eu-west-1"
    assert now.date > "2026-01-01"
    said = capsys.readouterr()
    assert said.out == "1 new: m7g.large. 1 with other values: m4.large. Written to list.json.\n"
    assert said.err == ""


@pytest.mark.usefixtures("ec2")
def test_without_a_region_the_two_that_have_most_are_asked(tmp_path):
    fresh = tmp_path / "list.json"

    assert run(file=fresh) == 0

    now = read(fresh.read_text())
    assert now.origin == f"EC2 DescribeInstanceTypes in {', '.join(REGIONS)}"
    assert now.types == ELSEWHERE


@pytest.mark.usefixtures("ec2")
def test_the_types_of_all_regions_come_together_and_a_played_origin_can_be_told(tmp_path):
    fresh = tmp_path / "list.json"

    regions = ("--region", "eu-west-1", "--region", "us-east-1")
    assert run(*regions, "--origin", "a play", file=fresh) == 0

    now = read(fresh.read_text())
    assert (now.origin, now.types) == ("a play", OFFERED["eu-west-1"])


@pytest.mark.usefixtures("ec2")
def test_a_check_that_finds_nothing_writes_nothing(listed, capsys):
    before = listed.read_text()

    assert run("--check", "--region", "us-east-1", file=listed) == 0

    assert listed.read_text() == before
    assert capsys.readouterr().out == "All 1 types of EC2 are in the list as they are.\n"


@pytest.mark.usefixtures("ec2")
def test_a_check_tells_what_is_missing_and_fails(listed, capsys):
    before = listed.read_text()

    assert run("--check", "--region", "eu-west-1", file=listed) == 1

    assert listed.read_text() == before
    said = capsys.readouterr().out
    assert said == "1 new: m7g.large. 1 with other values: m4.large.\n"


def test_many_differences_are_counted():
    new = {f"m{n}.large": M5 for n in range(1, 10)}

    assert difference({}, new) == (
        "9 new: m1.large, m2.large, m3.large, m4.large, m5.large, m6.large, m7.large, m8.large, …."
    )


@pytest.mark.usefixtures("nobody")
def test_without_credentials_it_says_how_to_log_in_and_changes_nothing(listed, capsys):
    before = listed.read_text()

    assert run("--region", "eu-west-1", file=listed) == 1

    assert listed.read_text() == before
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "EC2 in eu-west-1 was not asked, for there are no credentials: log in (`aws sso login`) or "
        "name a profile in AWS_PROFILE, as somebody who may ec2:DescribeInstanceTypes. Nothing was "
        "changed.\n"
    )


@pytest.mark.usefixtures("ec2")
def test_an_answer_that_is_an_error_is_told_with_what_it_takes(monkeypatch):
    # Nothing listens there.
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")

    with pytest.raises(Ec2Error) as refused:
        types_of("eu-west-1", print)

    assert str(refused.value).startswith("EC2 in eu-west-1 did not answer: Could not connect")
    assert str(refused.value).endswith(
        ". It takes credentials of that partition with the right ec2:DescribeInstanceTypes, and a "
        "region that exists"
    )


@pytest.mark.parametrize("broken", ["", "[]", '{"types": {}}', '{"types": {"a": 1}}'])
def test_a_list_that_cannot_be_read_is_not_written_over(broken, listed, capsys):
    listed.write_text(broken)

    assert run(file=listed) == 1

    assert listed.read_text() == broken
    said = capsys.readouterr().err
    assert said.startswith(f"{listed} is not the list that this command writes (")
    assert said.endswith("): delete it, or restore it from version control. Nothing was changed.\n")


@pytest.mark.usefixtures("ec2")
def test_ctrl_c_changes_nothing(listed, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    before = listed.read_text()
    monkeypatch.setattr(boto3.Session, "client", interrupt)

    assert run(file=listed) == INTERRUPTED

    assert listed.read_text() == before
    assert capsys.readouterr().err == "Interrupted. Nothing was changed.\n"


def test_help_tells_what_it_does(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    helped = capsys.readouterr().out
    assert helped.startswith("usage: python -m instance_types [-h] [--region R] [--check]")
    for told in ("components/instance-types.json", "ec2:DescribeInstanceTypes", "us-east-1"):
        assert told in helped


def test_a_wrong_option_is_refused():
    with pytest.raises(SystemExit) as refused:
        main(["--regoin", "eu-west-1"])

    assert refused.value.code == USAGE
