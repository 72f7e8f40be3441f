"""IAM policy of the AWS Load Balancer Controller."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...versions import AWS_LOAD_BALANCER_CONTROLLER_CHART as RELEASE

POLICY = Path(__file__).with_name(f"aws-load-balancer-controller-{RELEASE}-iam-policy.json")
"""Upstream's `docs/install/iam_policy.json` of the same release, unchanged: chart and controller
share one version number.
"""
_OFF = ("cognito-idp:", "waf-regional:", "wafv2:", "shield:")


def iam_policy(*, partition: str, region: str, cluster: str, vpc_id: str) -> dict[str, Any]:
    """Upstream's policy limited to this cluster and VPC, without permissions for features that are
    off.
    """
    text = POLICY.read_text(encoding="utf-8").replace('"arn:aws:', f'"arn:{partition}:')
    document = json.loads(text)
    # The account stays open: a shared VPC is its owner's, and its id is no other's.
    vpc = {"ArnEquals": {"ec2:Vpc": f"arn:{partition}:ec2:{region}:*:vpc/{vpc_id}"}}
    for statement in document["Statement"]:
        actions = [each for each in statement["Action"] if not each.startswith(_OFF)]
        statement["Action"] = actions
        if "Condition" in statement:
            statement["Condition"] = _of_one_cluster(statement["Condition"], cluster)
        elif "ec2:AuthorizeSecurityGroupIngress" in actions:
            # The groups of nodes carry no tag of the controller: the VPC is their bound.
            statement["Condition"] = vpc
    return document


def _of_one_cluster(condition: Mapping[str, Any], cluster: str) -> dict[str, Any]:
    """The condition with "the tag exists" replaced by "the tag is this cluster's".

    Upstream lets every controller in the account delete the load balancers of all clusters. Only
    the negative, "this call does not set the tag", stays as it is.
    """
    null = condition.get("Null", {})
    open_ = {key: value for key, value in null.items() if value != "false"}
    tags = {key: cluster for key, value in null.items() if value == "false"}
    equals = {**condition.get("StringEquals", {}), **tags}
    changed = {**condition, "StringEquals": equals, "Null": open_}
    return {operator: keys for operator, keys in changed.items() if keys}
