"""What `pulumi up` runs: the stack file in, the platform out."""

import pulumi

import stack_config
from components.platform import Platform, PlatformArgs

platform = Platform("platform", PlatformArgs(config=stack_config.load()))
pulumi.export("clusterName", platform.cluster.name)
pulumi.export("clusterEndpoint", platform.cluster.endpoint)
pulumi.export("oidcProviderArn", platform.cluster.oidc_provider_arn)
pulumi.export("securityGroupId", platform.cluster.security_group_id)
pulumi.export("updateKubeconfig", platform.cluster.update_kubeconfig)
