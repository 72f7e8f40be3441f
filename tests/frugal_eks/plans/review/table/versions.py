"""What jumps."""

from tests.frugal_eks.plans.review.made import step
from tests.frugal_eks.plans.review.table.case import Case

CLUSTER, RELEASE = "aws:eks/cluster:Cluster", "kubernetes:helm.sh/v3:Release"
JUMPS = "Versions jump"
PRIVATE = {"vpcConfig": {"endpointPublicAccess": False}}


def _version(type_, old, new, **more):
    return step("update", type_, old={"version": old} | more, new={"version": new} | more)


def _image(old, new):
    def spec(image):
        return {"spec": {"template": {"spec": {"containers": [{"name": "a", "image": image}]}}}}

    return step("update", "kubernetes:apps/v1:Deployment", old=spec(old), new=spec(new))


CASES = [
    Case(
        "Kubernetes, one minor version",
        [_version(CLUSTER, "1.34", "1.35", **PRIVATE)],
        [
            f"{JUMPS}: eks.Cluster one takes Kubernetes from 1.34 to 1.35, another minor version: "
            "deprecated APIs first, and EKS never goes back"
        ],
        [_version(CLUSTER, "1.35", "1.35", **PRIVATE)],
    ),
    Case(
        "Kubernetes, more than one at once",
        [_version(CLUSTER, "1.33", "1.35", **PRIVATE)],
        [
            f"{JUMPS}: eks.Cluster one takes Kubernetes from 1.33 to 1.35, 2 minor versions at "
            "once: it takes one at a time: deprecated APIs first, and EKS never goes back"
        ],
        [_version(CLUSTER, None, "1.35", **PRIVATE)],
    ),
    Case(
        "Karpenter",
        [_version(RELEASE, "1.13.2", "1.14.1", chart="oci://public.ecr.aws/karpenter/karpenter")],
        [
            f"{JUMPS}: Release one takes the chart karpenter from 1.13.2 to 1.14.1, another minor "
            "version: read its upgrade guide, CRDs included"
        ],
        [_version(RELEASE, "1.14.0", "1.14.1", chart="oci://public.ecr.aws/karpenter/karpenter")],
    ),
    Case(
        "a chart, another major version",
        [_version(RELEASE, "3.9.0", "4.0.0", chart="external-dns")],
        [
            f"{JUMPS}: Release one takes the chart external-dns from 3.9.0 to 4.0.0, another major "
            "version"
        ],
        [_version(RELEASE, "3.9.0", "3.9.1", chart="external-dns")],
    ),
    Case(
        "a chart before its first major version",
        [_version(RELEASE, "v0.8.1", "v0.9.0", chart="node-termination-handler")],
        [
            f"{JUMPS}: Release one takes the chart node-termination-handler from v0.8.1 to v0.9.0, "
            "another minor version before 1.0, which may break"
        ],
        [_version(RELEASE, "v0.8.1", "v0.8.4", chart="node-termination-handler")],
    ),
    Case(
        "back, of whatever type",
        [_version("acme:index:Engine", "2.4", "2.3")],
        [f"{JUMPS}: Engine one takes it from 2.4 to 2.3, which is back"],
        [_version("acme:index:Engine", "2.3", "2.4")],
    ),
    Case(
        "an engine",
        [
            step(
                "update",
                "aws:rds/instance:Instance",
                old={"engineVersion": "16.4"},
                new={"engineVersion": "17.1"},
            )
        ],
        [f"{JUMPS}: rds.Instance one takes the engine from 16.4 to 17.1, another major version"],
        [
            step(
                "update",
                "aws:rds/instance:Instance",
                old={"engineVersion": "16.4"},
                new={"engineVersion": "16.5"},
            )
        ],
    ),
    Case(
        "an image",
        [_image("registry.k8s.io/web:1.9@sha256:aa", "registry.k8s.io/web:2.0")],
        [
            f"{JUMPS}: Deployment one takes the image registry.k8s.io/web from 1.9 to 2.0, another "
            "major version"
        ],
        [_image("registry.k8s.io/web:1.9", "registry.k8s.io/web:1.10")],
    ),
]
