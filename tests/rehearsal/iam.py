"""What tests wait for after a change of rights, as the program and the real provider do."""

import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError
from lightkube import Client
from lightkube.models.core_v1 import Container, PodSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Pod, ServiceAccount

from components.kubernetes.admission import CREDENTIALS

PATIENCE_SECONDS = 20
TRIED = "admission-try"


def once_iam_counts(call: Callable[..., Any], **parameters: Any) -> Any:
    """The answer of the call, tried again while AWS does not know a role's rights or trust yet.

    The played IAM tells other services of a change a moment later, as AWS does
    (rehearsal/aws/iam_propagation.py); the real provider retries, and boto3 does not.
    """
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return call(**parameters)
        except ClientError as error:
            refused = error.response["Error"]
            early = refused["Code"] in {"InvalidParameterException", "InvalidRequestException"}
            early = early or "IAM Instance Profile" in refused["Message"]
            if not early or time.monotonic() > end:
                raise
        time.sleep(0.1)


def until_pods_get_rights(client: Client, namespace: str, account: str) -> None:
    """Wait until the webhook of EKS Pod Identity knows an association that was just made.

    A pod that comes before has no credentials for good (behaviour pod-identity-association-late).
    The service account is there afterwards as it was before.
    """
    listed = client.list(ServiceAccount, namespace=namespace)
    missing = account not in {each.metadata.name for each in listed if each.metadata}
    meta = ObjectMeta(name=account, namespace=namespace)
    if missing:
        client.create(ServiceAccount(metadata=meta))
    container = Container(name=TRIED, image="example.com/tried:1")
    pod = Pod(
        metadata=ObjectMeta(name=TRIED, namespace=namespace),
        spec=PodSpec(containers=[container], serviceAccountName=account),
    )
    end = time.monotonic() + PATIENCE_SECONDS
    while CREDENTIALS not in _variables(client.create(pod, dry_run=True)):
        assert time.monotonic() < end, f"no credentials for {namespace}/{account}"
        time.sleep(0.2)
    if missing:
        client.delete(ServiceAccount, account, namespace=namespace)


def _variables(pod: Pod) -> set[str]:
    assert pod.spec
    return {variable.name for each in pod.spec.containers for variable in each.env or []}
