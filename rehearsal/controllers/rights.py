"""Decides if a role's policies allow an action, which moto itself does not check."""

import fnmatch
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from rehearsal.nodes.pod_credentials import listed

Statement = Mapping[str, Any]


class Policies:
    """The policies of one role, read when they are first needed.

    Conditions are not played: an Allow counts as if they were met, a Deny as if they were not.
    """

    def __init__(self, iam: Any, role_arn: str) -> None:
        self.iam, self.role_arn = iam, role_arn

    def refusal(self, action: str, resource: str | None = None) -> str | None:
        """Why the role may not do this, in IAM's words; None if it may. Without a resource, a
        statement about any resource counts.
        """
        fitting = [
            statement for statement in self._statements if matches(statement, action, resource)
        ]
        effects = {statement["Effect"] for statement in fitting if not _only_perhaps(statement)}
        on = f" on resource: {resource}" if resource else ""
        refused = f"{self.role_arn} is not authorized to perform: {action}{on}"
        if "Deny" in effects:
            return f"{refused} with an explicit deny in an identity-based policy"
        if "Allow" not in effects:
            return f"{refused} because no identity-based policy allows the {action} action"
        return None

    @cached_property
    def _statements(self) -> list[Statement]:
        name = self.role_arn.rpartition("/")[2]
        documents = [
            self.iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
            for policy in self.iam.list_role_policies(RoleName=name)["PolicyNames"]
        ]
        for attached in self.iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
            arn = attached["PolicyArn"]
            version = self.iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
            version_of_policy = self.iam.get_policy_version(PolicyArn=arn, VersionId=version)
            documents.append(version_of_policy["PolicyVersion"]["Document"])
        return [
            statement
            for document in documents
            for statement in listed(_read(document)["Statement"])
        ]


def matches(statement: Statement, action: str, resource: str | None) -> bool:
    """True if a statement covers this action, and this resource if there is one."""
    if "NotAction" in statement:
        about = not _any_like(action.lower(), statement["NotAction"], lower=True)
    else:
        about = _any_like(action.lower(), statement.get("Action"), lower=True)
    if resource is None or not about:
        return about
    if "NotResource" in statement:
        return not _any_like(resource, statement["NotResource"])
    return _any_like(resource, statement.get("Resource"))


def _only_perhaps(statement: Statement) -> bool:
    return statement["Effect"] == "Deny" and bool(statement.get("Condition"))


def _any_like(text: str, patterns: Any, *, lower: bool = False) -> bool:
    wanted = [str(pattern).lower() if lower else str(pattern) for pattern in listed(patterns)]
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in wanted)


def _read(document: Any) -> Mapping[str, Any]:
    return json.loads(document) if isinstance(document, str) else document
