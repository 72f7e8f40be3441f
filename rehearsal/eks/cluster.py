"""The children that the real eks.Cluster registers for the platform's call, and its outputs."""

import json
from collections.abc import Mapping
from typing import Any, cast

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from rehearsal.eks.kubeconfig import kubeconfig_of, require_aws_cli
from rehearsal.plugins import OF_EKS

TOKEN = "eks:index:Cluster"

# The call in its minimal form: what has to be said, and how. Everything else would register
# children of its own, which nobody has compared with the real component's.
REQUIRED: Mapping[str, Any] = {
    "authenticationMode": "API",
    "bootstrapSelfManagedAddons": False,
    "corednsAddonOptions": {"enabled": False},
    "kubeProxyAddonOptions": {"enabled": False},
    "skipDefaultNodeGroup": True,
    "skipDefaultSecurityGroups": True,
    "useDefaultVpcCni": True,
}
ONLY_IF_ABSENT_OR: Mapping[str, Any] = {"createOidcProvider": False, "endpointPublicAccess": False}
FREE = frozenset(
    {
        "clusterTags",
        "deletionProtection",
        "enabledClusterLogTypes",
        "encryptionConfigKeyArn",
        "endpointPrivateAccess",
        "ipFamily",
        "kubernetesServiceIpAddressRange",
        "name",
        "privateSubnetIds",
        "providerCredentialOpts",
        "publicAccessCidrs",
        "publicSubnetIds",
        "serviceRole",
        "subnetIds",
        "tags",
        "upgradePolicy",
        "version",
        "vpcId",
    }
)
EMPTY_OUTPUTS = (
    "autoModeNodeRoleName",
    "clusterIngressRuleId",
    "defaultNodeGroupAsgName",
    "fargateProfileId",
    "fargateProfileStatus",
    "oidcProviderArn",
)
"""Outputs that the real component returns as an empty text if their feature is off."""


class Cluster(pulumi.ComponentResource):
    """The control plane and the component's own Kubernetes provider, nothing else."""

    state: dict[str, pulumi.Input[Any]]
    """Outputs of the component."""

    def __init__(
        self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None
    ) -> None:
        super().__init__(TOKEN, name, None, opts)
        refuse_unproved(inputs)
        require_aws_cli()
        # The component's own SDKs say which plugins its children are made by.
        child = pulumi.ResourceOptions(parent=self, version=OF_EKS["kubernetes"])
        role = pulumi.Output.from_input(inputs["serviceRole"])
        subnets = subnet_ids(inputs)

        cluster = aws.eks.Cluster(
            f"{name}-eksCluster",
            **control_plane(name, inputs, subnets),
            opts=pulumi.ResourceOptions(
                parent=self,
                version=OF_EKS["aws"],
                ignore_changes=[
                    "accessConfig.bootstrapClusterCreatorAdminPermissions",
                    "bootstrapSelfManagedAddons",
                ],
            ),
        )
        credentials: pulumi.Input[Any] = inputs.get("providerCredentialOpts") or {}
        shown = kubeconfig_of(cluster, credentials, with_profile=False)
        own = kubeconfig_of(cluster, credentials, with_profile=True)
        provider = k8s.Provider(f"{name}-eks-k8s", kubeconfig=_stringified(own), opts=child)

        group = cluster.vpc_config.cluster_security_group_id
        issuer = cluster.identities[0].oidcs[0].issuer
        state: dict[str, Any] = {
            "eksCluster": cluster,
            "kubeconfig": shown,
            "kubeconfigJson": _stringified(shown),
            # Without groups of its own it returns the one that EKS made.
            "clusterSecurityGroupId": group,
            "nodeSecurityGroupId": group,
            "instanceRoles": [],
            "oidcProviderUrl": issuer,
            "oidcIssuer": issuer.apply(lambda url: url.removeprefix("https://")),
            "core": {
                "cluster": cluster,
                "clusterIamRole": role,
                "endpoint": cluster.endpoint,
                "instanceRoles": [],
                "kubeconfig": shown,
                "nodeGroupOptions": {"version": inputs.get("version")},
                "privateSubnetIds": inputs.get("privateSubnetIds"),
                "provider": provider,
                "publicSubnetIds": inputs.get("publicSubnetIds"),
                "subnetIds": subnets,
                "tags": inputs.get("tags"),
                "vpcId": inputs.get("vpcId"),
            },
        }
        self.state = state | dict.fromkeys(EMPTY_OUTPUTS, "")
        self.register_outputs(self.state)


def refuse_unproved(inputs: Mapping[str, Any]) -> None:
    """Raises InputPropertiesError naming every argument outside the minimal call."""
    known = FREE | REQUIRED.keys() | ONLY_IF_ABSENT_OR.keys()
    problems = {
        name: "the rehearsal's stand-in does not play this argument: leave it out, or rehearse "
        "with the real eks plugin"
        for name in inputs
        if name not in known and inputs[name] is not None
    }
    for name, wanted in REQUIRED.items():
        if not _says(inputs.get(name), wanted):
            problems[name] = f"must be {_spell(wanted)} (got {_spell(inputs.get(name))})"
    for name, wanted in ONLY_IF_ABSENT_OR.items():
        if inputs.get(name) not in (None, wanted):
            problems[name] = f"must be absent or {_spell(wanted)} (got {_spell(inputs.get(name))})"
    if inputs.get("serviceRole") is None:
        problems["serviceRole"] = "must be given: an aws.iam.Role"
    if inputs.get("vpcId") is None:
        problems["vpcId"] = "must be given: the default VPC is not played"
    if inputs.get("subnetIds") and (
        inputs.get("publicSubnetIds") or inputs.get("privateSubnetIds")
    ):
        problems["subnetIds"] = "excludes publicSubnetIds and privateSubnetIds: choose one approach"
    if inputs.get("endpointPublicAccess") is False and inputs.get("publicAccessCidrs"):
        problems["publicAccessCidrs"] = "can only be set when endpointPublicAccess is not false"
    if problems:
        raise pulumi.InputPropertiesError(
            "eks.Cluster outside the call that the rehearsal can prove",
            [{"property_path": name, "reason": why} for name, why in sorted(problems.items())],
        )


def subnet_ids(inputs: Mapping[str, Any]) -> pulumi.Output[list[str]]:
    """The control plane's subnets: all that were given, public ones first."""
    if inputs.get("subnetIds") is not None:
        return pulumi.Output.from_input(inputs["subnetIds"])
    public, private = inputs.get("publicSubnetIds"), inputs.get("privateSubnetIds")
    both = pulumi.Output.all(public or [], private or [])
    return both.apply(lambda ids: [*ids[0], *ids[1]])


def control_plane(
    name: str, inputs: Mapping[str, Any], subnets: pulumi.Output[list[str]]
) -> dict[str, Any]:
    """The arguments of the aws.eks.Cluster, as the real component passes them."""
    tags = pulumi.Output.all(inputs.get("clusterTags") or {}, inputs.get("tags") or {})
    arguments: dict[str, Any] = {
        "name": inputs.get("name"),
        "role_arn": pulumi.Output.from_input(inputs["serviceRole"]).apply(lambda role: role.arn),
        "version": inputs.get("version"),
        "bootstrap_self_managed_addons": False,
        "vpc_config": {
            "subnet_ids": subnets,
            "endpoint_private_access": inputs.get("endpointPrivateAccess"),
            "endpoint_public_access": inputs.get("endpointPublicAccess"),
            "public_access_cidrs": inputs.get("publicAccessCidrs"),
        },
        "access_config": {
            "authentication_mode": inputs["authenticationMode"],
            "bootstrap_cluster_creator_admin_permissions": True,
        },
        "enabled_cluster_log_types": inputs.get("enabledClusterLogTypes"),
        "tags": tags.apply(lambda both: {"Name": f"{name}-eksCluster", **both[0], **both[1]}),
        "upgrade_policy": inputs.get("upgradePolicy"),
        "deletion_protection": inputs.get("deletionProtection"),
    }
    if (key := inputs.get("encryptionConfigKeyArn")) is not None:
        provider = {"key_arn": key}
        arguments["encryption_config"] = {"provider": provider, "resources": ["secrets"]}
    family, services = inputs.get("ipFamily"), inputs.get("kubernetesServiceIpAddressRange")
    if family or services:
        arguments["kubernetes_network_config"] = pulumi.Output.all(family, services).apply(
            lambda both: {
                "ip_family": both[0] or "ipv4",
                # Only IPv4 clusters can choose their range.
                "service_ipv4_cidr": both[1] if (both[0] or "ipv4") == "ipv4" else None,
            }
        )
    return arguments


def _stringified(value: pulumi.Output[Any]) -> pulumi.Output[str]:
    """Text of a value as JavaScript's JSON.stringify writes it."""
    return pulumi.Output.json_dumps(value, separators=(",", ":"))


def _says(given: Any, wanted: Any) -> bool:
    if not isinstance(given, Mapping):
        return given == wanted
    # The SDK adds these two by itself; an add-on that is off has no use for them.
    added = {"resolveConflictsOnCreate", "resolveConflictsOnUpdate"}
    options = cast(Mapping[str, Any], given)
    return {key: value for key, value in options.items() if key not in added} == wanted


def _spell(value: Any) -> str:
    return "an output" if isinstance(value, pulumi.Output) else json.dumps(value, default=repr)
