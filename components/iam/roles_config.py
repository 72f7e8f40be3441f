"""The stack file's settings of IAM roles."""

from pydantic import Field

from ..section import Section


class RolesConfig(Section):
    """The account's rules for the roles that this program creates."""

    path: str | None = Field(default=None, pattern=r"^/([!-.0-~]+/)*$", max_length=512)
    """Path of every role, for example `/teams/platform/`; changing it replaces all roles. Absent:
    `/`.
    """
    permissions_boundary: str | None = Field(
        default=None, pattern=r"^arn:aws[a-z-]*:iam::(\d{12}|aws):policy/[\w+=,.@/-]+$"
    )
    """ARN of the managed policy that no role may exceed."""
    spot_service_linked_role: bool = True
    """If true, the stack creates the account's role for spot requests if it is missing. Set false
    if somebody else manages it, or the stack uses no spot.
    """
