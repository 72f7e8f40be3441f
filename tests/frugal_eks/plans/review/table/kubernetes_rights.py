"""What widens within Kubernetes."""

from tests.frugal_eks.plans.review.made import step
from tests.frugal_eks.plans.review.table.case import Case

ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
BINDING = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
WIDER = "Permissions widen"


def rules(verbs, resources=("pods",), groups=("",), **more):
    rule = {"apiGroups": list(groups), "resources": list(resources), "verbs": list(verbs)}
    return {"rules": [rule | more]}


def bound(*names, role="view"):
    subjects = [{"kind": "Group", "name": name} for name in names]
    return {"roleRef": {"kind": "ClusterRole", "name": role}, "subjects": subjects}


CASES = [
    Case(
        "a verb",
        [step("update", ROLE, old=rules(["get"]), new=rules(["get", "delete"]))],
        [f"{WIDER}: ClusterRole one also allows delete on /pods/*"],
        [step("update", ROLE, old=rules(["*"]), new=rules(["get", "delete"]))],
    ),
    Case(
        "a name dropped",
        [step("update", ROLE, old=rules(["get"], resourceNames=["a"]), new=rules(["get"]))],
        [f"{WIDER}: ClusterRole one also allows get on /pods/*"],
        [step("update", ROLE, old=rules(["get"]), new=rules(["get"], resourceNames=["a"]))],
    ),
    Case(
        "everything, of a new role too",
        [step("create", ROLE, new=rules(["*"], ["*"], ["*"]))],
        [f"{WIDER}: ClusterRole one allows everything on everything"],
        [step("create", ROLE, new=rules(["get"], ["*"], ["*"]))],
    ),
    Case(
        "who is bound",
        [step("update", BINDING, old=bound("a"), new=bound("a", "b"))],
        [f"{WIDER}: ClusterRoleBinding one binds Group b to ClusterRole view"],
        [step("update", BINDING, old=bound("a", "b"), new=bound("b"))],
    ),
    Case(
        "to another role",
        [step("update", BINDING, old=bound("a"), new=bound("a", role="edit"))],
        [f"{WIDER}: ClusterRoleBinding one binds Group a to ClusterRole edit"],
        [step("create", BINDING, new=bound("a"))],
    ),
    Case(
        "as administrators, in a new binding too",
        [step("create", BINDING, new=bound("a", role="cluster-admin"))],
        [f"{WIDER}: ClusterRoleBinding one binds Group a to ClusterRole cluster-admin"],
        [step("delete", BINDING, old=bound("a", role="cluster-admin"))],
    ),
]
