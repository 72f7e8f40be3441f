"""Every pinned version, one on each line. Renovate edits this file and no other."""

# renovate: datasource=docker depName=public.ecr.aws/karpenter/karpenter
KARPENTER = "1.14.1"

# renovate: datasource=helm depName=aws-load-balancer-controller registryUrl=https://aws.github.io/eks-charts
AWS_LOAD_BALANCER_CONTROLLER_CHART = "3.5.0"

# renovate: datasource=helm depName=external-dns registryUrl=https://kubernetes-sigs.github.io/external-dns
EXTERNAL_DNS_CHART = "1.21.1"

# renovate: datasource=helm depName=kube-ops-view registryUrl=https://geek-cookbook.github.io/charts
KUBE_OPS_VIEW_CHART = "1.2.2"
# renovate: datasource=docker depName=hjacobs/kube-ops-view
KUBE_OPS_VIEW_IMAGE = "23.5.0"

# renovate: datasource=helm depName=metrics-server registryUrl=https://kubernetes-sigs.github.io/metrics-server
METRICS_SERVER_CHART = "3.13.1"

# renovate: datasource=helm depName=aws-efs-csi-driver registryUrl=https://kubernetes-sigs.github.io/aws-efs-csi-driver
EFS_CSI_CHART = "4.4.1"

# renovate: datasource=helm depName=cluster-autoscaler registryUrl=https://kubernetes.github.io/autoscaler
CLUSTER_AUTOSCALER_CHART = "9.59.0"

# renovate: datasource=docker depName=public.ecr.aws/aws-ec2/helm/aws-node-termination-handler
NODE_TERMINATION_HANDLER_CHART = "0.27.6"

# renovate: datasource=docker depName=public.ecr.aws/eks-distro/kubernetes/pause
PAUSE = "3.7"

# renovate: datasource=docker depName=registry.k8s.io/pause
PAUSE_PODS = "3.10.1"
# renovate: datasource=docker depName=registry.k8s.io/pause
PAUSE_PODS_DIGEST = "sha256:278fb9dbcca9518083ad1e11276933a2e96f23de604a3a08cc3c80002767d24c"

# renovate: datasource=aws-machine-image depName=al2023-ami-2023.*-kernel-6.12-arm64
AL2023_AMI_ARM64 = "al2023-ami-2023.12.20260930.0-kernel-6.12-arm64"

# Of each minor the newest kubectl.

# renovate: datasource=github-releases depName=kubernetes/kubernetes kubernetesVersion=1.33
KUBECTL_1_33 = "1.33.13"
# renovate: datasource=github-releases depName=kubernetes/kubernetes kubernetesVersion=1.34
KUBECTL_1_34 = "1.34.13"
# renovate: datasource=github-releases depName=kubernetes/kubernetes kubernetesVersion=1.35
KUBECTL_1_35 = "1.35.10"
# renovate: datasource=github-releases depName=kubernetes/kubernetes kubernetesVersion=1.36
KUBECTL_1_36 = "1.36.6"
# renovate: datasource=github-releases depName=helm/helm
HELM = "4.3.1"

# Of each minor the newest image of Cluster Autoscaler (kubernetes/k8s.io#9760): its releases are
# called `cluster-autoscaler-1.36.1`, its images `v1.36.1`.

# renovate: datasource=github-releases depName=kubernetes/autoscaler kubernetesVersion=1.33
CLUSTER_AUTOSCALER_1_33 = "v1.33.6"
# renovate: datasource=github-releases depName=kubernetes/autoscaler kubernetesVersion=1.34
CLUSTER_AUTOSCALER_1_34 = "v1.34.5"
# renovate: datasource=github-releases depName=kubernetes/autoscaler kubernetesVersion=1.35
CLUSTER_AUTOSCALER_1_35 = "v1.35.2"
# renovate: datasource=github-releases depName=kubernetes/autoscaler kubernetesVersion=1.36
CLUSTER_AUTOSCALER_1_36 = "v1.36.1"

# The EKS add-ons: for each minor the build that AWS itself has as default.

# renovate: datasource=aws-eks-addon depName=vpc-cni
VPC_CNI = "v1.22.4-eksbuild.3"
# renovate: datasource=aws-eks-addon depName=eks-pod-identity-agent
POD_IDENTITY_AGENT = "v1.3.10-eksbuild.3"
# renovate: datasource=aws-eks-addon depName=aws-ebs-csi-driver
EBS_CSI = "v1.66.0-eksbuild.1"
# renovate: datasource=aws-eks-addon depName=eks-node-monitoring-agent
NODE_MONITORING_AGENT = "v1.7.1-eksbuild.1"

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
        "aws-ebs-csi-driver": EBS_CSI,
        "eks-node-monitoring-agent": NODE_MONITORING_AGENT,
    }


EKS_ADDONS = {
    "1.33": _addons(KUBE_PROXY_1_33, COREDNS_1_33),
    "1.34": _addons(KUBE_PROXY_1_34, COREDNS_1_34),
    "1.35": _addons(KUBE_PROXY_1_35, COREDNS_1_35),
    "1.36": _addons(KUBE_PROXY_1_36, COREDNS_1_36),
}
"""Pinned builds of EKS add-ons, by Kubernetes minor and AWS's name of the add-on."""

KUBECTL = {
    "1.33": KUBECTL_1_33,
    "1.34": KUBECTL_1_34,
    "1.35": KUBECTL_1_35,
    "1.36": KUBECTL_1_36,
}
"""The kubectl that the bastion gets, by Kubernetes minor."""

CLUSTER_AUTOSCALER = {
    "1.33": CLUSTER_AUTOSCALER_1_33,
    "1.34": CLUSTER_AUTOSCALER_1_34,
    "1.35": CLUSTER_AUTOSCALER_1_35,
    "1.36": CLUSTER_AUTOSCALER_1_36,
}
"""The tag of Cluster Autoscaler's image, by Kubernetes minor."""
