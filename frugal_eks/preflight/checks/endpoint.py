"""Checks that this machine may reach, and reaches, the Kubernetes API."""

import ipaddress
from collections.abc import Iterator, Sequence

from frugal_eks.preflight.findings import Finding, fails, ok, unknown
from frugal_eks.preflight.situation import Situation

CHECK = "endpoint"
ABSENT = ("ResourceNotFoundException",)


def endpoint(situation: Situation) -> Iterator[Finding]:
    """Connects to an existing endpoint; judges the settings of a new one."""
    cluster = situation.new_cluster
    if cluster is not None:
        settings = cluster.endpoint
        if settings.public:
            yield _may_reach(situation, [str(each) for each in settings.public_cidrs])
        else:
            yield unknown(
                "endpoint access",
                "only from inside the VPC (endpoint.public: false)",
                "run `up` where the VPC is reached, over VPN or peering, or set endpoint.public",
            )
    if cluster is not None and not situation.update:
        return
    description = situation.account.find(
        ABSENT, "eks", "describe_cluster", name=situation.cluster_name
    )
    if description is None:
        problem_text = f"there is no cluster {situation.cluster_name}"
        if cluster is not None:
            yield unknown(CHECK, f"{problem_text} yet", "`up` makes it; only then can it be tried")
        else:
            yield fails(CHECK, problem_text, "correct cluster.existing")
        return
    url = description["cluster"].get("endpoint")
    if not url:
        problem_text = f"the cluster is {description['cluster']['status']}, and has no endpoint"
        yield unknown(CHECK, problem_text, "wait until it is ACTIVE")
        return
    problem = situation.machine.reach(url)
    if problem:
        remedy = "open the way: publicAccessCidrs, VPN, proxy, or run it inside the VPC"
        yield fails(CHECK, f"{url}: {problem}", remedy)
    else:
        yield ok(CHECK, f"{url} answers")


def _may_reach(situation: Situation, ranges: Sequence[str]) -> Finding:
    check = "endpoint access"
    networks = [ipaddress.ip_network(each, strict=False) for each in ranges]
    if not networks or any(network.prefixlen == 0 for network in networks):
        return ok(check, "from every address")
    address_text = situation.machine.public_address()
    try:
        address = ipaddress.ip_address(address_text or "")
    except ValueError:
        return unknown(
            check,
            "this machine's public address is not known",
            f"be sure that it is in endpoint.publicCidrs: {', '.join(ranges)}",
        )
    if any(address.version == network.version and address in network for network in networks):
        return ok(check, f"{address}, this machine's address, is in endpoint.publicCidrs")
    return fails(
        check,
        f"{address}, this machine's address, is not in endpoint.publicCidrs ({', '.join(ranges)}): "
        "`up` would not reach the cluster that it makes",
        f"add {address}/{address.max_prefixlen}, or run `up` from one of them",
    )
