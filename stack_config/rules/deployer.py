"""Rules that make the deployer the same identity for AWS and for the Kubernetes API."""

from collections.abc import Iterator

from components.section import Mistake
from stack_config.assumed_role import IN_A_PROFILE
from stack_config.model import StackConfig


def one_role_is_assumed(config: StackConfig) -> Iterator[Mistake]:
    """At most one role may be assumed: `aws eks get-token` assumes one, the AWS provider a
    chain.
    """
    if len(config.assume_roles) > 1:
        roles = ", ".join(role.role_arn for role in config.assume_roles)
        problem = (
            "are assumed one after the other for AWS, but `aws eks get-token` takes one for the "
            f"Kubernetes API: {IN_A_PROFILE}"
        )
        yield Mistake("aws:assumeRoles", problem, roles)


def credentials_reach_the_token(config: StackConfig) -> Iterator[Mistake]:
    """Credentials must not be in the stack file: the AWS provider reads them there, the AWS CLI
    does not.
    """
    keys = "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
    web_identity = "AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE"
    for key, value, variables in (
        ("aws:accessKey", config.access_key, keys),
        ("aws:secretKey", config.secret_key, keys),
        ("aws:token", config.token, keys),
        ("aws:assumeRoleWithWebIdentity", config.assume_role_with_web_identity, web_identity),
    ):
        if value:
            # Without the value, which nobody must see.
            yield Mistake(
                key,
                "reaches AWS, but not `aws eks get-token`, so that the Kubernetes API would get "
                f"somebody else's token: drop it and set {variables} in the environment, or name "
                "a profile of ~/.aws/config in aws:profile",
            )
