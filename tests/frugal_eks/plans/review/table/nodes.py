"""What replaces nodes."""

from tests.frugal_eks.plans.review.made import step, urn
from tests.frugal_eks.plans.review.table.case import Case

CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
MANAGED, GROUP = "aws:eks/nodeGroup:NodeGroup", "aws:autoscaling/group:Group"
ROLLS = "Nodes are replaced"
USES = [urn(TEMPLATE, "one")]
REFRESH = {"instanceRefresh": {"strategy": "Rolling", "triggers": ["tag"]}}


def _specs(old, new):
    return {"old": {"spec": old}, "new": {"spec": new}}


CASES = [
    Case(
        "a drifted field of a node class",
        [step("update", CLASS, **_specs({"tags": {"a": "1"}}, {"tags": {"a": "2"}}))],
        [f"{ROLLS}: EC2NodeClass one replaces every node of it: spec.tags.a"],
        [step("update", CLASS, old={"metadata": {}}, new={"metadata": {"labels": {"a": "1"}}})],
    ),
    Case(
        "another image",
        [
            step(
                "update",
                CLASS,
                **_specs(
                    {"amiSelectorTerms": [{"alias": "al2023@v20260923"}]},
                    {"amiSelectorTerms": [{"alias": "al2023@v20260930"}]},
                ),
            )
        ],
        [f"{ROLLS}: EC2NodeClass one replaces every node of it: spec.amiSelectorTerms[0].alias"],
        [step("update", CLASS, **_specs({"ipPrefixCount": 1}, {"ipPrefixCount": 2}))],
    ),
    Case(
        "a pool's template, in part or whole",
        [
            step(
                "update",
                POOL,
                **_specs(
                    {"template": {"spec": {"expireAfter": "720h", "requirements": []}}},
                    {"template": {"spec": {"expireAfter": "24h", "requirements": [{"key": "a"}]}}},
                ),
            )
        ],
        [
            f"{ROLLS}: NodePool one replaces every node of it: spec.template.spec.expireAfter; "
            "may replace nodes of it: spec.template.spec.requirements[0]"
        ],
        [step("update", POOL, **_specs({"limits": {"cpu": 1}}, {"limits": {"cpu": 2}}))],
    ),
    Case(
        "a field that a newer Karpenter has",
        [
            step(
                "update",
                POOL,
                **_specs({"template": {"spec": {}}}, {"template": {"spec": {"newer": "1"}}}),
            )
        ],
        [
            f"{ROLLS}: NodePool one may replace nodes of it: the field is not known here: "
            "spec.template.spec.newer"
        ],
        [step("update", POOL, **_specs({"weight": 1}, {"weight": 2}))],
    ),
    Case(
        "a launch template, and whose nodes follow it",
        [
            step("update", TEMPLATE, old={"imageId": "ami-1"}, new={"imageId": "ami-2"}),
            step("same", MANAGED, "base", dependencies=USES),
            step("same", GROUP, "spot", old=REFRESH, dependencies=USES),
            step("same", GROUP, "by-hand", dependencies=USES),
        ],
        [
            f"{ROLLS}: ec2.LaunchTemplate one changes what its instances are made of: imageId; "
            "the nodes of base, spot are replaced for it; those of by-hand stay until something "
            "else replaces them"
        ],
        [step("update", TEMPLATE, old={"tags": {"a": "1"}}, new={"tags": {"a": "2"}})],
    ),
    Case(
        "the version or release of a managed group",
        [step("update", MANAGED, old={"releaseVersion": "1"}, new={"releaseVersion": "2"})],
        [
            f"{ROLLS}: eks.NodeGroup one has its nodes replaced one after the other by EKS: "
            "releaseVersion"
        ],
        [step("update", MANAGED, old={"labels": {"a": "1"}}, new={"labels": {"a": "2"}})],
    ),
    Case(
        "a group with an instance refresh",
        [
            step(
                "update",
                GROUP,
                old=REFRESH | {"launchTemplate": {"version": "1"}, "tags": [{"value": "a"}]},
                new=REFRESH | {"launchTemplate": {"version": "2"}, "tags": [{"value": "b"}]},
            )
        ],
        [
            f"{ROLLS}: autoscaling.Group one has its nodes replaced by an instance refresh: "
            "launchTemplate.version, tags[0].value"
        ],
        [step("update", GROUP, old=REFRESH | {"maxSize": 3}, new=REFRESH | {"maxSize": 5})],
    ),
    Case(
        "a group without one keeps its nodes",
        [step("replace", TEMPLATE, replaceReasons=["name"])],
        [f"{ROLLS}: ec2.LaunchTemplate one changes what its instances are made of: id"],
        [
            step(
                "update",
                GROUP,
                old={"launchTemplate": {"version": "1"}},
                new={"launchTemplate": {"version": "2"}},
            )
        ],
    ),
]
