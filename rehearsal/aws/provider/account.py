"""The AWS account that a stand-in talks to: clients, models, region, default tags."""

import os
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

# Codes by which services say that something does not exist.
_NOT_FOUND = (
    "NotFound",
    "NoSuchEntity",
    "NonExistentQueue",
    "QueueDoesNotExist",
    "NotFoundException",
)


class AwsError(Exception):
    """An error of AWS, in AWS's words."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class ConfigurationError(ValueError):
    """Why the provider's configuration cannot be used."""


class Account:
    """One region of one played account, reached through AWS_ENDPOINT_URL."""

    def __init__(
        self,
        region: str,
        default_tags: Mapping[str, str],
        *,
        profile: str | None = None,
        roles: Sequence[str] = (),
    ) -> None:
        """`roles` are assumed in order, the first one by the profile's user."""
        self.region = region
        self._profile, self._roles = profile, roles
        self.default_tags = dict(default_tags)
        self.stopping = threading.Event()
        """Set when the engine cancels: every wait ends."""
        self._clients: dict[str, Any] = {}
        self._models: dict[str, Any] = {}
        self._guard = threading.RLock()
        self._locks: dict[str, threading.Lock] = {}

    @cached_property
    def _session(self) -> Any:
        session = _botocore("session").Session(profile=self._profile)
        for role in self._roles:
            sts = session.create_client("sts", region_name=self.region, endpoint_url=endpoint())
            keys = sts.assume_role(RoleArn=role, RoleSessionName="pulumi")["Credentials"]
            session = _botocore("session").Session()
            session.set_credentials(
                keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"]
            )
        return session

    def client(self, service: str) -> Any:
        """Client of this service, shared by all threads."""
        with self._guard:
            if service not in self._clients:
                settings = _botocore("config").Config(
                    max_pool_connections=64, proxies={}, retries={"total_max_attempts": 3}
                )
                self._clients[service] = self._session.create_client(
                    service, region_name=self.region, endpoint_url=endpoint(), config=settings
                )
            return self._clients[service]

    def model(self, service: str) -> Any:
        """Published request shapes of this service."""
        with self._guard:
            if service in self._clients:
                return self._clients[service].meta.service_model
            if service not in self._models:
                self._models[service] = self._session.get_service_model(service)
            return self._models[service]

    def request(self, service: str, operation: str, parameters: Mapping[str, Any]) -> Any:
        """Sends one request. Raises AwsError if AWS refuses or cannot be reached."""
        client, errors = self.client(service), _botocore("exceptions")
        method = import_module("botocore").xform_name(operation)
        try:
            return getattr(client, method)(**parameters)
        except errors.ClientError as error:
            refused: dict[str, str] = error.response.get("Error", {})
            message = f"{refused.get('Message', error)} ({operation})"
            raise AwsError(refused.get("Code", "UnknownError"), message) from error
        except errors.BotoCoreError as error:
            raise AwsError(type(error).__name__, f"{error} ({operation})") from error

    @cached_property
    def identity(self) -> dict[str, str]:
        """Account, UserId and Arn of the caller."""
        answer = self.request("sts", "GetCallerIdentity", {})
        return {key: answer[key] for key in ("Account", "UserId", "Arn")}

    @property
    def partition(self) -> str:
        """The partition of the region."""
        for start, partition in (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov")):
            if self.region.startswith(start):
                return partition
        return "aws"

    def lock(self, name: str) -> threading.Lock:
        """The lock with this name, shared by all callers."""
        with self._guard:
            return self._locks.setdefault(name, threading.Lock())


def _botocore(module: str) -> Any:
    # It takes a third of a second: not before the engine has read our port.
    return import_module(f"botocore.{module}")


def endpoint() -> str:
    """URL of the played AWS; the stand-in never talks to the real one."""
    url = os.environ.get("AWS_ENDPOINT_URL", "")
    if urlsplit(url).hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise ConfigurationError(
            "the stand-in AWS provider talks only to a played AWS on this machine: set "
            f"AWS_ENDPOINT_URL to it, as `./frugal-eks rehearse` does (got {url or 'nothing'})"
        )
    return url


def not_found(code: str) -> bool:
    """True if this error code says that a resource does not exist."""
    return code.endswith(_NOT_FOUND) or ".NotFound" in code or code.endswith("NotFoundFault")
