"""Checks that names chosen by the program are free."""

from collections.abc import Callable, Iterator

from frugal_eks.preflight.account import Account, MissingRightError
from frugal_eks.preflight.findings import Finding, fails, ok, unread
from frugal_eks.preflight.situation import Situation

Taken = Callable[[Account, str], bool]


def names(situation: Situation) -> Iterator[Finding]:
    """Checks the cluster's name, and each resource name that the program chooses."""
    account = situation.account
    if situation.new_cluster is not None:
        yield _looked_up(account, "cluster", situation.cluster_name, _cluster)
    for kind, (noun, taken) in _NAMED.items():
        for resource in situation.program.of_type(kind):
            name = resource.inputs.get("name")
            if resource.urn in situation.stack.adopted:
                yield ok(f"{noun} {name}", "it is there already, and the stack takes it over")
            elif isinstance(name, str):
                yield _looked_up(account, noun, name, taken)


def _looked_up(account: Account, noun: str, name: str, taken: Taken) -> Finding:
    check = f"{noun} {name}"
    try:
        is_taken = taken(account, name)
    except MissingRightError as error:
        return unread(check, *error.actions)
    if is_taken:
        return fails(
            check,
            "the name is taken",
            "--update if it is this stack's own; if an earlier cluster left it, delete it "
            "(`./frugal-eks sweep`); else choose another cluster.name",
        )
    return ok(check, "the name is free")


def _cluster(account: Account, name: str) -> bool:
    return (
        account.find(("ResourceNotFoundException",), "eks", "describe_cluster", name=name)
        is not None
    )


def _log_group(account: Account, name: str) -> bool:
    groups = account.listed("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=name)
    return any(group["logGroupName"] == name for group in groups)


def _queue(account: Account, name: str) -> bool:
    absent = ("AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist")
    return account.find(absent, "sqs", "get_queue_url", QueueName=name) is not None


def _role(account: Account, name: str) -> bool:
    return account.find(("NoSuchEntity",), "iam", "get_role", RoleName=name) is not None


def _policy(account: Account, name: str) -> bool:
    arn = f"arn:{account.partition}:iam::{account.id}:policy/{name}"
    return account.find(("NoSuchEntity",), "iam", "get_policy", PolicyArn=arn) is not None


def _group(account: Account, name: str) -> bool:
    query = {"AutoScalingGroupNames": [name]}
    answer = account.ask("autoscaling", "describe_auto_scaling_groups", **query)
    return bool(answer["AutoScalingGroups"])


_NAMED: dict[str, tuple[str, Taken]] = {
    "aws:cloudwatch/logGroup:LogGroup": ("log group", _log_group),
    "aws:sqs/queue:Queue": ("queue", _queue),
    "aws:iam/role:Role": ("role", _role),
    "aws:iam/policy:Policy": ("policy", _policy),
    "aws:autoscaling/group:Group": ("Auto Scaling group", _group),
}
"""Label of a type, and the function that tells if AWS has one of a name."""
