"""Converts service accounts with rights in AWS: those of known programs become add-ons."""

from frugal_eks.migrate.notes import Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

ZONES = ["example.com"]
_ADDONS: dict[str, tuple[Place, str]] = {
    "awsLoadBalancerController": (
        ("addons", "awsLoadBalancerController"),
        "aws-load-balancer-controller",
    ),
    "externalDNS": (("addons", "externalDns"), "external-dns"),
    "ebsCSIController": (("addons", "ebsCsi"), "ebs-csi-controller-sa"),
    "efsCSIController": (("addons", "efsCsi"), "efs-csi-controller-sa"),
    "autoScaler": (("clusterAutoscaler",), "cluster-autoscaler"),
}
"""Section and service account of each of eksctl's `wellKnownPolicies`."""
_KARPENTER = "the karpenter section makes the controller's role and its rights"
_ROLE = "the add-on's section makes its role and service account"
_YOURS = (
    "the program gives rights to its own add-ons only: make the role in a program of yours "
    "(aws.eks.PodIdentityAssociation)"
)


def convert_service_accounts(iam: Reader, out: Sections) -> None:
    """Converts `iam.serviceAccounts` and `iam.podIdentityAssociations`."""
    out.leave(iam.fixed("withOIDC", "the cluster's OIDC provider is always made", True))
    for account in iam.parts("serviceAccounts"):
        metadata = account.part("metadata")
        _account(account, metadata, "name", out)
    for account in iam.parts("podIdentityAssociations"):
        _account(account, account, "serviceAccountName", out)


def _account(account: Reader, named: Reader, name_key: str, out: Sections) -> None:
    policies = account.part("wellKnownPolicies")
    wanted = [key for key in policies.value if key in _ADDONS and policies.expect(key, True)]
    for key in policies.value:
        policies.expect(key, False)
    for key in wanted:
        place, name = _ADDONS[key]
        out.ensure(place)
        if key == "externalDNS" and not out.has((*place, "zones")):
            out.put((*place, "zones"), ZONES, "fill in: the hosted zones that it may write")
        own = f"{named.text('namespace', 'default')}/{named.text(name_key)}"
        if own != f"kube-system/{name}":
            out.say(place, f"its service account is kube-system/{name}, was {own}")
    if wanted:
        out.leave(account.rest(_ROLE))
        return
    if named.value.get(name_key) == "karpenter":
        out.leave(account.rest(_KARPENTER))
        return
    out.leave(account.rest(_YOURS))
