"""Lists what is built from Go modules: a family each, beside its go.mod and go.sum."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PULUMI_SDK = "github.com/pulumi/pulumi/sdk"
AWS_PROVIDER = "github.com/aws/karpenter-provider-aws"

PULUMI = "v3.259.0"
KUBERNETES = "v1.36.3"
KUBERNETES_PROVIDER = "v4.25.0"
"""Version that the provider reports; plugins are laid out under the version that the SDK
requires.
"""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A change to a module's source for the build alone: the module cache stays as it is."""

    module: str
    file: str
    old: str
    """Text that is in the file exactly once."""
    new: str
    added: str
    """File of the family's folder that is compiled beside the changed one."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """Binaries that share one go.mod: a module mix of its own, so that none disturbs another."""

    name: str
    packages: dict[str, str]
    """Package of each binary, by the binary's name."""
    stamps: dict[str, str]
    """Go variables set when linking, by which most programs learn their version."""
    tags: tuple[str, ...] = ()
    module_files: dict[str, tuple[str, str]]
    """Files of a module that must be beside the binaries: module and path, by file name."""
    minutes: float
    """Approximate minutes of a build on 2 cores when nothing is cached."""
    folder: Path
    edits: tuple[Edit, ...] = ()

    @property
    def linker_flags(self) -> str:
        """Linker flags, without symbol tables (-s -w): a third smaller, and nobody debugs them
        here.
        """
        return " ".join(["-s -w", *(f"-X {key}={value}" for key, value in self.stamps.items())])


def _family(  # noqa: PLR0913, PLR0917 - reads as a table below
    name: str,
    minutes: float,
    packages: dict[str, str],
    stamps: dict[str, str] | None = None,
    tags: tuple[str, ...] = (),
    module_files: dict[str, tuple[str, str]] | None = None,
    edits: tuple[Edit, ...] = (),
) -> Family:
    return Family(
        name=name,
        packages=packages,
        stamps=stamps or {},
        tags=tags,
        module_files=module_files or {},
        minutes=minutes,
        folder=HERE / name,
        edits=edits,
    )


def _version_stamps(package: str, version: str) -> dict[str, str]:
    major, minor, _ = version.removeprefix("v").split(".")
    return {
        f"{package}.gitVersion": version,
        f"{package}.gitMajor": major,
        f"{package}.gitMinor": minor,
    }


_kubernetes_major, _kubernetes_minor, _ = KUBERNETES.removeprefix("v").split(".")

FAMILIES = (
    _family(
        "pulumi",
        3.5,
        {"pulumi": "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"},
        # Without a version the SDK refuses to drive the CLI.
        {f"{PULUMI_SDK}/v3/go/common/version.Version": PULUMI},
        tags=("osusergo", "grpcnotrace"),
    ),
    _family(
        "pulumi-language-python",
        1,
        {"pulumi-language-python": f"{PULUMI_SDK}/python/cmd/pulumi-language-python/v3"},
        # The host runs it from the folder that it lies in itself.
        module_files={
            "pulumi-language-python-exec": (
                f"{PULUMI_SDK}/v3",
                "python/cmd/pulumi-language-python-exec",
            )
        },
    ),
    _family(
        "pulumi-resource-kubernetes",
        8,
        # The renderer is the same Helm without a cluster: tests look at charts through it.
        {"pulumi-resource-kubernetes": ".", "render": "./render"},
        {
            "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": (
                KUBERNETES_PROVIDER
            ),
            # Else its Helm takes the cluster for Kubernetes 1.20 wherever it cannot ask.
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor": _kubernetes_major,
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor": _kubernetes_minor,
        },
    ),
    _family("etcd", 1, {"etcd": "go.etcd.io/etcd/server/v3"}),
    _family(
        "kubernetes",
        5,
        {
            "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
            "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
            "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
            "kubectl": "k8s.io/kubernetes/cmd/kubectl",
        },
        # Else the API server says v0.0.0-master.
        _version_stamps("k8s.io/component-base/version", KUBERNETES)
        | _version_stamps("k8s.io/client-go/pkg/version", KUBERNETES),
    ),
    _family("kwok", 1.5, {"kwok": "sigs.k8s.io/kwok/cmd/kwok"}),
    # The AWS provider itself: only the fleet of instances is simulated in its process.
    _family(
        "karpenter",
        3.5,
        {"karpenter": f"{AWS_PROVIDER}/kwok"},
        edits=(
            Edit(
                module=AWS_PROVIDER,
                file="kwok/ec2/ec2.go",
                old="ltConfig := input.LaunchTemplateConfigs[0]",
                new="ltConfig := c.lowestPriced(input)",
                added="fleet/lowest_price.go",
            ),
        ),
    ),
    _family(
        "node-termination-handler",
        1.5,
        {"node-termination-handler": "github.com/aws/aws-node-termination-handler/cmd"},
    ),
    _family("actionlint", 0.5, {"actionlint": "github.com/rhysd/actionlint/cmd/actionlint"}),
)

ENGINE = ("pulumi", "pulumi-language-python", "pulumi-resource-kubernetes")
CONTROL_PLANE = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
CLUSTER = (*CONTROL_PLANE, "karpenter", "node-termination-handler")
"""Tools that `./frugal-eks rehearse start` runs."""
REHEARSAL = (*ENGINE, *CLUSTER)
"""Tools of a whole rehearsal; kubectl, render and actionlint are built on request."""


def family_of(tool: str, families: tuple[Family, ...] = FAMILIES) -> Family:
    """Family that builds this binary. Raises LookupError with the known names."""
    for family in families:
        if tool in family.packages:
            return family
    known = sorted(name for family in families for name in family.packages)
    raise LookupError(f"{tool} is none of the tools {', '.join(known)}")
