"""AWS as a controller's pod sees it: with its role's session, and with its role's rights."""

from functools import cache
from typing import Any

from botocore.exceptions import ClientError  # pyright: ignore[reportMissingTypeStubs]
from lightkube.core.client import Client

from rehearsal.clients import aws_client
from rehearsal.controllers.rights import Policies
from rehearsal.controllers.running import Running
from rehearsal.nodes import cluster
from rehearsal.nodes.pod_credentials import AUDIENCE, Granted, PlayedAws
from rehearsal.state import Endpoints


class PodSessions:
    """Logs pods in. A session is kept while the same login would give the same role."""

    def __init__(self, client: Client, aws: PlayedAws, endpoints: Endpoints) -> None:
        self.client, self.aws, self.endpoints = client, aws, endpoints
        self.known: dict[tuple[str, str], PodSession] = {}
        """Sessions by the pod's uid and the role."""

    def open(self, controller: Running) -> "PodSession":
        """Opens a session. Raises NoCredentialsError if the pod gets none.
        Checks trust, association and policies each time: on AWS a session outlives the first two by
        an hour at most, on which nothing may rely, and policies may go first in a destroy.
        """
        granted = self.aws.grant(controller.account, controller.pod)
        name = (cluster.uid_of(controller.pod), granted.role_arn)
        if name not in self.known:
            self.known[name] = PodSession(self._log_in(controller, granted), self.endpoints)
        self.known[name].policies = Policies(self.aws.iam, granted.role_arn)
        return self.known[name]

    def _log_in(self, controller: Running, granted: Granted) -> dict[str, str]:
        if not granted.by_web_identity:
            return self.aws.session_of(granted.role_arn)
        account = controller.account
        token = cluster.token(self.client, account.namespace, account.name, [AUDIENCE])
        answer = self.aws.sts.assume_role_with_web_identity(
            RoleArn=granted.role_arn, RoleSessionName=account.name, WebIdentityToken=token
        )
        return answer["Credentials"]


class PodSession:
    """AWS clients whose calls are checked against the policies of a role."""

    policies: Policies

    def __init__(self, keys: dict[str, str], endpoints: Endpoints) -> None:
        self.keys, self.endpoints = keys, endpoints
        # To make one takes a tenth of a second.
        self.client = cache(self._client)

    def _client(self, service: str) -> Any:
        """A boto3 client. A call without the right to it raises ClientError (AccessDenied)."""
        made = aws_client(service, self.endpoints, self.keys)
        made.meta.events.register("before-parameter-build", self._check)
        return made

    def _check(self, params: dict[str, Any], model: Any, **_: object) -> None:
        service = model.service_model.signing_name
        zone = str(params.get("HostedZoneId", "")).rpartition("/")[2]
        partition = self.policies.role_arn.split(":")[1]
        resource = f"arn:{partition}:route53:::hostedzone/{zone}" if zone else None
        if why := self.policies.refusal(f"{service}:{model.name}", resource):
            error = {"Code": "AccessDenied", "Message": why}
            raise ClientError({"Error": error}, model.name)
