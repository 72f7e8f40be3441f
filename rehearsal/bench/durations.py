"""Seconds from `durations.toml`, by resource and stack."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rehearsal.bench.critical_path import FARGATE_PROFILE, Resource

FILE = Path(__file__).parent / "durations.toml"

Way = Literal["create", "delete"]


class Aims(NamedTuple):
    """Shortest possible time of any program, and the acceptable multiple of it."""

    create: float
    destroy: float
    create_ratio: float
    destroy_ratio: float


class Durations:
    """How long AWS takes to create and to delete each resource of one stack.

    `assumed` collects the types without an entry: the default was taken for them.
    """

    def __init__(self, resources: Iterable[Resource], path: Path = FILE) -> None:
        self.data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        listed = list(resources)
        profiles = [resource for resource in listed if resource.type == FARGATE_PROFILE]
        self.profiles = len(profiles)
        self.namespaces: set[str] = set()
        """Namespaces whose pods run on Fargate."""
        for profile in profiles:
            selectors: list[dict[str, Any]] = profile.inputs.get("selectors") or []
            self.namespaces |= {selector["namespace"] for selector in selectors}
        first: dict[str, str] = {}
        for resource in listed:
            first.setdefault(resource.type, resource.urn)
        self.first = set(first.values())
        self.assumed: set[str] = set()

    def create(self, resource: Resource) -> float:
        """Seconds until the resource is usable."""
        return self._seconds(resource, "create")

    def delete(self, resource: Resource) -> float:
        """Seconds until the resource is gone."""
        return self._seconds(resource, "delete")

    def aims(self) -> Aims:
        """Aims for this stack: a second Fargate profile costs a minute of destroy."""
        bound, aim = self.data["lower_bound"], self.data["aim"]
        profiles = "destroy_one_profile" if self.profiles <= 1 else "destroy_more_profiles"
        return Aims(bound["create"], bound["destroy"], aim["create"], aim[profiles])

    def _seconds(self, resource: Resource, way: Way) -> float:
        if not resource.type.startswith("pulumi:"):
            for entry in self.data["duration"]:
                if self._fits(entry, resource):
                    return entry[way]
            self.assumed.add(resource.type)
            return self.data["default"][way]
        return 0  # a provider is a process on the user's machine

    def _fits(self, entry: Mapping[str, Any], resource: Resource) -> bool:
        return (
            re.fullmatch(entry["type"], resource.type) is not None
            and (not entry.get("first") or resource.urn in self.first)
            and (not entry.get("fargate") or self._on_fargate(resource))
            and all(
                re.search(expression, str(resource.inputs.get(key, "")))
                for key, expression in entry.get("where", {}).items()
            )
        )

    def _on_fargate(self, resource: Resource) -> bool:
        """True if a profile selects its namespace; add-ons are in kube-system."""
        return (resource.inputs.get("namespace") or "kube-system") in self.namespaces
