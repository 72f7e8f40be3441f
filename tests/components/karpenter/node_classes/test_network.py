import pytest

from tests.components.karpenter.node_classes.node_class import spec, told


def interface(card, device, kind="interface"):
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind}


FIRST = interface(0, 0)


@pytest.mark.parametrize(
    ("interfaces", "mistakes"),
    [
        (
            [interface(0, 0, "efa-only"), interface(1, 0)],
            {
                "networkInterfaces": "the first is missing: add networkCardIndex 0, deviceIndex 0, "
                "interfaceType interface"
            },
        ),
        (
            [FIRST, interface(1, 1), interface(1, 1)],
            {
                "networkInterfaces[2]": "has card and device of networkInterfaces[1]: drop one of "
                "them"
            },
        ),
        (
            [FIRST, interface(1, 0, "efa-only"), interface(1, 1, "efa-only")],
            {
                "networkInterfaces[2].interfaceType": "card 1 has its one efa-only in "
                "networkInterfaces[1]: drop it"
            },
        ),
        (
            [{"networkCardIndex": 0}],
            {
                "networkInterfaces.0.deviceIndex": "Field required",
                "networkInterfaces.0.interfaceType": "Field required",
            },
        ),
    ],
)
def test_interfaces_that_ec2_would_refuse_are_told(interfaces, mistakes):
    assert told(networkInterfaces=interfaces) == mistakes


def test_each_card_may_have_an_efa():
    interfaces = [FIRST, interface(0, 1, "efa-only"), interface(1, 0, "efa-only"), interface(1, 1)]

    assert spec(networkInterfaces=interfaces)["networkInterfaces"] == interfaces


@pytest.mark.parametrize("tracking", [{}, {"tcpEstablishedTimeout": None}])
def test_tracking_of_connections_says_something(tracking):
    assert told(connectionTracking=tracking) == {
        "connectionTracking": "says nothing: give one of tcpEstablishedTimeout, "
        "udpStreamTimeout, udpTimeout, or drop it"
    }


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [
        ("tcpEstablishedTimeout", 60, 432000),
        ("udpStreamTimeout", 60, 180),
        ("udpTimeout", 30, 60),
    ],
)
def test_times_of_tracking_have_their_bounds(key, least, most):
    for value in (least, most):
        assert spec(connectionTracking={key: value})["connectionTracking"] == {key: value}
    for value in (least - 1, most + 1):
        assert [*told(connectionTracking={key: value})] == [f"connectionTracking.{key}"]


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"ipPrefixCount": -1}, "ipPrefixCount"),
        ({"cpuOptions": {}}, "cpuOptions.nestedVirtualization"),
        ({"context": ""}, "context"),
        ({"instanceStorePolicy": "RAID10"}, "instanceStorePolicy"),
    ],
)
def test_other_fields_have_their_bounds_too(settings, place):
    assert [*told(**settings)] == [place]


@pytest.mark.parametrize("settings", [{"ipPrefixCount": 0}, {"associatePublicIPAddress": False}])
def test_zero_and_false_are_sent_where_the_file_has_them(settings):
    assert settings.items() <= spec(**settings).items()
