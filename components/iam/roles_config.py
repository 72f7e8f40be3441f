"""What a stack file may say of IAM roles."""

from pydantic import Field

from ..section import Section


class RolesConfig(Section):
    """Rules of the account for the roles that this program makes."""

    path: str | None = Field(default=None, pattern=r"^/([!-.0-~]+/)*$", max_length=512)
    """The path of every role, `/teams/platform/` for example; another one makes all of them anew.
    Absent means `/`."""
    permissions_boundary: str | None = Field(
        default=None, pattern=r"^arn:aws[a-z-]*:iam::(\d{12}|aws):policy/[\w+=,.@/-]+$"
    )
    """The ARN of the managed policy that no role may exceed."""
    spot_service_linked_role: bool = True
    """Makes the account's role for spot requests where it is missing; false where somebody else
    looks after it, or nothing here asks for spot."""
