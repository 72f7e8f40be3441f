"""A reference to a cluster, with all that the platform's components need to know of it."""

from dataclasses import dataclass

import pulumi

from .kubernetes.admission import Admission
from .kubernetes.charts import ChartSource
from .location import Location


@dataclass(frozen=True, kw_only=True)
class ClusterRef:
    """A cluster that Cluster creates or ExistingCluster looks up; both have it as `ref`."""

    name: str
    """Name of the cluster, known in advance: tags, roles and queues contain it."""
    live_name: pulumi.Input[str]
    """Name of the cluster, resolved once the control plane is active: a resource that takes it
    waits for the control plane.
    """
    version: str
    """Kubernetes minor version, for example `1.35`."""
    location: Location
    """Account and region."""
    endpoint: pulumi.Input[str]
    """Address of the Kubernetes API, `https://…`."""
    certificate_authority: pulumi.Input[str]
    """Certificate authority of the endpoint, in base64."""
    service_cidr: pulumi.Input[str]
    """Address range of Services, for example `10.100.0.0/16`."""
    oidc_provider_arn: pulumi.Input[str]
    """ARN of the OIDC provider in IAM that IRSA trusts; empty on an existing cluster without
    Fargate, where pods get their permissions by Pod Identity.
    """
    security_group_id: pulumi.Input[str]
    """Id of the security group that EKS made for control plane, Fargate pods and nodes."""
    discoverable: bool
    """True if Karpenter can find the nodes' security group by its tag; in an existing cluster the
    group is given by its id instead.
    """
    isolated: bool = False
    """True if pods have no way to the internet."""
    provider: pulumi.ProviderResource
    """The Kubernetes provider, which makes objects in the cluster. A component takes the provider
    from here and passes it to those objects only: set in the component's options, the provider
    would delay its queues and roles too.
    """
    admission: Admission
    """Hooks that wait until the cluster's webhooks admit pods correctly."""
    charts: ChartSource
    """Source of charts and images: upstream, or mirrors."""
