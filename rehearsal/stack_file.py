"""Reads the parts of a stack file that the rehearsal needs before the program itself does."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from rehearsal.errors import StackFileError

PROJECT = "frugal-eks"
DEFAULT_ACCOUNT = "123456789012"
"""Account if no administrator tells it: AWS's own example account."""

ACCOUNT_ID = re.compile(r"^arn:[a-z-]+:iam::(\d{12}):(role|user)/(\S+)$")


@dataclass(frozen=True)
class StackFile:
    """A stack file as YAML, without the program's own validation."""

    path: Path
    stack: str
    document: dict[str, Any]

    @classmethod
    def read(cls, path: Path, stack: str) -> "StackFile":
        """Reads a file. Raises StackFileError if it is missing, no YAML, or has no `config`."""
        try:
            document: object = yaml.safe_load(path.read_text())
        except FileNotFoundError:
            there = sorted(
                p.stem.removeprefix("Pulumi.") for p in path.parent.glob("Pulumi.*.yaml")
            )
            raise StackFileError(
                f"There is no stack file {_shown(path)}: name one of the stacks "
                f"{', '.join(there) or '(none found)'}, or write that file."
            ) from None
        except OSError as error:
            raise StackFileError(f"{_shown(path)} cannot be read: {error.strerror}.") from None
        except yaml.YAMLError as error:
            raise StackFileError(f"{_shown(path)} is not YAML: {_one_line(error)}.") from None
        if not isinstance(document, dict) or not isinstance(
            cast("dict[str, Any]", document).get("config"), dict
        ):
            raise StackFileError(
                f"{_shown(path)} has no `config:` section: begin with the settings "
                f"of stacks/Pulumi.nodeless.yaml."
            )
        return cls(path, stack, cast("dict[str, Any]", document))

    @property
    def config(self) -> dict[str, Any]:
        """The settings, each under its `namespace:key`."""
        return self.document["config"]

    @property
    def region(self) -> str:
        """Region of the file. Raises StackFileError if it names none: the program reads it there as
        well.
        """
        region = self.config.get("aws:region")
        if not isinstance(region, str) or not re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", region):
            raise StackFileError(
                f"{_shown(self.path)}: aws:region must name an AWS region, e.g. "
                f"`aws:region: eu-west-1` (got {region!r})."
            )
        return region

    @property
    def cluster_name(self) -> str | None:
        """Name of the cluster; None if it is malformed, which the program reports."""
        name = self._section("cluster").get("name")
        return name if isinstance(name, str) else None

    @property
    def existing_cluster(self) -> str | None:
        """Name under `cluster.existing`."""
        name = self._section("cluster").get("existing")
        return name if isinstance(name, str) else None

    @property
    def admins(self) -> list[str]:
        """Well-formed ARNs of roles and users under `cluster.admins`."""
        admins = self._section("cluster").get("admins")
        listed = cast("list[object]", admins) if isinstance(admins, list) else []
        return [arn for arn in listed if isinstance(arn, str) and ACCOUNT_ID.match(arn)]

    @property
    def account(self) -> str:
        """Account of the first administrator, 12 digits."""
        match = ACCOUNT_ID.match(self.admins[0]) if self.admins else None
        return match.group(1) if match else DEFAULT_ACCOUNT

    @property
    def system_pods_on_fargate(self) -> bool:
        """True if a Fargate profile selects every pod of kube-system."""
        profiles = self._section("fargate").get("profiles")
        if not isinstance(profiles, dict):
            return False
        taken = cast("dict[str, object]", profiles).values()
        whole = {"namespace": "kube-system"}
        return any(isinstance(selectors, list) and whole in selectors for selectors in taken)

    @property
    def has_spot_groups(self) -> bool:
        """True if there are groups of instances that EKS does not manage."""
        return bool(self._section("spotNodeGroups"))

    @property
    def has_cluster_autoscaler(self) -> bool:
        """True if the Cluster Autoscaler is installed."""
        return isinstance(self.config.get(f"{PROJECT}:clusterAutoscaler"), dict)

    @property
    def has_termination_handler(self) -> bool:
        """True if a handler drains the nodes of groups that EKS does not manage."""
        return isinstance(self._section("addons").get("nodeTerminationHandler"), dict)

    @property
    def hosted_zones(self) -> list[str]:
        """Names under `addons.externalDns.zones`."""
        zones = _object(self._section("addons").get("externalDns")).get("zones")
        listed = cast("list[object]", zones) if isinstance(zones, list) else []
        return [zone for zone in listed if isinstance(zone, str)]

    @property
    def private_zones(self) -> bool:
        """True if these zones are private."""
        return _object(self._section("addons").get("externalDns")).get("zoneType") == "private"

    @property
    def key_pair(self) -> str | None:
        """EC2 key pair that `bastion.ssh` names; None if there is none."""
        name = _object(self._section("bastion").get("ssh")).get("keyName")
        return name if isinstance(name, str) else None

    @property
    def vpc(self) -> str | None:
        """VPC that the file uses but does not create; None if it creates its own."""
        vpc = self._section("network").get("vpcId")
        return vpc if isinstance(vpc, str) else None

    def unprotected(self) -> dict[str, Any]:
        """Settings that switch deletion protection off; empty if the file does that itself."""
        cluster = self._section("cluster")
        if cluster.get("deletionProtection") is False:
            return {}
        return {f"{PROJECT}:cluster": cluster | {"deletionProtection": False}}

    def write_copy(self, target: Path, settings: dict[str, Any]) -> None:
        """Write the file with `settings` over its own, keeping the encryption salt of `target`.

        The CLI writes that salt into the file it works with: so it works with a copy.
        """
        copy = dict(self.document)
        copy["config"] = self.config | settings
        if target.exists():
            before = cast("dict[str, Any]", yaml.safe_load(target.read_text()) or {})
            copy |= {key: before[key] for key in ("encryptionsalt",) if key in before}
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(yaml.safe_dump(copy, sort_keys=False))

    def _section(self, key: str) -> dict[str, Any]:
        return _object(self.config.get(f"{PROJECT}:{key}"))


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _shown(path: Path) -> str:
    """Path for messages, relative if that is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)


def _one_line(error: yaml.YAMLError) -> str:
    return re.sub(r"\s+", " ", str(error)).rstrip(".")
