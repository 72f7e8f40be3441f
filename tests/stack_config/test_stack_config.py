import json

import pytest

import stack_config
from components import versions
from components.network.endpoints import base_endpoints
from components.section import Mistake
from stack_config.load import ConfigError, load

HEAD = "Pulumi.dev.yaml is not valid:"
NAME = r"'^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$'"
GROUP = {
    "instanceTypes": ["m7g.large"],
    "amiType": "AL2023_ARM_64_STANDARD",
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 2, "max": 4},
}
SPOT = {
    "instanceTypes": ["m5.large"],
    "releaseVersion": "1.35.8-20260930",
    "size": {"min": 0, "max": 4},
}
# Cluster Autoscaler with a group of nodes, and nobody besides.
ON_GROUPS = {
    "fargate": None,
    "karpenter": None,
    "managedNodeGroups": {"base": GROUP},
    "clusterAutoscaler": {},
}
MIRROR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror"
# A network without a way to the internet, and a stack that is content with it.
ISOLATED = {
    "network.natGateways": "none",
    "imageMirror": MIRROR,
    "karpenter.ownInstanceProfile": True,
    "addons.externalDns": None,
    "addons.kubeOpsView": None,
}
EXISTING_NETWORK = {
    "vpcId": "vpc-0123456789abcdef0",
    "privateSubnetIds": ["subnet-0aaaaaaa", "subnet-0bbbbbbb"],
}
DNS = {"namespace": "kube-system", "labels": {"k8s-app": "kube-dns"}}
EBS_LABELS = "app: ebs-csi-controller, app.kubernetes.io/name: aws-ebs-csi-driver"
METRICS_LABELS = (
    "app.kubernetes.io/name: metrics-server, app.kubernetes.io/instance: metrics-server"
)
NO_PROFILE = (
    "no profile of fargate.profiles selects its pods (namespace kube-system, label {}), and there "
    "are no nodes: add `kube-system: [{{namespace: kube-system}}]` to fargate.profiles"
)
ARN = "arn:aws:iam::111122223333:role/platform-admin"
KARPENTER_SET = (
    "its rights, CRDs and event rules are not part of this release, which has those of 1.14: "
    f"drop the key for {versions.KARPENTER}"
)
COREDNS = "namespace kube-system, label k8s-app: kube-dns"
ONE_OF = "choose one of these"

# A change of the shipped stack file, as path and value (None takes the key away), and all that is
# said of it.
MISTAKES = {
    "unknown section": (
        {"clusters": {}},
        ["clusters: unknown key: did you mean cluster?"],
    ),
    "unknown key": (
        {"karpenter.nodePools.default.expiresAfter": "720h"},
        [
            "karpenter.nodePools.default.expiresAfter: unknown key: did you mean expireAfter? "
            '(got "720h")'
        ],
    ),
    "a key as Python spells it": (
        {"karpenter.node_classes": {}},
        ["karpenter.node_classes: unknown key: did you mean nodeClasses?"],
    ),
    "a key of another section": (
        {"network.inflat": "1"},
        ['network.inflat: unknown key: correct or drop it (got "1")'],
    ),
    "a key like no other": (
        {"cluster.qqq": "1"},
        ['cluster.qqq: unknown key: correct or drop it (got "1")'],
    ),
    "a key of Karpenter's old API": (
        {
            "karpenter.nodePools.default.ttlSecondsUntilExpired": 2592000,
            "karpenter.nodePools.default.disruption.consolidationPolicy": "WhenUnderutilized",
        },
        [
            "karpenter.nodePools.default.disruption.consolidationPolicy: is called "
            'WhenEmptyOrUnderutilized now: write that (got "WhenUnderutilized")',
            "karpenter.nodePools.default.ttlSecondsUntilExpired: is expireAfter now: write "
            "`expireAfter: 720h` (got 2592000)",
        ],
    ),
    "missing section": ({"network": None}, ["network: Field required: add it"]),
    "missing region": ({"aws:region": None}, ["aws:region: Field required: add it"]),
    "missing key": (
        {"karpenter.nodePools.default.nodeClass": None},
        ["karpenter.nodePools.default.nodeClass: Field required: add it"],
    ),
    "a name with a blank": (
        {"cluster.name": "my cluster"},
        [
            f"cluster.name: String should match pattern {NAME}: write it in this form "
            '(got "my cluster")'
        ],
    ),
    "a name that is too long": (
        {"cluster.name": "c" * 101},
        [
            f"cluster.name: String should match pattern {NAME}: write it in this form "
            f'(got "{"c" * 101}")'
        ],
    ),
    "a number for text": (
        {"cluster.version": 1.35},
        [
            "cluster.version: Input should be a valid string: write it as text, in quotes where it "
            "looks like a number (got 1.35)"
        ],
    ),
    "text for a number": (
        {"sampleWorkloads.inflate.replicas": "many"},
        [
            "sampleWorkloads.inflate.replicas: Input should be a valid integer, unable to parse "
            'string as an integer: write a whole number (got "many")'
        ],
    ),
    "text for yes or no": (
        {"cluster.deletionProtection": "maybe"},
        [
            "cluster.deletionProtection: Input should be a valid boolean, unable to interpret "
            'input: write true or false (got "maybe")'
        ],
    ),
    "text for a section": (
        {"cluster": "{name: dev}"},
        [
            "cluster: Input should be an object: write it as keys with values; `{}` is all "
            'defaults (got "{name: dev}")'
        ],
    ),
    "text for a list": (
        {"cluster.admins": ARN},
        [f'cluster.admins: Input should be a valid array: write it as a list (got "{ARN}")'],
    ),
    "text for names with values": (
        {"karpenter.nodePools.default.labels": "intent=apps"},
        [
            "karpenter.nodePools.default.labels: Input should be an object: write it as keys with "
            'values (got "intent=apps")'
        ],
    ),
    "none of the choices": (
        {"network.natGateways": "one"},
        [
            "network.natGateways: Input should be 'none', 'single' or 'perZone': "
            f'{ONE_OF} (got "one")'
        ],
    ),
    "none of the choices in a list": (
        {"karpenter.nodePools.default.capacityTypes": ["spot", "cheap"]},
        [
            "karpenter.nodePools.default.capacityTypes[1]: Input should be 'spot', 'on-demand' or "
            f"""'reserved': {ONE_OF} (got "cheap")"""
        ],
    ),
    "the only item is wrong, which is not the same as too few": (
        {"karpenter.nodePools.default.capacityTypes": ["cheap"]},
        [
            "karpenter.nodePools.default.capacityTypes[0]: Input should be 'spot', 'on-demand' or "
            f"""'reserved': {ONE_OF} (got "cheap")"""
        ],
    ),
    "too few": (
        {"cluster.admins": []},
        ["cluster.admins: is empty: write at least one"],
    ),
    "no address range": (
        {"network.cidr": "10.20.0.1/16"},
        ['network.cidr: has bits of a host: write 10.20.0.0/16 (got "10.20.0.1/16")'],
    ),
    "the tag of a union is not in the path": (
        {"network": {"vpcId": "vpc-1", "privateSubnetIds": ["subnet-0aaaaaaa", "subnet-0bbbbbbb"]}},
        [
            "network.vpcId: String should match pattern '^vpc-[0-9a-f]{8,17}$': write it in this "
            'form (got "vpc-1")'
        ],
    ),
    "nor is that of a union inside": (
        {"network.availabilityZones": ["eu-west-1a", "west"]},
        [
            r"network.availabilityZones[1]: String should match pattern '^[a-z]{2}(-[a-z]+)+-\d[a-z"
            """]$': write it in this form (got "west")"""
        ],
    ),
    "a number in a union": (
        {"network.availabilityZones": 7},
        ["network.availabilityZones: Input should be less than or equal to 4: lower it (got 7)"],
    ),
    "too little": (
        {"sampleWorkloads.inflate.replicas": -1},
        [
            "sampleWorkloads.inflate.replicas: Input should be greater than or equal to 0: "
            "raise it (got -1)"
        ],
    ),
    "half a number": (
        {"karpenter.nodePools.default.weight": 2.5},
        [
            "karpenter.nodePools.default.weight: Input should be a valid integer, got a number "
            "with a fractional part: write a whole number (got 2.5)"
        ],
    ),
    "too long a label": (
        {"karpenter.nodePools.default.labels": {"team": "t" * 64}},
        [
            "karpenter.nodePools.default.labels.team: String should have at most 63 characters: "
            f'shorten it (got "{"t" * 64}")'
        ],
    ),
    "null section": (
        {"sampleWorkloads": {"inflate": ...}},
        [
            "sampleWorkloads.inflate: Input should be an object: write it as keys with values; "
            '`{}` is all defaults (got "")'
        ],
    ),
    "null at the top": (
        {"eksAddons": ""},  # as Pulumi hands it over
        [
            "eksAddons: Input should be an object: write it as keys with values; `{}` is all "
            'defaults (got "")'
        ],
    ),
    "a number where the API has text is no mistake, but a wrong one is": (
        {"karpenter.nodePools.default.limits": {"cpu": 1000, "memory": "1 TB"}},
        [
            "karpenter.nodePools.default.limits.memory: is no amount: write a number and at most "
            "one of m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi or Ei, for example 1000Gi "
            '(got "1 TB")'
        ],
    ),
}

# Each part is right by itself.
CONTRADICTIONS = {
    "CoreDNS on Fargate with no profile for it": (
        {
            "eksAddons": {"coredns": {"runsOn": "fargate"}},
            "fargate.profiles.kube-system": None,
        },
        [
            f"eksAddons.coredns.runsOn: no profile of fargate.profiles selects CoreDNS's pods "
            f"({COREDNS}): add `kube-system: [{{namespace: kube-system}}]` to fargate.profiles, "
            'or choose nodeGroups or karpenter (got "fargate")'
        ],
    ),
    "CoreDNS on nodes although a profile takes it": (
        {"eksAddons": {"coredns": {"runsOn": "karpenter"}}},
        [
            "eksAddons.coredns.runsOn: fargate.profiles.kube-system selects CoreDNS's pods "
            f'({COREDNS}): drop this key, or narrow the profile\'s labels (got "karpenter")'
        ],
    ),
    "CoreDNS on node groups that there are not": (
        {
            "eksAddons": {"coredns": {"runsOn": "nodeGroups"}},
            "fargate.profiles.kube-system": None,
        },
        [
            "eksAddons.coredns.runsOn: there is no managedNodeGroups or spotNodeGroups: add one, "
            'or choose karpenter (got "nodeGroups")'
        ],
    ),
    "CoreDNS on the nodes of a Karpenter that there is not": (
        {
            "eksAddons": {"coredns": {"runsOn": "karpenter"}},
            "fargate": None,
            "karpenter": None,
            "managedNodeGroups": {"base": GROUP},
        },
        [
            "eksAddons.coredns.runsOn: there is no karpenter: add it, or choose nodeGroups "
            '(got "karpenter")'
        ],
    ),
    "CoreDNS with nowhere to run": (
        {
            "fargate": None,
            "karpenter": None,
            "sampleWorkloads": None,
            "addons": None,
            "overprovisioning": None,
        },
        [
            "eksAddons.coredns.runsOn: CoreDNS has nowhere to run: add a profile for its pods "
            f"({COREDNS}) to fargate.profiles, or karpenter, or managedNodeGroups or "
            "spotNodeGroups"
        ],
    ),
    "a pool whose class there is not": (
        {"karpenter.nodePools.default.nodeClass": "arm"},
        [
            "karpenter.nodePools.default.nodeClass: nodeClasses has only default: name one of "
            'these, or add the class (got "arm")'
        ],
    ),
    "Karpenter without a home": (
        {"fargate.profiles.karpenter": None},
        [
            "karpenter.namespace: no profile of fargate.profiles selects it, and there is no "
            "managedNodeGroups: add `karpenter: [{namespace: karpenter}]` to fargate.profiles, "
            'or a node group (got "karpenter")'
        ],
    ),
    "Karpenter in a namespace that no profile selects": (
        {"karpenter.namespace": "scaling"},
        [
            "karpenter.namespace: no profile of fargate.profiles selects it, and there is no "
            "managedNodeGroups: add `karpenter: [{namespace: scaling}]` to fargate.profiles, "
            'or a node group (got "scaling")'
        ],
    ),
    "Karpenter with more pods than nodes to run them": (
        {
            "fargate": None,
            "managedNodeGroups": {"base": GROUP | {"size": {"min": 1, "max": 3}}},
            "karpenter.controller": {"replicas": 2},
        },
        [
            "karpenter.controller.replicas: each of the controller's pods needs a node of its own, "
            "and managedNodeGroups start with 1: lower it, or raise the size of a group (got 2)"
        ],
    ),
    "Karpenter on groups that start empty": (
        {"fargate": None, "managedNodeGroups": {"base": GROUP | {"size": {"min": 0, "max": 3}}}},
        [
            "karpenter.controller.replicas: each of the controller's pods needs a node of its own, "
            "and managedNodeGroups start with 0: lower it, or raise the size of a group (got 1)"
        ],
    ),
    "Karpenter that cannot reach IAM": (
        {"network.natGateways": "none", "imageMirror": MIRROR, "addons.externalDns": None}
        | {"addons.kubeOpsView": None},
        [
            "karpenter.ownInstanceProfile: the network has no way to the internet, and from there "
            "Karpenter cannot reach IAM to make an instance profile: set it to true (got false)"
        ],
    ),
    "no way to AWS": (
        ISOLATED | {"network.interfaceEndpoints": ["ec2", "sts"]},
        [
            "network.interfaceEndpoints: pods reach AWS by endpoints alone: add ecr.api, ecr.dkr, "
            "eks, eks-auth, elasticfilesystem, elasticloadbalancing, logs, sqs, ssm; or drop the "
            "key, and the stack makes what it needs; or choose natGateways: single"
        ],
    ),
    "an add-on whose service has no endpoint": (
        ISOLATED | {"addons.externalDns": {"zones": ["example.com"]}},
        [
            "addons.externalDns: the network has no way to the internet, and Route 53 has no "
            "endpoint in a VPC: drop it, or choose natGateways: single"
        ],
    ),
    "images from the internet without a way there": (
        {key: value for key, value in ISOLATED.items() if key != "imageMirror"},
        [
            "imageMirror: the network has no way to the internet, so images come from a registry "
            "in the region: copy them and name it here"
        ],
    ),
    "samples from Docker Hub without a way there": (
        ISOLATED | {"sampleWorkloads": {"ecsdemo": {"images": "brentley"}}},
        [
            "sampleWorkloads.ecsdemo.images: the network has no way to the internet, where Docker "
            "Hub is: copy the images to a registry in the region and name it here "
            '(got "brentley")'
        ],
    ),
    "a bastion that cannot get its tools": (
        ISOLATED | {"bastion": {}},
        [
            "bastion: the network has no way to the internet, from where it gets kubectl and "
            "helm: drop it, or choose natGateways: single"
        ],
    ),
    "a gateway and an instance for the same way out": (
        {"network.natInstance": {}},
        [
            "network.natInstance: natGateways is single, and private subnets have one way out: "
            "drop natGateways, or drop natInstance"
        ],
    ),
    "a page with a name that nobody writes": (
        {"addons.externalDns": None},
        [
            "addons.kubeOpsView.hostname: externalDns writes the DNS record: add it to addons, or "
            "drop this key"
        ],
    ),
    "a page with a load balancer that nobody makes": (
        {"addons.awsLoadBalancerController": None},
        [
            "addons.kubeOpsView.loadBalancer: awsLoadBalancerController makes the load balancer: "
            "add it to addons, or drop this key"
        ],
    ),
    "a name outside of every zone": (
        {"addons.kubeOpsView.hostname": "ops.example.org"},
        [
            "addons.kubeOpsView.hostname: lies in no zone of addons.externalDns.zones "
            '(example.com): correct it, or add its zone there (got "ops.example.org")'
        ],
    ),
    "add-ons that nobody would run": (
        {"fargate.profiles.kube-system": None, "karpenter": None, "sampleWorkloads": None}
        | {"overprovisioning": None, "fargate.profiles.dns": [DNS]}
        | {"addons": {"metricsServer": {}, "ebsCsi": {}}},
        [
            f"addons.ebsCsi: {NO_PROFILE.format(EBS_LABELS)}",
            f"addons.metricsServer: {NO_PROFILE.format(METRICS_LABELS)}",
            "addons.ebsCsi: its volumes are mounted by nodes, and there are none: add karpenter, "
            "managedNodeGroups or spotNodeGroups, or drop it",
        ],
    ),
    "nodes to select for pods that have none": (
        {"addons.metricsServer": {"nodeSelector": {"lifecycle": "OnDemand"}}},
        [
            "addons.metricsServer.nodeSelector: fargate.profiles.kube-system runs its pods, and "
            "disregards it: drop it, or narrow the profile's labels"
        ],
    ),
    "two who add nodes for the same pods": (
        {"clusterAutoscaler": {}, "managedNodeGroups": {"base": GROUP}},
        [
            "clusterAutoscaler.replicas: karpenter adds and removes nodes for the same pods: set "
            "it to 0 while you move over, or drop clusterAutoscaler or karpenter (got 1)"
        ],
    ),
    "one key for two groups": (
        {"managedNodeGroups": {"base": GROUP}, "spotNodeGroups": {"base": SPOT}},
        ['spotNodeGroups.base: managedNodeGroups has it too: rename one (got "base")'],
    ),
    "two groups of one name in AWS": (
        {"spotNodeGroups": {"ng": SPOT | {"perZone": True}, "ng-1": SPOT}},
        [
            "spotNodeGroups.ng-1: and spotNodeGroups.ng both make a group nodeless-ng-1: rename "
            'one (got "ng-1")'
        ],
    ),
    "an image of another minor": (
        {"spotNodeGroups": {"ng": SPOT | {"releaseVersion": "1.34.11-20260930"}}},
        [
            "spotNodeGroups.ng.releaseVersion: is for Kubernetes 1.34, and the cluster has 1.35: "
            "take a release that begins with 1.35 "
            '(https://github.com/awslabs/amazon-eks-ami/releases) (got "1.34.11-20260930")'
        ],
    ),
    "a group a zone with too few nodes": (
        {"spotNodeGroups": {"ng": SPOT | {"perZone": True, "size": {"min": 0, "max": 2}}}},
        [
            "spotNodeGroups.ng.size.max: perZone makes 3 groups of 2 nodes at most in all: raise "
            "size.max to 3 or more (got 2)"
        ],
    ),
    "units that an autoscaler takes for nodes": (
        ON_GROUPS
        | {
            "managedNodeGroups": {"base": GROUP},
            "spotNodeGroups": {"ng": SPOT | {"instanceTypes": [{"type": "m5.large", "weight": 2}]}},
        },
        [
            "spotNodeGroups.ng.instanceTypes: have weights, and clusterAutoscaler takes each unit "
            "for a node: drop the weights and list types of one size, or drop clusterAutoscaler"
        ],
    ),
    "labels for nodes that do not stay": (
        {"nodeLabels": [{"nodes": ["a"], "labels": {"lifecycle": "OnDemand"}}]},
        ["nodeLabels: there are no nodes that stay: label them by karpenter.nodePools, or drop it"],
    ),
    "a node that is labelled in two places": (
        {
            "managedNodeGroups": {"base": GROUP},
            "nodeLabels": [
                {"nodes": ["a"], "labels": {"x": "1"}},
                {"nodes": ["b", "a"], "labels": {"y": "1"}},
            ],
        },
        [
            "nodeLabels[0].nodes[0]: stands here more than once: put all its labels into one "
            'entry (got "a")',
            "nodeLabels[1].nodes[1]: stands here more than once: put all its labels into one "
            'entry (got "a")',
        ],
    ),
    "an autoscaler of pods without metrics": (
        {
            "addons.metricsServer": None,
            "sampleWorkloads": {"ecsdemo": {"horizontalPodAutoscaler": {}}},
        },
        [
            "sampleWorkloads.ecsdemo.horizontalPodAutoscaler: metricsServer measures its load: add "
            "it to addons, or drop this key"
        ],
    ),
    "an autoscaler with nothing to scale": (
        {"clusterAutoscaler": {"replicas": 0}},
        [
            "clusterAutoscaler: there is no group that it could scale: add spotNodeGroups or "
            "managedNodeGroups, or drop it"
        ],
    ),
    "an order of groups that nobody says": (
        ON_GROUPS
        | {"managedNodeGroups": {"base": GROUP}, "clusterAutoscaler": {"expander": "priority"}},
        [
            "clusterAutoscaler.priorities: expander is priority: say which groups come first, for "
            'example `50: [".*spot.*"]`, or choose another expander'
        ],
    ),
    "an autoscaler that would have to make its own node": (
        ON_GROUPS | {"managedNodeGroups": {"base": GROUP | {"size": {"min": 0, "max": 3}}}},
        [
            "clusterAutoscaler: the groups start with no node to run it on: raise the desired size "
            "of one"
        ],
    ),
    "nodes to select for an autoscaler on Fargate": (
        {
            "clusterAutoscaler": {"replicas": 0, "nodeSelector": {"lifecycle": "OnDemand"}},
            "managedNodeGroups": {"base": GROUP},
        },
        [
            "clusterAutoscaler.nodeSelector: fargate.profiles.kube-system runs its pods, and "
            "disregards it: drop it, or narrow the profile's labels"
        ],
    ),
    "an autoscaler whose image comes from the internet without a way there": (
        ON_GROUPS | {"network.natGateways": "none", "addons": None},
        [
            "imageMirror: the network has no way to the internet, so images come from a registry "
            "in the region: copy them and name it here"
        ],
    ),
    "samples whose image comes from the internet without a way there": (
        {"fargate": None, "karpenter": None, "overprovisioning": None, "addons": None}
        | {"managedNodeGroups": {"base": GROUP}, "network.natGateways": "none"}
        | {"sampleWorkloads": {"inflate": {}}},
        [
            "imageMirror: the network has no way to the internet, so images come from a registry "
            "in the region: copy them and name it here"
        ],
    ),
    "an autoscaler without a way to what it scales": (
        ON_GROUPS
        | {"network.natGateways": "none", "imageMirror": MIRROR, "addons": None}
        | {"network.interfaceEndpoints": list(base_endpoints(has_nodes=True))},
        [
            "network.interfaceEndpoints: pods reach AWS by endpoints alone: add autoscaling; or "
            "drop the key, and the stack makes what it needs; or choose natGateways: single"
        ],
    ),
    "a group and an expander that there cannot be": (
        ON_GROUPS
        | {
            "clusterAutoscaler": {
                "groups": [{"name": "a", "min": 2, "max": 1}],
                "expander": "cheapest",
            }
        },
        [
            "clusterAutoscaler.groups[0].max: lies below min 2: correct one of them (got 1)",
            "clusterAutoscaler.expander: Input should be 'least-waste', 'random', 'most-pods' or "
            f"""'priority': {ONE_OF} (got "cheapest")""",
        ],
    ),
    "a flag of an autoscaler that has a key": (
        ON_GROUPS | {"clusterAutoscaler": {"extraArgs": {"v": 4}}},
        ["clusterAutoscaler.extraArgs.v: has a key of its own: use v"],
    ),
    "pause pods on Fargate": (
        {"fargate.profiles.all": [{"namespace": "p*"}]},
        [
            "fargate.profiles.all: selects namespace pause, whose pods overprovisioning keeps on "
            "nodes: narrow it, or drop overprovisioning"
        ],
    ),
    "room kept where there are no nodes": (
        {"karpenter": None, "fargate.profiles.karpenter": None, "sampleWorkloads": None},
        [
            "overprovisioning: there are no nodes to keep room on: add karpenter, "
            "managedNodeGroups or spotNodeGroups, or drop it"
        ],
    ),
    "a cluster of its own without a network, which no other rule reads": (
        {"network": None, "bastion": {}},
        [
            "network: Field required: add it",
            "bastion: needs a subnet: add network with vpcId and privateSubnetIds",
        ],
    ),
    "a bastion with SSH in a VPC without public subnets": (
        {
            "network": EXISTING_NETWORK,
            "bastion": {"ssh": {"keyName": "me", "cidr": "192.0.2.1/32"}},
        },
        [
            "bastion.ssh: needs a public subnet: add network.publicSubnetIds, or drop ssh for a "
            "session of Systems Manager, which needs none"
        ],
    ),
    "a bastion that cannot reach the API": (
        {"bastion": {}, "cluster.endpoint.private": False},
        [
            "bastion: reaches the Kubernetes API from inside the VPC: set cluster.endpoint.private "
            "to true, or drop it"
        ],
    ),
    "a network for a cluster that has one": (
        {"cluster": {"existing": "shared"}, "nodeSecurityGroup": {}, "eksAddons": {}},
        [
            "network.cidr: cluster.existing is shared, which has a VPC: name that one (vpcId, "
            'privateSubnetIds), or drop network (got "10.20.0.0/16")',
            "eksAddons: cluster.existing is shared, whose maker keeps them: drop it",
            "nodeSecurityGroup: cluster.existing is shared, whose groups its maker keeps: drop it",
        ],
    ),
    "subnets that two stacks would tag": (
        {"cluster": {"existing": "shared"}, "network": EXISTING_NETWORK},
        [
            "network.tagSubnets: cluster.existing is shared, whose maker may have put the same "
            "tags on: say false, and a preview tells what is missing; or true, and a destroy takes "
            "them away"
        ],
    ),
    "nodes on a cluster that exists, without its subnets": (
        {"cluster": {"existing": "shared"}, "network": None},
        [
            "network: fargate, karpenter need subnets of the cluster's VPC: add vpcId and "
            "privateSubnetIds"
        ],
    ),
    "addresses for an endpoint that is not public": (
        {"cluster.endpoint.public": False},
        ['cluster.endpoint.publicCidrs: needs public: true, or drop it (got "203.0.113.0/24")'],
    ),
    "a public endpoint without addresses": (
        {"cluster.endpoint.publicCidrs": []},
        [
            "cluster.endpoint.publicCidrs: public is true: list the addresses that may connect, "
            "[0.0.0.0/0] for all of the internet"
        ],
    ),
    "an endpoint for nobody": (
        {"cluster.endpoint": {"public": False, "private": False}},
        [
            "cluster.endpoint.private: public and private are both false: set one of them to true "
            "(got false)"
        ],
    ),
    "a Kubernetes that is not offered": (
        {"cluster.version": "1.24"},
        ['cluster.version: is not offered: choose one of 1.33, 1.34, 1.35, 1.36 (got "1.24")'],
    ),
    "a Kubernetes that costs six times as much": (
        {"cluster.version": "1.33"},
        [
            "cluster.version: is in extended support since 2026-07-29: choose one of 1.34, 1.35, "
            '1.36, or set supportType: EXTENDED for 0.60 USD an hour (got "1.33")'
        ],
    ),
    "a Karpenter of another release": (
        {"karpenter.version": "1.13.0"},
        [f'karpenter.version: {KARPENTER_SET} (got "1.13.0")'],
    ),
    "a network that is too small": (
        {"network.cidr": "10.20.0.0/25"},
        [
            "network.cidr: /25 is too small for 3 zones: private subnets would be /27 and public "
            "ones /30, AWS allows /28 at the smallest; give /23 or larger, or fewer "
            'availabilityZones (got "10.20.0.0/25")'
        ],
    ),
    "a network that is no VPC's size": (
        {"network.cidr": "10.0.0.0/8"},
        ['network.cidr: is no size for a VPC: give one from /16 to /28 (got "10.0.0.0/8")'],
    ),
    "a sample that nobody would run": (
        {"karpenter": None, "fargate.profiles.karpenter": None, "overprovisioning": None},
        [
            "sampleWorkloads.inflate: nothing would run it: add karpenter, managedNodeGroups, "
            "spotNodeGroups, or a profile for namespace default"
        ],
    ),
    "an administrator who is named twice": (
        {"cluster.admins": [ARN, ARN]},
        [f'cluster.admins: is named twice: drop one (got "{ARN}")'],
    ),
    "a profile that selects nothing": (
        {"fargate.profiles.batch": []},
        ["fargate.profiles.batch: selects nothing: give one to five selectors"],
    ),
    "a profile by a name that EKS keeps": (
        {"fargate.profiles.eks-batch": [{"namespace": "batch"}]},
        ["fargate.profiles.eks-batch: EKS keeps names that begin with eks-: rename it"],
    ),
}


def ours(settings):
    return {key.removeprefix("frugal-eks:"): value for key, value in settings.items()}


@pytest.fixture
def changed(stack_file):
    def change(changes):
        """The shipped stack file with some paths set; None takes a key away, `...` is null."""
        settings = stack_file("nodeless")
        for path, value in changes.items():
            *parents, last = path.split(".")
            if parents:
                parents[0] = f"frugal-eks:{parents[0]}"
            elif last != "aws:region":
                last = f"frugal-eks:{last}"
            section = settings
            for parent in parents:
                section = section[parent]
            if value is None:
                del section[last]
            else:
                section[last] = value
        return json.loads(json.dumps(settings, default=lambda _: None))

    return change


@pytest.fixture
def told(deploy, changed):
    def lines_of(changes, secrets=()):
        """The lines that are said of the shipped stack file with these changes."""
        with pytest.raises(ConfigError) as error:
            deploy(load, settings=changed(changes), secrets=secrets)
        head, *lines = str(error.value).splitlines()
        assert head == HEAD
        return [line.removeprefix("  ") for line in lines]

    return lines_of


@pytest.mark.feature("B-07")
@pytest.mark.parametrize(("changes", "lines"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_by_its_path_with_rule_remedy_and_value(told, changes, lines):
    assert told(changes) == lines


@pytest.mark.feature("B-07")
@pytest.mark.parametrize(("changes", "lines"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradiction_is_told_with_both_sides_and_a_way_out(told, changes, lines):
    assert told(changes) == lines


@pytest.mark.feature("B-07")
def test_all_mistakes_are_told_at_once_also_those_between_sections(told):
    lines = told(
        {
            "cluster.name": "my cluster",
            "network.cidr": "10.20.0.0/26",
            "karpenter.version": "0.27.5",
            "fargate": None,
            "addon": {},
        }
    )

    paths = [line.partition(": ")[0] for line in lines]
    assert sorted(paths) == [
        "addon",
        "cluster.name",
        "karpenter.namespace",
        "karpenter.version",
        "network.cidr",
    ]


@pytest.mark.feature("B-07")
def test_several_mistakes_of_one_section_are_told_together(told):
    pool = {
        "nodeClass": "default",
        "capacityTypes": ["spot"],
        "requirements": [
            {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
        ],
        "taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}],
    }
    assert told({"karpenter.nodePools.default": pool}) == [
        "karpenter.nodePools.default.capacityTypes: requirements[0] has karpenter.sh/capacity-type "
        'too: ask for it in one place, drop one of both (got "spot")',
        "karpenter.nodePools.default.taints[1]: taints[0] has this key and effect too: drop one of "
        'them (got "a:NoSchedule")',
    ]


@pytest.mark.feature("C-05")
def test_the_versions_of_the_documents_are_refused_both_at_once(told):
    lines = told({"cluster.version": "1.24", "karpenter.version": "0.27.5"})

    assert [line.partition(": ")[0] for line in lines] == ["cluster.version", "karpenter.version"]


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("version", ["0.27.5", "1.8.4", "1.13.9", "1.15.0", "2.0.0"])
def test_a_karpenter_is_refused_whose_rights_and_rules_are_not_here(told, version):
    assert told({"karpenter.version": version}) == [
        f'karpenter.version: {KARPENTER_SET} (got "{version}")'
    ]


@pytest.mark.feature("C-05")
def test_a_karpenter_that_does_not_know_the_kubernetes_is_refused(changed):
    """Today's table has no such pair among what is offered, so the section is made without it."""
    config = stack_config.parsed(ours(changed({})))
    newer = config.cluster.model_copy(update={"version": "1.37"})

    config = config.model_copy(update={"cluster": newer})

    assert [mistake for rule in stack_config.RULES for mistake in rule(config)] == [
        Mistake(
            "karpenter.version",
            "does not support Kubernetes 1.37 of cluster.version: it supports 1.30 to 1.36",
            versions.KARPENTER,
        )
    ]


@pytest.mark.feature("A2-06")
def test_on_a_nodeless_cluster_there_can_be_no_other_autoscaler(told):
    lines = told({"clusterAutoscaler": {}})

    paths = [line.partition(": ")[0] for line in lines]
    assert paths == ["clusterAutoscaler.replicas", "clusterAutoscaler"]


@pytest.mark.parametrize(
    "changes",
    [
        ON_GROUPS,
        {"managedNodeGroups": {"base": GROUP}, "clusterAutoscaler": {"replicas": 0}},
        {"cluster": {"existing": "shared"}, "karpenter": None, "sampleWorkloads": None}
        | {"network": EXISTING_NETWORK | {"tagSubnets": False}, "clusterAutoscaler": {}},
    ],
    ids=["alone", "while its nodes go over to Karpenter", "for groups that exist"],
)
def test_an_autoscaler_is_taken_where_its_nodes_are_nobody_else_s(changed, changes):
    config = stack_config.parsed(ours(changed(changes)))

    assert isinstance(config, stack_config.StackConfig), config


@pytest.mark.feature("A2-16", "B-07")
def test_a_secret_is_never_shown_wherever_it_stands(told):
    password, name = told(
        {"password": "hunter2", "cluster.name": "hunter2"},
        secrets=("frugal-eks:password", "frugal-eks:cluster"),
    )[::-1]

    assert password == 'password: unknown key: correct or drop it (got "[secret]")'
    assert name.endswith('(got "[secret]")')


@pytest.mark.feature("B-07")
def test_a_stack_without_settings_is_told_where_to_take_some_from(deploy):
    with pytest.raises(ConfigError) as error:
        deploy(load, settings={"aws:region": "eu-west-1", "other:key": "1"})

    assert str(error.value) == (
        "Pulumi.dev.yaml says nothing of frugal-eks:… yet: copy the config of "
        "stacks/Pulumi.nodeless.yaml into it and put your own names in"
    )


def test_what_other_packages_read_is_left_to_them(deploy, changed):
    settings = changed({}) | {"aws:profile": "dev", "kubernetes:context": "x"}

    deploy(lambda: load() and None, settings=settings)


@pytest.mark.parametrize("also", [{}, {"cluster.version": "1.17"}])
def test_a_section_below_another_namespace_is_a_mistake(deploy, changed, also):
    """On a living stack it would read as "delete it"."""
    settings = changed(also) | {"frugal-esk:bastion": "{}"}

    with pytest.raises(ConfigError) as error:
        deploy(load, settings=settings)

    head, line, *others = str(error.value).splitlines()
    assert (head, len(others)) == (HEAD, len(also))
    assert line == (
        "  frugal-esk:bastion: is not read, since its namespace is frugal-esk: "
        "did you mean frugal-eks:bastion?"
    )


def test_text_that_only_begins_like_json_stays_text(told):
    assert told({"chartMirror": "{charts"}) == [
        r"chartMirror: String should match pattern '^(oci://|/|\./)\S+$': write it in this form "
        '(got "{charts")'
    ]


def test_the_region_is_read_from_the_provider_s_own_key(deploy, changed):
    loaded = []

    deploy(lambda: loaded.append(load()), settings=changed({"aws:region": "eu-west-3"}))

    assert [config.region for config in loaded] == ["eu-west-3"]


@pytest.mark.parametrize("region", ["", "Ireland", "eu-west", "eu-west-1a"])
def test_a_region_is_no_zone(told, region):
    (line,) = told({"aws:region": region})

    assert line.startswith("aws:region: String should match pattern")


def test_every_rule_between_sections_names_the_sections_that_there_are():
    named = set().union(*stack_config.RULES.values())

    assert named <= stack_config.StackConfig.model_fields.keys()
