"""The network interfaces of a node, and how long they remember connections."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from ...section import Mistake
from .api_section import ApiSection


class NetworkInterfaceConfig(ApiSection):
    """One interface that an instance starts with; the first is card 0, device 0."""

    network_card_index: int = Field(ge=0)
    """The network card, from 0."""
    device_index: int = Field(ge=0)
    """The place on its card, from 0."""
    interface_type: Literal["interface", "efa-only"]
    """An `efa-only` one carries no IP traffic; one at most on a card."""


class ConnectionTrackingConfig(ApiSection):
    """Seconds after which an idle connection is forgotten. Absent: EC2's own."""

    tcp_established_timeout: int | None = Field(default=None, ge=60, le=432000)
    """Seconds after which an idle, established TCP connection is forgotten."""
    udp_stream_timeout: int | None = Field(default=None, ge=60, le=180)
    """Seconds after which an idle UDP flow with more than one answer is forgotten."""
    udp_timeout: int | None = Field(default=None, ge=30, le=60)
    """Seconds after which an idle UDP flow of one direction, or of one question and answer, is
    forgotten."""

    def mistakes(self) -> Iterator[Mistake]:
        """At least one of them."""
        if not self.api():
            names = "tcpEstablishedTimeout, udpStreamTimeout, udpTimeout"
            yield Mistake("", f"says nothing: give one of {names}, or drop it")


def interface_mistakes(interfaces: Sequence[NetworkInterfaceConfig]) -> Iterator[Mistake]:
    """An instance has its first interface, each place once, and one EFA on a card."""
    if not interfaces:
        return
    if not any(
        one.network_card_index == one.device_index == 0 and one.interface_type == "interface"
        for one in interfaces
    ):
        problem = "the first is missing: add networkCardIndex 0, deviceIndex 0, interfaceType "
        yield Mistake("networkInterfaces", f"{problem}interface")
    places: dict[tuple[int, int], int] = {}
    efas: dict[int, int] = {}
    for number, one in enumerate(interfaces):
        path = f"networkInterfaces[{number}]"
        card = one.network_card_index
        first = places.setdefault((card, one.device_index), number)
        if first != number:
            problem = f"has card and device of networkInterfaces[{first}]: drop one of them"
            yield Mistake(path, problem)
        if one.interface_type == "efa-only" and efas.setdefault(card, number) != number:
            problem = f"card {card} has its one efa-only in networkInterfaces[{efas[card]}]"
            yield Mistake(f"{path}.interfaceType", f"{problem}: drop it", one.interface_type)
