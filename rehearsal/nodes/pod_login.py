"""Variables that EKS's webhook, or the agent of Pod Identity, gives a container with a role."""

from collections.abc import Mapping
from pathlib import Path

from rehearsal.nodes.pod_credentials import Granted, PlayedAws

OFFLINE = {
    # On Fargate there is no instance metadata; on nodes pods do not get at it (hop limit 1).
    "AWS_EC2_METADATA_DISABLED": "true",
    # What the user has configured must not answer for the pod.
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}


def aws_environment(aws: PlayedAws, granted: Granted, token: Path) -> Mapping[str, str]:
    """Variables for the AWS SDK; `token` is where the program finds its service account's."""
    region = {"AWS_REGION": aws.region, "AWS_DEFAULT_REGION": aws.region}
    if granted.by_web_identity:
        return region | {
            "AWS_ROLE_ARN": granted.role_arn,
            "AWS_WEB_IDENTITY_TOKEN_FILE": str(token),
            "AWS_STS_REGIONAL_ENDPOINTS": "regional",
        }
    # No agent runs on a simulated node: its answer is given beforehand.
    session = aws.session_of(granted.role_arn)
    return region | {
        "AWS_ACCESS_KEY_ID": session["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": session["SecretAccessKey"],
        "AWS_SESSION_TOKEN": session["SessionToken"],
    }
