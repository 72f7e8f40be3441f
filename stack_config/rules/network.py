"""Rules for the cluster's network, and for access to AWS from inside it."""

from collections.abc import Iterator

from components.cluster.cluster_config import ClusterConfig
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.network.config import ExistingNetworkConfig, NewNetworkConfig
from components.network.endpoints import missing_endpoints
from components.section import Mistake
from stack_config.model import StackConfig


def a_cluster_has_a_network(config: StackConfig) -> Iterator[Mistake]:
    """A new cluster needs a network; an existing one has it, and its owner manages it."""
    if isinstance(config.cluster, ClusterConfig):
        if config.network is None:
            yield Mistake("network", "Field required: add it")
        return
    if isinstance(config.network, NewNetworkConfig):
        yield Mistake(
            "network.cidr",
            f"cluster.existing is {config.cluster_name}, which has a VPC: name that one "
            "(vpcId, privateSubnetIds), or drop network",
            str(config.network.cidr),
        )
    if (
        isinstance(config.network, ExistingNetworkConfig)
        and "tag_subnets" not in config.network.model_fields_set
    ):
        yield Mistake(
            "network.tagSubnets",
            f"cluster.existing is {config.cluster_name}, whose maker may have put the same tags "
            "on: say false, and a preview tells what is missing; or true, and a destroy takes them "
            "away",
        )
    if "eks_addons" in config.model_fields_set:
        problem = f"cluster.existing is {config.cluster_name}, whose maker keeps them: drop it"
        yield Mistake("eksAddons", problem)
    on_it = {
        "fargate": config.fargate,
        "managedNodeGroups": config.managed_node_groups,
        "spotNodeGroups": config.spot_node_groups,
        "karpenter": config.karpenter,
    }
    wanting = [key for key, section in on_it.items() if section]
    if wanting and config.network is None:
        yield Mistake(
            "network",
            f"{', '.join(wanting)} need subnets of the cluster's VPC: add vpcId and "
            "privateSubnetIds",
        )


def everything_reaches_aws(config: StackConfig) -> Iterator[Mistake]:
    """Without internet, services need endpoints, and images a mirror."""
    if not config.isolated:
        return
    network = config.network
    if isinstance(network, NewNetworkConfig) and network.interface_endpoints is not None:
        missing = missing_endpoints(network.interface_endpoints, config.needed_endpoints)
        if missing:
            yield Mistake(
                "network.interfaceEndpoints",
                "pods reach AWS by endpoints alone: "
                f"add {', '.join(missing)}; or drop the key, and the stack makes what it needs; "
                "or choose natGateways: single",
            )
    for path, addon in config.every_addon.items():
        if addon.NO_ENDPOINT:
            yield Mistake(
                path,
                f"the network has no way to the internet, and {addon.NO_ENDPOINT} has no endpoint "
                "in a VPC: drop it, or choose natGateways: single",
            )
    samples = config.sample_workloads
    ecsdemo = samples and samples.ecsdemo
    mirrored = config.image_mirror and ecsdemo and "images" not in ecsdemo.model_fields_set
    if ecsdemo and not mirrored and "." not in ecsdemo.images.partition("/")[0]:
        yield Mistake(
            "sampleWorkloads.ecsdemo.images",
            "the network has no way to the internet, where Docker Hub is: copy the images to a "
            "registry in the region and name it here",
            ecsdemo.images,
        )
    if config.bastion:
        yield Mistake(
            "bastion",
            "the network has no way to the internet, from where it gets kubectl and helm: "
            "drop it, or choose natGateways: single",
        )
    pods = (config.karpenter, config.every_addon, config.overprovisioning)
    if config.image_mirror is None and (any(pods) or (samples and samples.inflate)):
        yield Mistake(
            "imageMirror",
            "the network has no way to the internet, so images come from a registry in the "
            "region: copy them and name it here",
        )


def a_bastion_has_a_subnet(config: StackConfig) -> Iterator[Mistake]:
    """A bastion needs a subnet: a public one for SSH."""
    network, bastion, cluster = config.network, config.bastion, config.cluster
    if not bastion:
        return
    if isinstance(cluster, ClusterConfig) and not cluster.endpoint.private:
        yield Mistake(
            "bastion",
            "reaches the Kubernetes API from inside the VPC: set cluster.endpoint.private to true, "
            "or drop it",
        )
    if network is None:
        yield Mistake("bastion", "needs a subnet: add network with vpcId and privateSubnetIds")
    elif (
        bastion.ssh and isinstance(network, ExistingNetworkConfig) and not network.public_subnet_ids
    ):
        yield Mistake(
            "bastion.ssh",
            "needs a public subnet: add network.publicSubnetIds, or drop ssh for a session of "
            "Systems Manager, which needs none",
        )


def node_groups_have_a_cluster_of_ours(config: StackConfig) -> Iterator[Mistake]:
    """A security group for nodes needs a new cluster: its rules change the control plane's group
    too.
    """
    if config.node_security_group and isinstance(config.cluster, ExistingClusterConfig):
        yield Mistake(
            "nodeSecurityGroup",
            f"cluster.existing is {config.cluster_name}, whose groups its maker keeps: drop it",
        )
