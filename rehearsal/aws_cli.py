"""Stands in for the AWS CLI where a kubeconfig runs it: `aws eks get-token`."""

# pyright: basic
# botocore leaves too much untyped for the strict mode.

import argparse
import base64
import datetime
import json
import sys

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session

SECONDS = 60
"""Seconds for which a token's URL is presigned (aws-cli:
awscli/customizations/eks/get_token.py).
"""
FRESH = datetime.timedelta(minutes=14)
"""Time after which kubectl asks for another token (same file)."""
SESSION = "EKSGetTokenAuth"
"""Session name in the role of `--role-arn` (same file)."""
REFUSED, FAILED = 252, 255
"""Exit codes of the AWS CLI: not understood, or failed."""


def get_token(options: argparse.Namespace) -> str:
    """An ExecCredential with the token of whoever the credentials are. Raises BotoCoreError."""
    session = Session(profile=options.profile)
    region = options.region or session.get_config_variable("region")
    if options.role_arn:
        sts = session.create_client("sts", region_name=region, config=Config(proxies={}))
        keys = sts.assume_role(RoleArn=options.role_arn, RoleSessionName=SESSION)["Credentials"]
        session.set_credentials(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])
    request = AWSRequest(
        "GET",
        f"https://sts.{region}.amazonaws.com/",
        params={"Action": "GetCallerIdentity", "Version": "2011-06-15"},
        headers={"x-k8s-aws-id": options.cluster_name},
    )
    SigV4QueryAuth(session.get_credentials(), "sts", region, expires=SECONDS).add_auth(request)
    encoded = base64.urlsafe_b64encode(request.prepare().url.encode()).decode().rstrip("=")
    ends = datetime.datetime.now(datetime.UTC) + FRESH
    return json.dumps(
        {
            "kind": "ExecCredential",
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "spec": {},
            "status": {
                "expirationTimestamp": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "token": f"k8s-aws-v1.{encoded}",
            },
        }
    )


def main(argv: list[str]) -> int:
    """Runs the command and returns the exit code; other features of the AWS CLI are refused."""
    parser = argparse.ArgumentParser(prog="aws", add_help=False)
    # The CLI takes its own options before and after the command, and `--role` for `--role-arn`.
    parser.add_argument("--region")
    parser.add_argument("--profile")
    parser.add_argument("--output", choices=["json"])
    parser.add_argument("--cluster-name", required=True)
    parser.add_argument("--role-arn")
    if not ("eks" in argv and argv[argv.index("eks") + 1 :][:1] == ["get-token"]):
        message = "the rehearsal's aws answers only 'aws eks get-token --cluster-name NAME'"
        print(f"{message} and 'aws --version'", file=sys.stderr)
        return REFUSED
    at = argv.index("eks")
    try:
        print(get_token(parser.parse_args([*argv[:at], *argv[at + 2 :]])))
    except (BotoCoreError, ClientError) as error:
        print(f"\n{error}", file=sys.stderr)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
