"""A reference to a cluster, with all that the parts of a platform have to know of it."""

from dataclasses import dataclass

import pulumi

from .kubernetes.admission import Admission
from .kubernetes.charts import ChartSource
from .location import Location


@dataclass(frozen=True, kw_only=True)
class ClusterRef:
    """A cluster, as Cluster makes it or ExistingCluster finds it: the `ref` of either."""

    name: str
    """The cluster's name, known in advance: tags and the names of roles and queues carry it."""
    live_name: pulumi.Input[str]
    """The cluster's name, known once the control plane is active: a resource that takes this name
    waits for the control plane."""
    version: str
    """The Kubernetes minor, for example `1.35`."""
    location: Location
    """Account and region."""
    endpoint: pulumi.Input[str]
    """The address of the Kubernetes API, `https://…`."""
    certificate_authority: pulumi.Input[str]
    """The certificate authority of the endpoint, in base64."""
    service_cidr: pulumi.Input[str]
    """The addresses of Services, for example `10.100.0.0/16`."""
    oidc_provider_arn: pulumi.Input[str]
    """The OIDC provider in IAM, which IRSA trusts; empty on an existing cluster without Fargate,
    where pods get their rights by Pod Identity."""
    security_group_id: pulumi.Input[str]
    """The security group that EKS made for control plane, Fargate pods and nodes."""
    discoverable: bool
    """Whether Karpenter finds the nodes' security group by its tag; the group of somebody else's
    cluster is named instead."""
    isolated: bool = False
    """Whether pods have no way to the internet."""
    provider: pulumi.ProviderResource
    """The Kubernetes provider, which makes objects in the cluster. A component takes the provider
    from here and hands it to those objects alone: given by its options, the provider would hold up
    the component's queues and roles too."""
    admission: Admission
    """Whether the cluster's webhooks admit pods well."""
    charts: ChartSource
    """The source of charts and images: upstream, or mirrors."""
