"""Plays ExternalDNS 0.21, which maintains names of Services and Ingresses in Route 53."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from lightkube.core.client import Client

from rehearsal.controllers import dns_names, dns_records, running
from rehearsal.controllers.arguments import ArgumentsError
from rehearsal.controllers.dns_names import Settings
from rehearsal.controllers.load_balancer_controller import Thing
from rehearsal.controllers.pod_session import PodSessions
from rehearsal.controllers.running import Running
from rehearsal.nodes import cluster
from rehearsal.nodes.pod_credentials import AWS_ERRORS, NoCredentialsError

NAME = "external-dns"
EVENT_SECONDS = 5.0
"""Seconds from a change to the next run; more changes postpone it (controller.go:
ScheduleRunOnce).
"""
RETRY_SECONDS = 10.0
"""Seconds after a failed run: the real one ends, and the kubelet restarts it."""


@dataclass
class Schedule:
    """Next run of one pod of ExternalDNS; times are monotonic seconds."""

    next_at: float | None = None
    """Time of the next run; None before the first one, which is due at once."""
    seen: frozenset[tuple[str, str]] = field(default=frozenset())
    """Uids and versions of the objects that it watches."""

    def is_due(self, now: float, seen: frozenset[tuple[str, str]], *, events: bool) -> bool:
        """True if a run is due, after a look at its objects; with `events` a change triggers a
        run.
        """
        changed = seen != self.seen
        self.seen = seen
        if self.next_at is None:
            return True
        if changed and events:
            self.next_at = now + EVENT_SECONDS
        return now >= self.next_at

    def ran(self, now: float, wait: float) -> None:
        """Schedules the next run in `wait` seconds, unless an event comes before."""
        self.next_at = now + wait


class ExternalDns:
    """Plays the ExternalDNS of each Deployment, while its pod is ready."""

    def __init__(self, client: Client, sessions: PodSessions) -> None:
        self.client, self.sessions = client, sessions
        self.events = cluster.Events(client, NAME)
        self.schedules: dict[str, Schedule] = {}
        """Schedules by the pod's uid."""

    def reconcile(self) -> float | None:
        """Runs what is due; returns the seconds until the next look, None if never."""
        controllers = running.running(self.client, NAME)
        pods = {cluster.uid_of(controller.pod): controller for controller in controllers}
        self.schedules = {uid: self.schedules.get(uid, Schedule()) for uid in pods}
        waits = [self._look(controller, self.schedules[uid]) for uid, controller in pods.items()]
        return min(waits, default=None)

    def _look(self, controller: Running, schedule: Schedule) -> float:
        try:
            settings = Settings.read(controller.arguments())
        except ArgumentsError as error:
            self.events.warn(controller.pod, "BackOff", str(error))
            return RETRY_SECONDS
        now = time.monotonic()
        things = self._things(settings.sources)
        seen = frozenset((cluster.uid_of(thing), version_of(thing)) for thing in things)
        if schedule.is_due(now, seen, events=settings.events):
            succeeded = self._run(controller, settings, things)
            schedule.ran(now, settings.interval if succeeded else RETRY_SECONDS)
        assert schedule.next_at is not None
        return max(0.0, schedule.next_at - now)

    def _things(self, sources: Sequence[str]) -> list[Thing]:
        kinds = [dns_names.SOURCES[source] for source in sources]
        return [
            thing
            for kind in kinds
            for thing in cluster.listed(self.client, kind, namespace=cluster.ALL)
        ]

    def _run(self, controller: Running, settings: Settings, things: list[Thing]) -> bool:
        """Updates the zones; True if every zone is as it should be."""
        try:
            route53 = self.sessions.open(controller).client("route53")
            wanted = dns_names.wishes(things, settings)
            zones = [
                zone
                for page in route53.get_paginator("list_hosted_zones").paginate()
                for zone in page["HostedZones"]
                if dns_records.is_covered(zone, settings)
            ]
            for zone in zones:
                here = [w for w in wanted if zone in dns_records.zones_for(w.name, zones)]
                _change(route53, zone, dns_records.changes(_records(route53, zone), here, settings))
        except NoCredentialsError as error:
            self.events.warn(controller.pod, "BackOff", f"no AWS credentials: {error}")
            return False
        except AWS_ERRORS as error:
            self.events.warn(controller.pod, "BackOff", f"the controller has ended: {error}")
            return False
        return True


def _records(route53: Any, zone: dict[str, Any]) -> list[dict[str, Any]]:
    pages = route53.get_paginator("list_resource_record_sets").paginate(HostedZoneId=zone["Id"])
    return [record for page in pages for record in page["ResourceRecordSets"]]


def _change(route53: Any, zone: dict[str, Any], changes: list[dict[str, Any]]) -> None:
    if not changes:
        return
    route53.change_resource_record_sets(HostedZoneId=zone["Id"], ChangeBatch={"Changes": changes})
    for change in changes:
        record = change["ResourceRecordSet"]
        print(f"ExternalDNS: {change['Action']} {record['Name']} {record['Type']}", flush=True)


def version_of(thing: Thing) -> str:
    """A version that changes with every change of the object."""
    return str(cast(Any, thing.metadata).resourceVersion)
