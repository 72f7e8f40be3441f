"""The role that deploys: assumed by the AWS provider, and by the AWS CLI for a cluster's tokens."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from components.section import Mistake, Section

IN_A_PROFILE = (
    "write it into a profile of ~/.aws/config (role_arn, source_profile, external_id) and name "
    "that in aws:profile instead"
)


class AssumedRole(Section):
    """One of `aws:assumeRoles`, with the keys of the AWS provider (ProviderAssumeRole)."""

    role_arn: str = Field(
        pattern=r"^arn:aws[a-z-]*:iam::\d{12}:role/\S+$",
        examples=["arn:aws:iam::111122223333:role/platform-admin"],
    )
    """The role; `cluster.admins` has to name it."""
    session_name: str | None = None
    """What CloudTrail calls the provider's session; the token's has a name of the AWS CLI's."""
    duration: str | None = None
    """How long the provider's session lasts, for example `1h`; a token's is the AWS CLI's own."""
    external_id: str | None = None
    """Refused: the AWS CLI has no option for it. It goes into a profile."""
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
        """Nothing that would reach AWS, but not the Kubernetes API."""
        passed_on = {"role_arn", "session_name", "duration"}
        for name, field in type(self).model_fields.items():
            if name not in passed_on and getattr(self, name):
                yield Mistake(
                    field.alias or name,
                    "reaches AWS, but `aws eks get-token` has no option for it, so that the "
                    f"Kubernetes API would get no token: {IN_A_PROFILE}",
                )
