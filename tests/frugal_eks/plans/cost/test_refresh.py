"""`frugal-eks prices`, against AWS's answers as they were recorded."""

import json
from datetime import UTC, datetime

import boto3
import pytest
from botocore.stub import ANY, Stubber

from frugal_eks import cli
from frugal_eks.plans.cost.aws_prices import LINUX, SERVICES, AwsPrices
from frugal_eks.plans.cost.prices import _read, prices

REGION = "eu-west-3"
ASKED = ["prices", "--region", REGION, "--prices"]
USAGE = 2
PREFIX = "EUW3-"
USD = {name: round(0.01 * (at + 1), 4) for at, name in enumerate(SERVICES)}


def product(usage, usd, **attributes):
    """A product of the price list, in the shape of GetProducts (format aws_v1), shortened."""
    later = [("25", "Inf", usd / 5)] if usage == "HostedZone" else []
    dimensions = {
        f"SKU1.TERM.{n}": {
            "unit": "Hrs",
            "beginRange": begin,
            "endRange": end,
            "description": f"${price} per Hour",
            "appliesTo": [],
            "rateCode": f"SKU1.TERM.{n}",
            "pricePerUnit": {"USD": f"{price:.10f}"},
        }
        for n, (begin, end, price) in enumerate([*later, ("0", "Inf", usd)])
    }
    term = {
        "priceDimensions": dimensions,
        "sku": "SKU1",
        "effectiveDate": "2026-10-01T00:00:00Z",
        "offerTermCode": "TERM",
        "termAttributes": {},
    }
    return json.dumps(
        {
            "product": {
                "productFamily": "Some",
                "attributes": {"usagetype": usage, "regionCode": REGION, **attributes},
                "sku": "SKU1",
            },
            "serviceCode": "Some",
            "terms": {"OnDemand": {"SKU1.TERM": term}},
            "version": "20261001000000",
            "publicationDate": "2026-10-01T00:00:00Z",
        }
    )


def usage_of(name):
    """The usage type as AWS writes it."""
    plain = SERVICES[name].usage.replace("\\", "")
    return plain if SERVICES[name].everywhere else f"{PREFIX}{plain}"


def answers(name):
    """A decoy of another kind, the service, and one that costs nothing."""
    return [
        product(f"{PREFIX}Other-{SERVICES[name].usage}", 99.0),
        product(usage_of(name), 0.0),
        product(usage_of(name), USD[name]),
    ]


class Session:
    """Hands out clients that answer from a list, in its order."""

    def __init__(self):
        self.clients = {}
        self.stubs = {}
        for service in ("pricing", "ec2"):
            client = boto3.client(
                service, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
            )
            self.clients[service] = client
            self.stubs[service] = Stubber(client)
            self.stubs[service].activate()

    def client(self, service, region_name):
        assert region_name == ("us-east-1" if service == "pricing" else REGION)
        return self.clients[service]

    def service(self, name, found):
        asked = SERVICES[name]
        where = {} if asked.everywhere else {"regionCode": REGION}
        self._products(asked.code, {**where, **asked.filters}, [found])

    def instances(self, *pages):
        self._products("AmazonEC2", {"regionCode": REGION, **LINUX}, pages)

    def spot(self, *history):
        asked = {"StartTime": ANY, "ProductDescriptions": ["Linux/UNIX"]}
        rows = [
            {
                "InstanceType": name,
                "AvailabilityZone": zone,
                "SpotPrice": price,
                "ProductDescription": "Linux/UNIX",
                "Timestamp": datetime(2026, 10, 1, tzinfo=UTC),
            }
            for name, zone, price in history
        ]
        self.stubs["ec2"].add_response(
            "describe_spot_price_history", {"SpotPriceHistory": rows}, asked
        )

    def _products(self, code, filters, pages):
        given = [{"Type": "TERM_MATCH", "Field": k, "Value": v} for k, v in filters.items()]
        for at, page in enumerate(pages):
            asked = {"ServiceCode": code, "Filters": given}
            asked |= {"NextToken": f"page{at}"} if at else {}
            more = {"NextToken": f"page{at + 1}"} if at + 1 < len(pages) else {}
            self.stubs["pricing"].add_response("get_products", {"PriceList": page, **more}, asked)


def instance(name, usd, operation="RunInstances"):
    return product(f"{PREFIX}BoxUsage:{name}", usd, instanceType=name, operation=operation)


@pytest.fixture
def session():
    _read.cache_clear()
    yield Session()
    _read.cache_clear()


@pytest.fixture
def whole(session):
    """All that is asked, answered."""
    for name in SERVICES:
        session.service(name, answers(name))
    session.instances(
        [instance("m5.large", 0.112), instance("m5.large", 0.2, "RunInstances:0002")],
        [instance("c5.large", 0.101)],
    )
    session.spot(
        ("m5.large", "eu-west-3a", "0.040000"),
        ("m5.large", "eu-west-3b", "0.060000"),
        ("m5.large", "eu-west-3a", "0.990000"),  # an older price of the same zone
    )
    return session


@pytest.mark.feature("C-13")
def test_a_list_is_written_that_the_estimate_reads(whole, tmp_path, capsys):
    code = cli.main([*ASKED, str(tmp_path)], aws=AwsPrices(whole))

    told = capsys.readouterr()
    assert code == 0
    found = prices(REGION, tmp_path)
    assert {name: found.of(name) for name in SERVICES} == USD
    assert found.on_demand("m5.large") == (0.112, False)
    assert found.on_demand("c5.large") == (0.101, False)
    assert found.spot("m5.large") == (0.05, False)
    assert found.dates[0] == "2026-10-01"
    for stub in whole.stubs.values():
        stub.assert_no_pending_responses()
    assert told.out == (
        f"{REGION}: 17 services, 2 types on demand, 1 spot. Written to {tmp_path}/{REGION}.json.\n"
    )
    assert f"{REGION}: asking for natHour\n" in told.err
    assert f"{REGION}: asking for spot\n" in told.err


def test_what_aws_does_not_list_is_told_and_stays_unknown(session, tmp_path, capsys):
    for name in SERVICES:
        session.service(name, [] if name == "fargateVcpuHour" else answers(name))
    session.instances([instance("m5.large", 0.112)])
    session.spot()

    assert cli.main([*ASKED, str(tmp_path)], aws=AwsPrices(session)) == 0

    assert "AWS lists no fargateVcpuHour there" in capsys.readouterr().out
    assert '"fargateVcpuHour"' not in (tmp_path / f"{REGION}.json").read_text()


def failing(session, *, at):
    for name in list(SERVICES)[:at]:
        session.service(name, answers(name))
    session.stubs["pricing"].add_client_error("get_products", "AccessDeniedException", "no")


def test_the_list_that_is_there_stays_whole_where_aws_does_not_answer(session, tmp_path, capsys):
    failing(session, at=5)
    file = tmp_path / f"{REGION}.json"
    file.write_text("as it was")

    code = cli.main([*ASKED, str(tmp_path)], aws=AwsPrices(session))

    told = capsys.readouterr()
    assert code == USAGE
    assert told.out == ""
    assert file.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [file]
    last = told.err.splitlines()[-1]
    assert last.startswith("the price list of AmazonEC2 did not answer: ")
    assert "the rights pricing:GetProducts and ec2:DescribeSpotPriceHistory" in last


def test_a_region_that_aws_does_not_know_is_told(session, tmp_path, capsys):
    for name in SERVICES:
        session.service(name, [])
    session.instances([])

    code = cli.main([*ASKED, str(tmp_path)], aws=AwsPrices(session))

    assert code == USAGE
    assert "AWS lists no prices of such a region: give its code" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_answer_in_another_shape_is_one_sentence(session, tmp_path, capsys):
    session.service("eksHour", [json.dumps({"product": {}})])

    code = cli.main([*ASKED, str(tmp_path)], aws=AwsPrices(session))

    told = capsys.readouterr().err
    assert code == USAGE
    assert "answered in a shape that is not known (KeyError: 'attributes')" in told
    assert "Traceback" not in told


def test_a_folder_without_lists_needs_a_region(session, tmp_path, capsys):
    assert cli.main(["prices", "--prices", str(tmp_path)], aws=AwsPrices(session)) == USAGE
    assert "has no list: name a region with --region" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_sentence(whole, tmp_path, capsys):
    taken = tmp_path / "taken"
    taken.write_text("a file")

    assert cli.main([*ASKED, str(taken)], aws=AwsPrices(whole)) == USAGE
    assert f"{taken}/{REGION}.json: cannot be written: " in capsys.readouterr().err
