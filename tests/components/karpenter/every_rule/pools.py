"""Each CEL rule of the NodePool, broken by a pool of the stack file."""

REQUIREMENTS = "spec.template.spec.requirements"
LABELS = "spec.template.metadata.labels"
CLASS = "spec.template.spec.nodeClassRef"
SIZE = "karpenter.k8s.aws/instance-size"


def requires(key, operator="In", values=("a",), **more):
    return {"requirements": [{"key": key, "operator": operator, "values": [*values], **more}]}


# Where the rule stands, its message; the part of the pool that breaks it; where the user is told,
# in which words, of which value.
BROKEN = [
    (
        "spec.disruption.budgets",
        "'schedule' must be set with 'duration'",
        {"disruption": {"budgets": [{"nodes": "0", "schedule": "@daily"}]}},
        ("disruption.budgets[0].duration", "schedule and duration belong together", None),
    ),
    (
        LABELS,
        'label domain "karpenter.sh" is restricted',
        {"labels": {"karpenter.sh/team": "a"}},
        ("labels.karpenter.sh/team", 'label domain "karpenter.sh" is restricted: ', "a"),
    ),
    (
        LABELS,
        'label "karpenter.sh/nodepool" is restricted',
        {"labels": {"karpenter.sh/nodepool": "default"}},
        (
            "labels.karpenter.sh/nodepool",
            'label "karpenter.sh/nodepool" is restricted: ',
            "default",
        ),
    ),
    (
        LABELS,
        'label "kubernetes.io/hostname" is restricted',
        {"labels": {"kubernetes.io/hostname": "a"}},
        ("labels.kubernetes.io/hostname", 'label "kubernetes.io/hostname" is restricted: ', "a"),
    ),
    (
        LABELS,
        'label domain "karpenter.k8s.aws" is restricted',
        {"labels": {"karpenter.k8s.aws/team": "a"}},
        ("labels.karpenter.k8s.aws/team", 'label domain "karpenter.k8s.aws" is restricted: ', "a"),
    ),
    (
        f"{CLASS}.name",
        "name may not be empty",
        {"nodeClass": ""},
        ("nodeClass", "nodeClasses has only default: name one of these", ""),
    ),
    (
        f"{REQUIREMENTS}[].key",
        'label domain "karpenter.sh" is restricted',
        requires("karpenter.sh/team"),
        (
            "requirements[0].key",
            'label domain "karpenter.sh" is restricted: ',
            "karpenter.sh/team",
        ),
    ),
    (
        f"{REQUIREMENTS}[].key",
        'label "karpenter.sh/nodepool" is restricted',
        requires("karpenter.sh/nodepool"),
        (
            "requirements[0].key",
            'label "karpenter.sh/nodepool" is restricted: ',
            "karpenter.sh/nodepool",
        ),
    ),
    (
        f"{REQUIREMENTS}[].key",
        'label "kubernetes.io/hostname" is restricted',
        requires("kubernetes.io/hostname"),
        (
            "requirements[0].key",
            'label "kubernetes.io/hostname" is restricted: ',
            "kubernetes.io/hostname",
        ),
    ),
    (
        f"{REQUIREMENTS}[].key",
        'label domain "karpenter.k8s.aws" is restricted',
        requires("karpenter.k8s.aws/team"),
        (
            "requirements[0].key",
            'label domain "karpenter.k8s.aws" is restricted: ',
            "karpenter.k8s.aws/team",
        ),
    ),
    (
        REQUIREMENTS,
        "requirements with operator 'In' must have a value defined",
        requires(SIZE, values=()),
        ("requirements[0].values", "operator In needs values: list at least one", None),
    ),
    (
        REQUIREMENTS,
        "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer"
        " value",
        requires("karpenter.k8s.aws/instance-cpu", "Gt", ["4", "8"]),
        ("requirements[0].values", "operator Gt compares with one whole number", "4, 8"),
    ),
    (
        REQUIREMENTS,
        "requirements with 'minValues' must have at least that many values specified in the"
        " 'values' field",
        requires(SIZE, values=["large"], minValues=2),
        ("requirements[0].minValues", "is more than there are values, 1", 2),
    ),
    (
        "spec",
        "only 'limits.nodes' is supported on static NodePools",
        {"replicas": 2, "limits": {"cpu": "8"}},
        ("limits.cpu", "a pool with replicas is limited by nodes only", "8"),
    ),
    (
        "spec",
        "'weight' is not supported on static NodePools",
        {"replicas": 2, "weight": 5},
        ("weight", "drop one of both", 5),
    ),
]
