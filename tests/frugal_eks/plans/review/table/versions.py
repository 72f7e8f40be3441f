"""What jumps."""

from tests.frugal_eks.plans.review.made import step
from tests.frugal_eks.plans.review.table.case import Case

CLUSTER, RELEASE = "aws:eks/cluster:Cluster", "kubernetes:helm.sh/v3:Release"
JUMPS = "Versions jump"
PRIVATE = {"vpcConfig": {"endpointPublicAccess": False}}


def _version(type_, old, new, **more):
    return step("update", type_, old={"version": old} | more, new={"version": new} | more)


def _chart(name, chart, jump, kept):
    old, new, what = jump
    return Case(
        name,
        [_version(RELEASE, old, new, chart=chart)],
        [
            f"{JUMPS}: Release one takes the chart {chart.rpartition('/')[2]} from {old} to {new}, "
            f"{what}"
        ],
        [_version(RELEASE, *kept, chart=chart)],
    )


def _engine(old, new):
    kind = "aws:rds/instance:Instance"
    return step("update", kind, old={"engineVersion": old}, new={"engineVersion": new})


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
    _chart(
        "Karpenter",
        "oci://public.ecr.aws/karpenter/karpenter",
        ("1.13.2", "1.14.1", "another minor version: read its upgrade guide, CRDs included"),
        kept=("1.14.0", "1.14.1"),
    ),
    _chart(
        "a chart, another major version",
        "external-dns",
        ("3.9.0", "4.0.0", "another major version"),
        kept=("3.9.0", "3.9.1"),
    ),
    _chart(
        "a chart before its first major version",
        "node-termination-handler",
        ("v0.8.1", "v0.9.0", "another minor version before 1.0, which may break"),
        kept=("v0.8.1", "v0.8.4"),
    ),
    Case(
        "back, of whatever type",
        [_version("acme:index:Engine", "2.4", "2.3")],
        [f"{JUMPS}: Engine one takes it from 2.4 to 2.3, which is back"],
        [_version("acme:index:Engine", "2.3", "2.4")],
    ),
    Case(
        "an engine",
        [_engine("16.4", "17.1")],
        [f"{JUMPS}: rds.Instance one takes the engine from 16.4 to 17.1, another major version"],
        [_engine("16.4", "16.5")],
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
