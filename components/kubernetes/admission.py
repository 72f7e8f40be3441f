"""Waits until EKS's webhooks admit pods correctly, and replaces pods that came too early.

A webhook learns of a Fargate profile or a pod identity association only some seconds after AWS has
created it, and changes pods when they are admitted, never later: a pod that came earlier stays
Pending, or without credentials, for ever (eksctl-io/eksctl#3615, aws/eks-pod-identity-agent#52). No
AWS call tells when that time is over (aws/containers-roadmap#2507). The webhooks themselves do:
they have no side effects, so a pod that is created with `dryRun` passes through them without being
created.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import pulumi

from .api import UNANSWERED, Answer, KubernetesApi, RefusedError

PROFILE_LABEL = "eks.amazonaws.com/fargate-profile"
"""Label of Fargate profiles. On a pod: the profile that runs it. On a template: the profile to
choose if several match.
"""
FARGATE_SCHEDULER = "fargate-scheduler"
CREDENTIALS = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
"""The variable by which an AWS SDK finds the agent of EKS Pod Identity."""

PATIENCE_SECONDS = 120.0
"""Longest wait for the webhooks. eksctl waits 30 s after a profile, and associations are said to
take 5 to 10.
"""
PAUSE_SECONDS = 1.0
QUESTIONS = 4
"""Probes for one check, each on its own connection: every node of the control plane has its own
webhooks.
"""
ACCOUNT_SECONDS = 20.0
"""Seconds to wait after an association if a chart creates the service account: no probe can use the
account earlier.
"""

PASSING = (HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS)


@dataclass(frozen=True, kw_only=True)
class Pods:
    """Pods that a chart or an EKS add-on creates."""

    namespace: str
    """Namespace of the pods."""
    labels: Mapping[str, str]
    """Labels that all of the pods have, and no others in the namespace."""
    profile: pulumi.Input[str] | None = None
    """Name of the Fargate profile that runs the pods; None if nodes do."""
    service_account: str | None = None
    """Service account whose pod identity association gives the pods AWS permissions; None if they
    need no association.
    """


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The pods of `Pods`, with the name of their profile resolved."""

    namespace: str
    labels: Mapping[str, str]
    profile: str | None
    service_account: str | None

    def probe(self) -> Answer:
        """A pod like them to try out with `dryRun`; it is never created."""
        labels = dict(self.labels)
        if self.profile:
            labels[PROFILE_LABEL] = self.profile
        spec: Answer = {
            # Small, so that no quota or limit range of the namespace has a reason to refuse it.
            "containers": [{"name": "probe", "image": "registry.k8s.io/pause:3.10"}],
            "restartPolicy": "Never",
        }
        if self.service_account:
            spec["serviceAccountName"] = self.service_account
        metadata = {"generateName": "admission-probe-", "labels": labels}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}

    def lacks(self, pod: Mapping[str, Any]) -> str | None:
        """What the webhooks should have given to a pod but have not; None if nothing is missing."""
        if self.profile and pod["spec"].get("schedulerName") != FARGATE_SCHEDULER:
            return f"Fargate's scheduler (profile {self.profile})"
        if self.service_account and CREDENTIALS not in variables(pod):
            return f"credentials (pod identity association of {self.service_account})"
        return None

    def is_stuck(self, pod: Mapping[str, Any]) -> bool:
        """True if an existing pod will never work, and only a replacement will."""
        spec = pod["spec"]
        if "deletionTimestamp" in pod["metadata"]:
            return False
        if self.profile:
            labels = pod["metadata"].get("labels", {})
            # A pod with another profile's label, which is gone, is passed over by the scheduler.
            other = labels.get(PROFILE_LABEL, self.profile) != self.profile
            return "nodeName" not in spec and (other or self.lacks(pod) is not None)
        # The namespace has pods of other accounts with such labels, for example of an older chart.
        mine = spec.get("serviceAccountName") == self.service_account
        return mine and self.lacks(pod) is not None


class Admission:
    """Hooks for resources that create pods: a release waits until its pods will be admitted
    correctly, and pods that an earlier run created too early are replaced.

    The webhooks are not asked in a preview, nor in an update that leaves the release unchanged.
    """

    def __init__(
        self,
        kubeconfig: pulumi.Input[str],
        *,
        patience: float = PATIENCE_SECONDS,
        pause: float = PAUSE_SECONDS,
    ) -> None:
        """`patience` and `pause` are seconds: for how long, and how often, the webhooks are
        asked.
        """
        self.kubeconfig = kubeconfig
        self.patience, self.pause = patience, pause
        self.connected: KubernetesApi | None = None
        self.associated: dict[str, float] = {}
        """Time in monotonic seconds when this run created a service account's association."""

    def hooks(self, pods: Pods) -> pulumi.ResourceHookBinding | None:
        """Hooks for the release or add-on that creates these pods; None if no webhook matters."""
        if pods.profile is None and pods.service_account is None:
            return None

        async def before(_: pulumi.ResourceHookArgs) -> None:
            expected, server = await self._about(pods)
            await asyncio.to_thread(self._wait, server, expected)
            await asyncio.to_thread(_renew, server, expected)

        async def after(_: pulumi.ResourceHookArgs) -> None:
            expected, server = await self._about(pods)
            await asyncio.to_thread(_renew, server, expected)

        return pulumi.ResourceHookBinding(
            before_create=[before],
            before_update=[before],
            after_create=[after],
            after_update=[after],
        )

    def associating(self, namespace: str, service_account: str) -> pulumi.ResourceHookBinding:
        """A hook for a pod identity association that records when this run created it."""

        def after(_: pulumi.ResourceHookArgs) -> None:
            self.associated[f"{namespace}/{service_account}"] = time.monotonic()

        return pulumi.ResourceHookBinding(after_create=[after])

    async def _about(self, pods: Pods) -> tuple[Expected, KubernetesApi]:
        known = await pulumi.Output.all(self.kubeconfig, pods.profile).future()
        assert known, "hooks run in an update, where all of it is known"
        kubeconfig, profile = known
        if self.connected is None:
            self.connected = KubernetesApi(kubeconfig)
        expected = Expected(
            namespace=pods.namespace,
            labels=pods.labels,
            profile=profile,
            service_account=pods.service_account,
        )
        return expected, self.connected

    def _wait(self, server: KubernetesApi, expected: Expected) -> None:
        """Waits for the webhooks. Raises TimeoutError if they do not learn of the profile or
        association in time.
        """
        end = time.monotonic() + self.patience
        while missing := missing_in_probes(server, expected):
            if missing == NO_ACCOUNT:
                made = self.associated.get(f"{expected.namespace}/{expected.service_account}")
                if made is not None:
                    time.sleep(max(0.0, made + ACCOUNT_SECONDS - time.monotonic()))
                return
            if time.monotonic() > end:
                raise TimeoutError(
                    f"for {self.patience:.0f} s EKS has not given {missing} to a pod of namespace "
                    f"{expected.namespace} with the labels {dict(expected.labels)}: pods that were "
                    "made now would never run. Look whether the profile or the association is "
                    "there, then run `pulumi up` again"
                )
            time.sleep(self.pause)


NO_ACCOUNT = "service account"
"""Result of a check if the service account does not exist yet because a chart creates it."""


def missing_in_probes(server: KubernetesApi, expected: Expected) -> str | None:
    """What one of several probes was not given; None if nothing is missing, or if no probe can be
    made.
    """
    path = f"/api/v1/namespaces/{expected.namespace}/pods?dryRun=All"
    for _ in range(QUESTIONS):
        try:
            pod = server.ask(path, expected.probe())
        except RefusedError as error:
            if error.status == HTTPStatus.FORBIDDEN and "service account" in str(error):
                return NO_ACCOUNT
            if error.status in PASSING or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return f"an answer ({error})"
            # By a policy of the user's own, for example: the real pods may well be let in.
            pulumi.log.warn(f"no pod can be tried out in {expected.namespace}: {error}")
            return None
        except UNANSWERED as error:
            return f"an answer ({error})"
        if missing := expected.lacks(pod):
            return missing
    return None


def _renew(server: KubernetesApi, expected: Expected) -> None:
    """Evicts pods that will never work; their owner creates new ones."""
    selector = ",".join(f"{key}%3D{value}" for key, value in expected.labels.items())
    path = f"/api/v1/namespaces/{expected.namespace}/pods"
    try:
        listed = server.ask(f"{path}?labelSelector={selector}")["items"]
        for name in stuck(listed, expected):
            pulumi.log.info(f"pod {expected.namespace}/{name} was admitted too early: made anew")
            metadata = {"name": name, "namespace": expected.namespace}
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
            server.ask(f"{path}/{name}/eviction", eviction)
    except (RefusedError, *UNANSWERED) as error:
        pulumi.log.warn(f"pods that were admitted too early may be left: {error}")


def stuck(pods: Sequence[Mapping[str, Any]], expected: Expected) -> Iterator[str]:
    """Names of the pods that will never work."""
    for pod in pods:
        if expected.is_stuck(pod):
            yield pod["metadata"]["name"]


def variables(pod: Mapping[str, Any]) -> set[str]:
    """Names of the environment variables of a pod's containers."""
    containers: list[Answer] = pod["spec"]["containers"]
    names: set[str] = set()
    for container in containers:
        listed: list[Answer] = container.get("env") or []
        names.update(variable["name"] for variable in listed)
    return names
