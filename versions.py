"""Every pinned version, one line each. Renovate edits this file and no other."""

# renovate: datasource=docker depName=public.ecr.aws/karpenter/karpenter
KARPENTER = "1.14.1"

# renovate: datasource=docker depName=public.ecr.aws/eks-distro/kubernetes/pause
PAUSE = "3.7"

# The EKS add-ons: for each minor the build that AWS itself has as default.

# renovate: datasource=aws-eks-addon depName=vpc-cni
VPC_CNI = "v1.22.4-eksbuild.3"
# renovate: datasource=aws-eks-addon depName=eks-pod-identity-agent
POD_IDENTITY_AGENT = "v1.3.10-eksbuild.3"

# renovate: datasource=aws-eks-addon depName=kube-proxy kubernetesVersion=1.33
KUBE_PROXY_1_33 = "v1.33.10-eksbuild.29"
# renovate: datasource=aws-eks-addon depName=kube-proxy kubernetesVersion=1.34
KUBE_PROXY_1_34 = "v1.34.6-eksbuild.29"
# renovate: datasource=aws-eks-addon depName=kube-proxy kubernetesVersion=1.35
KUBE_PROXY_1_35 = "v1.35.3-eksbuild.29"
# renovate: datasource=aws-eks-addon depName=kube-proxy kubernetesVersion=1.36
KUBE_PROXY_1_36 = "v1.36.0-eksbuild.25"

# renovate: datasource=aws-eks-addon depName=coredns kubernetesVersion=1.33
COREDNS_1_33 = "v1.12.4-eksbuild.38"
# renovate: datasource=aws-eks-addon depName=coredns kubernetesVersion=1.34
COREDNS_1_34 = "v1.12.4-eksbuild.38"
# renovate: datasource=aws-eks-addon depName=coredns kubernetesVersion=1.35
COREDNS_1_35 = "v1.13.2-eksbuild.31"
# renovate: datasource=aws-eks-addon depName=coredns kubernetesVersion=1.36
COREDNS_1_36 = "v1.14.6-eksbuild.4"


def _addons(kube_proxy: str, coredns: str) -> dict[str, str]:
    return {
        "vpc-cni": VPC_CNI,
        "kube-proxy": kube_proxy,
        "coredns": coredns,
        "eks-pod-identity-agent": POD_IDENTITY_AGENT,
    }


EKS_ADDONS = {
    "1.33": _addons(KUBE_PROXY_1_33, COREDNS_1_33),
    "1.34": _addons(KUBE_PROXY_1_34, COREDNS_1_34),
    "1.35": _addons(KUBE_PROXY_1_35, COREDNS_1_35),
    "1.36": _addons(KUBE_PROXY_1_36, COREDNS_1_36),
}
"""Of each Kubernetes minor that can be chosen, its EKS add-ons by AWS's name for them."""
