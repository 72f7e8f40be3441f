"""Network interfaces of a node, and how long they track idle connections."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from ...section import Mistake
from .api_section import ApiSection


class NetworkInterfaceConfig(ApiSection):
    """A network interface that an instance starts with; the first one is card 0, device 0."""

    network_card_index: int = Field(ge=0)
    """Index of the network card, from 0."""
    device_index: int = Field(ge=0)
    """Index of the interface on its card, from 0."""
    interface_type: Literal["interface", "efa-only"]
    """Kind of interface. `efa-only` carries no IP traffic; at most one on each card."""


class ConnectionTrackingConfig(ApiSection):
    """Seconds after which idle connections are forgotten. Absent: EC2's default."""

    tcp_established_timeout: int | None = Field(default=None, ge=60, le=432000)
    """Seconds after which an idle, established TCP connection is forgotten."""
    udp_stream_timeout: int | None = Field(default=None, ge=60, le=180)
    """Seconds after which an idle UDP flow with more than one answer is forgotten."""
    udp_timeout: int | None = Field(default=None, ge=30, le=60)
    """Seconds after which an idle UDP flow in one direction, or of one request and its response, is
    forgotten.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """At least one timeout must be given."""
        if not self.api():
            names = "tcpEstablishedTimeout, udpStreamTimeout, udpTimeout"
            yield Mistake("", f"says nothing: give one of {names}, or drop it")


def interface_mistakes(interfaces: Sequence[NetworkInterfaceConfig]) -> Iterator[Mistake]:
    """The first interface must be there, each place used once, with at most one EFA on a card."""
    if not interfaces:
        return
    if not any(
        interface.network_card_index == interface.device_index == 0
        and interface.interface_type == "interface"
        for interface in interfaces
    ):
        problem = "the first is missing: add networkCardIndex 0, deviceIndex 0, interfaceType "
        yield Mistake("networkInterfaces", f"{problem}interface")
    places: dict[tuple[int, int], int] = {}
    efas: dict[int, int] = {}
    for number, interface in enumerate(interfaces):
        path = f"networkInterfaces[{number}]"
        card = interface.network_card_index
        first = places.setdefault((card, interface.device_index), number)
        if first != number:
            problem = f"has card and device of networkInterfaces[{first}]: drop one of them"
            yield Mistake(path, problem)
        if interface.interface_type == "efa-only" and efas.setdefault(card, number) != number:
            problem = f"card {card} has its one efa-only in networkInterfaces[{efas[card]}]"
            yield Mistake(f"{path}.interfaceType", f"{problem}: drop it", interface.interface_type)
