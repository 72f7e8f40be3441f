"""Checks IAM: named principals, and room for roles and policies."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from frugal_eks.preflight import quotas as known_quotas
from frugal_eks.preflight.account import Account
from frugal_eks.preflight.findings import Finding, fails, ok, unknown
from frugal_eks.preflight.quotas import GLOBAL_HOME, compared, limit
from frugal_eks.preflight.situation import Situation

ROLE, POLICY = "aws:iam/role:Role", "aws:iam/policy:Policy"
SERVICE_ROLE = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
INLINE, ATTACHED = (
    "aws:iam/rolePolicy:RolePolicy",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
)
PROFILE = "aws:iam/instanceProfile:InstanceProfile"
OIDC = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
NO_SUCH = ("NoSuchEntity",)
_PRINCIPAL = re.compile(r"arn:[a-z-]+:iam::(?P<account>\d{12}):(?P<kind>role|user)/(?P<name>.+)")
_COUNTED = {
    "IAM roles": ("Roles", (ROLE, SERVICE_ROLE)),
    "IAM policies": ("Policies", (POLICY,)),
    "instance profiles": ("InstanceProfiles", (PROFILE,)),
}
"""Key in the account's summary, and types that count, by the name of the table's line."""


def administrators(situation: Situation) -> Iterator[Finding]:
    """Checks that each principal of `cluster.admins` exists: EKS refuses entries of others."""
    cluster = situation.new_cluster
    for arn in cluster.admins if cluster else ():
        yield _administrator(situation.account, arn)


def _administrator(account: Account, arn: str) -> Finding:
    check = "administrator"
    principal = _PRINCIPAL.fullmatch(arn)
    if principal is None or principal["account"] != account.id:
        return unknown(
            check, f"{arn} is not of account {account.id}", "be sure that it exists there"
        )
    kind, name = principal["kind"], principal["name"].rpartition("/")[2]
    argument = {"RoleName" if kind == "role" else "UserName": name}
    there = account.find(NO_SUCH, "iam", f"get_{kind}", **argument)
    if there is None:
        return fails(check, f"there is no {kind} {arn}", "make it, or correct cluster.admins")
    real = there["Role" if kind == "role" else "User"]["Arn"]
    if real != arn:
        return fails(
            check, f"{arn} is not its ARN: its path is missing or another", f"write {real}"
        )
    return ok(check, arn)


def quotas(situation: Situation) -> Iterator[Finding]:
    """Compares roles, policies and instance profiles of the account with IAM's own summary."""
    summary = situation.account.ask("iam", "get_account_summary")["SummaryMap"]
    for check, (word, types) in _COUNTED.items():
        needed = situation.count(*types)
        if not needed:
            continue
        used, allowed = summary[word], summary[f"{word}Quota"]
        usage = f"{used} of {allowed} in use, the stack needs {needed}"
        if used + needed <= allowed:
            yield ok(check, usage)
        else:
            yield fails(
                check, usage, "delete some, or ask for more in the console of Service Quotas"
            )


def policies(situation: Situation) -> Iterator[Finding]:
    """Compares the number of managed policies per role, and policy lengths, with IAM's limits."""
    summary = situation.account.ask("iam", "get_account_summary")["SummaryMap"]
    program = situation.program
    inline, attached = Counter[str](), Counter[str]()
    for each in program.of_type(INLINE):
        inline[str(each.inputs.get("role"))] += _length(each.inputs, "policy")
    for each in program.of_type(ATTACHED):
        attached[str(each.inputs.get("role"))] += 1
    managed = {p.name: _length(p.inputs, "policy") for p in program.of_type(POLICY)}
    trusts = {r.name: _length(r.inputs, "assumeRolePolicy") for r in program.of_type(ROLE)}
    for what, sizes, key in (
        ("managed policies of a role", attached, "AttachedPoliciesPerRoleQuota"),
        ("characters of a managed policy", managed, "PolicySizeQuota"),
        ("characters of a role's own policies", inline, "RolePolicySizeQuota"),
        ("characters of a trust policy", trusts, "AssumeRolePolicySizeQuota"),
    ):
        if not sizes:
            continue
        name = max(sizes, key=lambda each: sizes[each])
        usage = f"at most {sizes[name]} ({name}), IAM takes {summary[key]}"
        if sizes[name] <= summary[key]:
            yield ok(what, usage)
        else:
            yield fails(
                what, usage, "drop what it does not need, or ask for more where IAM gives it"
            )


def oidc_providers(situation: Situation) -> Iterator[Finding]:
    """Compares IAM's OIDC providers: each cluster needs one, and destroyed clusters may have left
    theirs.
    """
    needed, account = situation.count(OIDC), situation.account
    if not needed:
        return
    check, home = "OIDC providers", GLOBAL_HOME.get(account.partition)
    used = len(account.ask("iam", "list_open_id_connect_providers")["OpenIDConnectProviderList"])
    if home is None:
        yield unknown(check, f"{used} in use", "compare with IAM's quota in the console")
        return
    allowed = limit(Account(home), known_quotas.OIDC_PROVIDERS)
    yield compared(check, known_quotas.OIDC_PROVIDERS, allowed, used, needed)


def _length(inputs: Mapping[str, Any], key: str) -> int:
    """Characters of a policy without white space, which IAM does not count."""
    text = inputs.get(key)
    text = text if isinstance(text, str) else json.dumps(text)
    return len(re.sub(r"\s", "", text))
