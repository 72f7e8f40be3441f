"""The stand-in AWS provider, from which the engine never hears that some things are made.

`python -m tests.rehearsal.variants.unanswered ENGINE` is the plugin: whoever kills the engine then
leaves these things in AWS as creations that are pending in the stack's state.
"""

import shlex
import sys
from threading import Event
from typing import Any

from rehearsal.aws.provider.__main__ import serve
from rehearsal.aws.provider.servicer import StandIn
from rehearsal.engine import Engine
from rehearsal.state import ROOT

UNANSWERED = {
    "aws:ec2/natGateway:NatGateway::network-nat-2",
    "aws:ec2/eip:Eip::network-nat-3",
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider::cluster-oidc",
}
"""Type and name of each."""


def lay(engine: Engine) -> None:
    """Make it the AWS plugin of this engine."""
    command = f"{shlex.quote(sys.executable)} -m tests.rehearsal.variants.unanswered"
    for plugin in engine.plugins.glob("resource-aws-*/pulumi-resource-aws"):
        plugin.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {command} "$@"\n')


def type_and_name(urn: str) -> str:
    """A resource without its stack and its parents."""
    return urn.split("::", 2)[2].rpartition("$")[2]


class Unanswered(StandIn):
    """Makes everything, and is silent about some of it."""

    def Create(self, request: Any, context: Any) -> Any:
        made = super().Create(request, context)
        if not request.preview and type_and_name(request.urn) in UNANSWERED:
            Event().wait()
        return made


if __name__ == "__main__":
    serve(Unanswered())
