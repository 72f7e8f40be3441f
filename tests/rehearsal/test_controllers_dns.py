"""When ExternalDNS runs as it is played, and what it changes."""

import pytest
from lightkube.models import networking_v1

from rehearsal.controllers import dns_records
from rehearsal.controllers.arguments import Arguments, ArgumentsError
from rehearsal.controllers.dns_names import Settings, Wish, wishes
from rehearsal.controllers.external_dns import Schedule
from tests.rehearsal.test_controllers import HOST, ingress, service

OTHER_HOST = "k8s-apps-web-2.eu-west-1.elb.amazonaws.com"
DNS = "external-dns.alpha.kubernetes.io/"


def dns(*more, policy="sync", owner="dev"):
    words = ["--source=service", "--source=ingress", f"--policy={policy}"]
    return Settings.read(Arguments([*words, f"--txt-owner-id={owner}", *more]))


def names(things, settings):
    return [(one.name, one.resource) for one in wishes(things, settings)]


def test_services_and_ingresses_with_an_address_get_their_names():
    things = [
        service({f"{DNS}hostname": "web.example.org., www.example.org"}, hostname=HOST),
        service({f"{DNS}hostname": "early.example.org"}),
        service({f"{DNS}hostname": "inner.example.org"}, "ClusterIP", hostname=HOST),
        ingress(
            {f"{DNS}hostname": "page.example.org"},
            hostname=HOST,
            rules=[networking_v1.IngressRule(host="rule.example.org")],
        ),
    ]

    assert names(things, dns()) == [
        ("page.example.org", "ingress/apps/page"),
        ("rule.example.org", "ingress/apps/page"),
        ("web.example.org", "service/apps/web"),
        ("www.example.org", "service/apps/web"),
    ]


def test_another_prefix_reads_other_annotations():
    annotations = {f"{DNS}hostname": "old.example.org", "other/hostname": "new.example.org"}
    asked = service(annotations, hostname=HOST)

    assert names([asked], dns()) == [("old.example.org", "service/apps/web")]
    assert names([asked], dns("--annotation-prefix=other/")) == [
        ("new.example.org", "service/apps/web")
    ]


def test_filters_leave_names_alone():
    thing = service(
        {f"{DNS}hostname": "a.example.org,b.sub.example.org,c.example.net"}, hostname=HOST
    )

    assert [one[0] for one in names([thing], dns("--domain-filter=example.org"))] == [
        "a.example.org",
        "b.sub.example.org",
    ]
    excluding = dns("--domain-filter=example.org", "--exclude-domains=sub.example.org")
    assert [one[0] for one in names([thing], excluding)] == ["a.example.org"]


@pytest.mark.parametrize(
    "word", ["--registry=noop", "--provider=google", "--txt-prefix=x", "--source=node"]
)
def test_what_is_not_played_of_external_dns_is_told(word):
    with pytest.raises(ArgumentsError, match=f"{word.partition('=')[0]}.* is not played"):
        dns(word)


def zone(name, identity="Z1", private=False):
    return {"Id": f"/hostedzone/{identity}", "Name": name, "Config": {"PrivateZone": private}}


def test_a_name_goes_into_the_zone_that_fits_it_best():
    zones = [zone("example.org.", "Z1"), zone("sub.example.org.", "Z2"), zone("ample.org.", "Z3")]

    def chosen(name):
        return [one["Id"] for one in dns_records.zones_for(name, zones)]

    assert chosen("a.sub.example.org") == ["/hostedzone/Z2"]
    assert chosen("example.org") == ["/hostedzone/Z1"]
    assert chosen("example.net") == []


def test_zones_are_chosen_by_id_type_and_domain():
    ours = zone("example.org.")

    assert dns_records.is_covered(ours, dns("--zone-id-filter=Z1", "--domain-filter=example.org"))
    assert not dns_records.is_covered(ours, dns("--zone-id-filter=Z2"))
    assert not dns_records.is_covered(ours, dns("--aws-zone-type=private"))
    assert not dns_records.is_covered(
        zone("example.org.", private=True), dns("--aws-zone-type=public")
    )
    assert not dns_records.is_covered(ours, dns("--domain-filter=example.net"))
    assert dns_records.is_covered(ours, dns("--domain-filter=apps.example.org"))


WEB = Wish(name="web.example.org", target=HOST, resource="service/apps/web")
MOVED = Wish(name="web.example.org", target=OTHER_HOST, resource="service/apps/web")


def stored(settings, wish=WEB):
    """The records as Route 53 lists them: with a dot at the end."""
    made = dns_records.desired_records(wish, settings)
    return [{**one, "Name": f"{one['Name']}."} for one in made]


def brief(made):
    found = [(one["Action"], one["ResourceRecordSet"]) for one in made]
    return [(action, record["Type"], record["Name"]) for action, record in found]


def test_a_new_name_becomes_aliases_and_the_records_that_say_whose_they_are():
    made = dns_records.changes([], [WEB], dns())

    assert brief(made) == [
        ("CREATE", "A", "web.example.org"),
        ("CREATE", "AAAA", "web.example.org"),
        ("CREATE", "TXT", "cname-web.example.org"),
        ("CREATE", "TXT", "aaaa-web.example.org"),
    ]
    assert made[0]["ResourceRecordSet"]["AliasTarget"]["DNSName"] == HOST
    text = '"heritage=external-dns,external-dns/owner=dev,external-dns/resource=service/apps/web"'
    assert made[2]["ResourceRecordSet"]["ResourceRecords"] == [{"Value": text}]


def test_what_is_no_balancer_of_aws_becomes_a_cname():
    elsewhere = Wish(name="web.example.org", target="balancer.example.net", resource="service/a/b")
    kinds = [("CREATE", "CNAME", "web.example.org"), ("CREATE", "TXT", "cname-web.example.org")]

    assert brief(dns_records.changes([], [elsewhere], dns())) == kinds
    assert brief(dns_records.changes([], [WEB], dns("--aws-prefer-cname"))) == kinds


def test_nothing_changes_when_all_is_there():
    assert dns_records.changes(stored(dns()), [WEB], dns()) == []


@pytest.mark.parametrize("policy", ["sync", "upsert-only"])
def test_a_name_follows_its_balancer(policy):
    made = dns_records.changes(stored(dns()), [MOVED], dns(policy=policy))

    assert brief(made) == [("UPSERT", "A", WEB.name), ("UPSERT", "AAAA", WEB.name)]
    assert dns_records.changes(stored(dns()), [MOVED], dns(policy="create-only")) == []


def test_only_sync_deletes_and_only_its_own_records():
    mine, others = stored(dns()), stored(dns(owner="prod"))
    nobodys = [{"Name": "web.example.org.", "Type": "A", "AliasTarget": {"DNSName": HOST}}]

    assert brief(dns_records.changes(mine, [], dns())) == [
        ("DELETE", "A", "web.example.org"),
        ("DELETE", "AAAA", "web.example.org"),
        ("DELETE", "TXT", "cname-web.example.org"),
        ("DELETE", "TXT", "aaaa-web.example.org"),
    ]
    assert dns_records.changes(mine, [], dns(policy="upsert-only")) == []
    assert dns_records.changes(others, [], dns()) == []
    assert dns_records.changes(nobodys, [], dns()) == []
    assert dns_records.changes(mine, [], dns("--exclude-domains=web.example.org")) == []


@pytest.mark.behaviour("externaldns-batch-and-existing-records")
def test_a_name_of_another_owner_is_not_taken_over():
    nobodys = [{"Name": "web.example.org.", "Type": "A", "AliasTarget": {"DNSName": OTHER_HOST}}]
    left = [one for one in stored(dns(owner="prod")) if one["Type"] == "TXT"]

    assert dns_records.changes(stored(dns(owner="prod")), [MOVED], dns()) == []
    assert dns_records.changes(nobodys, [WEB], dns()) == []
    assert dns_records.changes(left, [WEB], dns()) == []


def test_external_dns_runs_at_once_then_each_interval():
    schedule, nothing = Schedule(), frozenset()

    assert schedule.is_due(100, nothing, events=True)
    schedule.ran(100, 60)
    assert [schedule.is_due(now, nothing, events=True) for now in (159, 160)] == [False, True]


def test_a_change_brings_a_run_five_seconds_later_and_the_next_change_puts_it_off():
    schedule = Schedule()
    schedule.ran(100, 600)
    one, two = frozenset({("uid", "1")}), frozenset({("uid", "2")})

    looks = [(110, one), (114, two), (115, two), (118, two), (119, two)]
    assert [schedule.is_due(now, seen, events=True) for now, seen in looks] == [False] * 4 + [True]


def test_without_events_only_the_interval_counts():
    schedule = Schedule()
    schedule.ran(100, 60)
    change = frozenset({("uid", "1")})

    looks = [schedule.is_due(now, change, events=False) for now in (110, 116, 160)]
    assert looks == [False, False, True]
