"""Checks Fargate profiles and vCPUs against quotas."""

from collections.abc import Iterator

from frugal_eks.plans.cost.fargate import PROFILE, on_fargate, size
from frugal_eks.plans.cost.program import objects, part
from frugal_eks.plans.cost.workloads import workloads
from frugal_eks.preflight import quotas
from frugal_eks.preflight.findings import Finding, fails, ok
from frugal_eks.preflight.quotas import compared, limit, metered
from frugal_eks.preflight.situation import Situation


def vcpus(situation: Situation) -> Iterator[Finding]:
    """Compares vCPUs of the pods that profiles select, as Fargate bills them."""
    program, account = situation.program, situation.account
    if not situation.count(PROFILE):
        return
    needed = 0.0
    for each in workloads(program):
        if on_fargate(program, each.namespace, each.labels):
            billed = size(each.request)
            if billed is None:
                no_metriclarge = f"{each.name} asks for more than Fargate's largest pod"
                yield fails(
                    "Fargate pod size", no_metriclarge, "lower what it requests, or use nodes"
                )
            else:
                needed += billed.vcpu * each.pods.expected
    quota = quotas.FARGATE_VCPUS
    allowed = limit(account, quota)
    used = metered(account, allowed.metric, situation.machine.now())
    comparison = compared("Fargate vCPUs", quota, allowed, used or 0.0, needed)
    yield comparison
    if used is None:
        no_metriclarge = "CloudWatch has no use of the last hour: nothing runs, or it is not told"
        yield ok("Fargate vCPUs in use", no_metriclarge)


def profiles(situation: Situation) -> Iterator[Finding]:
    """Compares Fargate profiles of the cluster, and selectors and labels of one profile."""
    account = situation.account
    made = list(situation.program.of_type(PROFILE))
    if not made:
        return
    used = 0
    if situation.new_cluster is None:
        name = situation.cluster_name
        used = len(
            account.listed("eks", "list_fargate_profiles", "fargateProfileNames", clusterName=name)
        )
    if not situation.update:
        quota = quotas.FARGATE_PROFILES
        yield compared("Fargate profiles", quota, limit(account, quota), used, len(made))
    selectors = [objects(profile.inputs, "selectors") for profile in made]
    quota = quotas.FARGATE_SELECTORS
    most = max(map(len, selectors))
    yield compared("selectors of a Fargate profile", quota, limit(account, quota), 0, most)
    labels = max((len(part(each, "labels")) for some in selectors for each in some), default=0)
    if labels:
        quota = quotas.FARGATE_LABELS
        yield compared("labels of a Fargate selector", quota, limit(account, quota), 0, labels)
