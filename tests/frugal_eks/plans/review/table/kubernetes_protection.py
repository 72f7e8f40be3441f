"""What no longer protects within Kubernetes."""

from tests.frugal_eks.plans.review.made import step, urn
from tests.frugal_eks.plans.review.table.case import Case

BUDGET = "kubernetes:policy/v1:PodDisruptionBudget"
GONE = "Protection is removed"

CASES = [
    Case(
        "a finalizer",
        [
            step(
                "update",
                "kubernetes:core/v1:PersistentVolumeClaim",
                old={"metadata": {"finalizers": ["kubernetes.io/pvc-protection"]}},
                new={"metadata": {"finalizers": []}},
            )
        ],
        [f"{GONE}: PersistentVolumeClaim one loses the finalizer kubernetes.io/pvc-protection"],
        [
            step(
                "update",
                "kubernetes:core/v1:PersistentVolumeClaim",
                old={"metadata": {"finalizers": []}},
                new={"metadata": {"finalizers": ["kubernetes.io/pvc-protection"]}},
            )
        ],
    ),
    Case(
        "one finalizer instead of another, or all of them",
        [
            step(
                "update",
                "kubernetes:core/v1:Namespace",
                old={"metadata": {"finalizers": ["a"]}},
                new={"metadata": {"finalizers": ["b"]}},
            ),
            step(
                "update",
                "kubernetes:core/v1:Namespace",
                "two",
                old={"metadata": {"finalizers": ["a", "b"]}},
                new={"metadata": {}},
            ),
        ],
        [
            f"{GONE}: Namespace one loses the finalizer a",
            f"{GONE}: Namespace two loses the finalizer a, b",
        ],
        [
            step(
                "update",
                "kubernetes:core/v1:Namespace",
                old={"metadata": {}},
                new={"metadata": {"finalizers": ["a"]}},
            )
        ],
    ),
    Case(
        "a disruption budget",
        [
            step("delete", BUDGET),
            step(
                "update",
                BUDGET,
                "two",
                old={"spec": {"minAvailable": 2}},
                new={"spec": {"minAvailable": 1}},
            ),
        ],
        [
            f"{GONE}: PodDisruptionBudget one is deleted: its pods may all be evicted at once",
            f"{GONE}: PodDisruptionBudget two has spec.minAvailable 1 instead of 2: look whether "
            "more pods may go at once",
        ],
        [
            step("delete", BUDGET, dependencies=[urn("aws:ec2/tag:Tag", "web")]),
            step("delete", "aws:ec2/tag:Tag", "web"),
        ],
    ),
    Case(
        "an annotation that holds a node",
        [
            step(
                "update",
                "kubernetes:core/v1:Pod",
                old={"metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}}},
                new={"metadata": {"annotations": {}}},
            )
        ],
        [
            f'{GONE}: Pod one has metadata.annotations["karpenter.sh/do-not-disrupt"] no longer: '
            "it is protected no more"
        ],
        [
            step(
                "update",
                "kubernetes:core/v1:Pod",
                old={"metadata": {"annotations": {"team": "a"}}},
                new={"metadata": {"annotations": {}}},
            )
        ],
    ),
]
