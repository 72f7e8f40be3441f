"""The role that deploys, which both the AWS provider and the AWS CLI (for tokens) assume."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from components.section import Mistake, Section

IN_A_PROFILE = (
    "write it into a profile of ~/.aws/config (role_arn, source_profile, external_id) and name "
    "that in aws:profile instead"
)


class AssumedRole(Section):
    """An entry of `aws:assumeRoles`, with the keys of the AWS provider (ProviderAssumeRole)."""

    role_arn: str = Field(
        pattern=r"^arn:aws[a-z-]*:iam::\d{12}:role/\S+$",
        examples=["arn:aws:iam::111122223333:role/platform-admin"],
    )
    """ARN of the role; `cluster.admins` must contain it."""
    session_name: str | None = None
    """Name of the provider's session in CloudTrail; the AWS CLI names the token's session
    itself.
    """
    duration: str | None = None
    """Duration of the provider's session, for example `1h`; the AWS CLI sets the token's itself."""
    external_id: str | None = None
    """Refused: the AWS CLI has no option for it. Set it in a profile."""
    policy: str | None = None
    """Refused like externalId."""
    policy_arns: Sequence[str] = ()
    """Refused like externalId."""
    source_identity: str | None = None
    """Refused like externalId."""
    tags: Mapping[str, str] = {}
    """Refused like externalId."""
    transitive_tag_keys: Sequence[str] = ()
    """Refused like externalId."""

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses keys that would reach AWS but not the Kubernetes API."""
        passed_on = {"role_arn", "session_name", "duration"}
        for name, field in type(self).model_fields.items():
            if name not in passed_on and getattr(self, name):
                yield Mistake(
                    field.alias or name,
                    "reaches AWS, but `aws eks get-token` has no option for it, so that the "
                    f"Kubernetes API would get no token: {IN_A_PROFILE}",
                )
