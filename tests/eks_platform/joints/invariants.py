"""What is true of every stack, whatever its file says: each function yields what is not."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, NamedTuple

from pydantic.alias_generators import to_camel

from components.cluster.cluster_config import ClusterConfig
from components.cluster.eks_addons_config import COREDNS_LABELS
from components.cluster.existing_cluster_config import ExistingClusterConfig
from components.karpenter.config import POD_LABELS as KARPENTER_LABELS
from components.nodes.node_security_group_config import rules
from rehearsal.recording import Declared, Deployment
from stack_config import StackConfig

PROFILE = "aws:eks/fargateProfile:FargateProfile"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
AUTO_SCALING = "aws:autoscaling/group:Group"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
RELEASE = "kubernetes:helm.sh/v3:Release"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
ADDON = "aws:eks/addon:Addon"
ROLE = "aws:iam/role:Role"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PATCH = "kubernetes:core/v1:NodePatch"
WAYS_OUT = (
    "aws:ec2/route:Route",
    "aws:ec2/natGateway:NatGateway",
    "aws:ec2/vpcEndpoint:VpcEndpoint",
)
LABEL_TAG = "k8s.io/cluster-autoscaler/node-template/label/"
TAINT_TAG = "k8s.io/cluster-autoscaler/node-template/taint/"
DISCOVERY_TAG = "karpenter.sh/discovery"
ACCOUNTS_ROLE = re.compile(r'"(?:eks.amazonaws.com/role-arn|serviceAccountRoleArn)": "([^"]+)"')
ACCOUNT_OF_CLAIM = re.compile(r"system:serviceaccount:([^:]+):([^:]+)")


class Pods(NamedTuple):
    """Pods of one kind, and what brings them."""

    brought_by: Declared
    namespace: str
    labels: Mapping[str, str]
    spec: Mapping[str, Any]
    """nodeSelector, affinity, tolerations and dnsPolicy, as far as they are said."""


class Nodes(NamedTuple):
    """Nodes of one kind, and what brings them."""

    made_by: Declared
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, str]]


def added(built: Deployment) -> Iterator[tuple[Declared, Mapping[str, Any]]]:
    """The add-ons of EKS with their values."""
    for addon in built.every(ADDON):
        yield addon, json.loads(addon.inputs.get("configurationValues") or "{}")


def pods(config: StackConfig, built: Deployment) -> Iterator[Pods]:
    """All pods that the stack brings, but those of DaemonSets and of the user's own charts."""
    sections = {getattr(s, "CHART_NAME", None): s for s in config.every_addon.values()}
    for release in built.every(RELEASE):
        name, values = release.inputs["name"], release.inputs.get("values", {})
        section = sections.get(name)
        if name == "karpenter":
            yield Pods(release, release.inputs["namespace"], KARPENTER_LABELS, values)
        elif section and not section.ON_EVERY_NODE:
            part = values["controller"] if name == "aws-efs-csi-driver" else values
            yield Pods(release, release.inputs["namespace"], section.POD_LABELS, part)
    for addon, values in added(built):
        if addon.inputs["addonName"] == "coredns":
            yield Pods(addon, "kube-system", COREDNS_LABELS, values)
        elif config.addons.ebs_csi and addon.inputs["addonName"] == "aws-ebs-csi-driver":
            labels = config.addons.ebs_csi.POD_LABELS
            yield Pods(addon, "kube-system", labels, values["controller"])
    for deployment in built.every(DEPLOYMENT):
        template = deployment.inputs["spec"]["template"]
        namespace, labels = deployment.inputs["metadata"]["namespace"], template["metadata"]
        yield Pods(deployment, namespace, labels["labels"], template["spec"])


def spot_groups(built: Deployment) -> list[Declared]:
    """The Auto Scaling groups of nodes: a NAT instance has one too."""
    return [group for group in built.every(AUTO_SCALING) if "SpotNodeGroup" in group.urn]


def nodes(built: Deployment) -> Iterator[Nodes]:
    """All nodes that the stack can have."""
    for group in built.every(MANAGED):
        inputs = group.inputs
        labels = inputs["labels"] | {"eks.amazonaws.com/capacityType": inputs["capacityType"]}
        taints = [
            taint | {"effect": to_camel(taint["effect"].lower())} for taint in inputs["taints"]
        ]
        yield Nodes(group, labels, taints)
    for group in spot_groups(built):
        tags = {tag["key"]: tag["value"] for tag in group.inputs["tags"]}
        labels = {k.removeprefix(LABEL_TAG): v for k, v in tags.items() if LABEL_TAG in k}
        taints = [
            {"key": k.removeprefix(TAINT_TAG), "effect": v.partition(":")[2]}
            for k, v in tags.items()
            if TAINT_TAG in k
        ]
        yield Nodes(group, labels, taints)
    for pool in built.every(POOL):
        template = pool.inputs["spec"]["template"]
        labels = template.get("metadata", {}).get("labels", {})
        labels = {**labels, "karpenter.sh/nodepool": pool.inputs["metadata"]["name"]}
        yield Nodes(pool, labels, template["spec"].get("taints", []))


def profile(pods: Pods, built: Deployment) -> Declared | None:
    """The Fargate profile that takes these pods."""

    def takes(selector: Mapping[str, Any]) -> bool:
        wanted = selector.get("labels", {}).items()
        fits = all(pods.labels.get(key) == value for key, value in wanted)
        return fits and fnmatchcase(pods.namespace, selector["namespace"])

    taking = (p for p in built.every(PROFILE) if any(map(takes, p.inputs["selectors"])))
    return next(taking, None)


def may_run(pods: Pods, nodes: Nodes) -> bool:
    """Whether the scheduler would put these pods on such a node."""
    affinity = pods.spec.get("affinity", {}).get("nodeAffinity", {})
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = required.get("nodeSelectorTerms", [])
    wanted = (pods.spec.get("nodeSelector") or {}).items() <= nodes.labels.items()
    hard = [taint for taint in nodes.taints if taint["effect"].lower() != "prefernoschedule"]
    tolerated = {toleration.get("key") for toleration in pods.spec.get("tolerations", [])}
    return (
        wanted
        and all(taint["key"] in tolerated for taint in hard)
        and (not terms or any(_fits(term, nodes.labels) for term in terms))
    )


def _fits(term: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    exists = {"Exists": True, "DoesNotExist": False}
    return all(
        (each["key"] in labels) is exists[each["operator"]]
        if each["operator"] in exists
        else (labels.get(each["key"]) in each["values"]) is (each["operator"] == "In")
        for each in term["matchExpressions"]
    )


def every_pod_has_a_home_that_is_there_first(
    config: StackConfig, built: Deployment
) -> Iterator[str]:
    """A Fargate profile that takes it, or nodes that it fits on; a cluster that exists has more."""
    for each in pods(config, built):
        name = each.brought_by.request.name
        taken = profile(each, built)
        homes = [taken] if taken else [n.made_by for n in nodes(built) if may_run(each, n)]
        elsewhere = not taken and isinstance(config.cluster, ExistingClusterConfig)
        if not homes and not elsewhere:
            yield f"{name} has no home"
        elif not elsewhere and not any(built.waits_for(each.brought_by, h) for h in homes):
            yield f"{name} waits for none of {[home.request.name for home in homes]}"
        if taken and each.spec.get("nodeSelector"):
            yield f"{name} selects nodes, and Fargate runs it"


def names_resolve_before_anybody_asks(config: StackConfig, built: Deployment) -> Iterator[str]:
    """A cluster of the stack's own has CoreDNS once; pods with rights in AWS call it by name."""
    coredns = [addon for addon, _ in added(built) if addon.inputs["addonName"] == "coredns"]
    if len(coredns) != isinstance(config.cluster, ClusterConfig):
        yield f"CoreDNS is there {len(coredns)} times"
    own = [release for release in built.every(RELEASE) if "extra-releases" in release.urn]
    callers = [
        each.brought_by
        for each in pods(config, built)
        if each.spec.get("dnsPolicy") != "Default" and _role(each, built)
    ]
    for caller in [*callers, *own]:
        if not all(built.waits_for(caller, dns) for dns in coredns):
            yield f"{caller.request.name} does not wait for CoreDNS"


def _role(pods: Pods, built: Deployment) -> Declared | None:
    """The role of an add-on's pods, by the names that components give."""
    name = pods.brought_by.request.name
    names = {f"{name}-role", f"{name}-controller-role", f"{name.removeprefix('aws-')}-role"}
    return next((role for role in built.every(ROLE) if role.request.name in names), None)


def nodes_are_in_the_security_groups_of_the_file(
    config: StackConfig, built: Deployment
) -> Iterator[str]:
    """Their own group alone where the file asks for one, else the cluster's."""
    own = isinstance(config.cluster, ClusterConfig)
    cluster = "sg-cluster" if own else "sg-shared"
    group = "nodes-id" if config.node_security_group else cluster
    for launched in (*built.every(MANAGED), *spot_groups(built)):
        template = built.named(TEMPLATE, _group_key(launched))
        # EKS itself puts nodes of a managed group into the cluster's.
        default = [cluster] if launched in built.every(MANAGED) else []
        found = template.inputs.get("vpcSecurityGroupIds") or default
        if found != [group]:
            yield f"nodes of {launched.request.name} are in {found}, not in {group}"
    tagged = [tag.inputs["resourceId"] for tag in built.every("aws:ec2/tag:Tag") if _discovers(tag)]
    tagged += [
        f"{each.request.name}-id"
        for each in built.every("aws:ec2/securityGroup:SecurityGroup")
        if DISCOVERY_TAG in each.inputs.get("tags", {})
    ]
    groups = [each for each in tagged if not each.startswith("subnet-")]
    for node_class in built.every(NODE_CLASS):
        terms = node_class.inputs["spec"]["securityGroupSelectorTerms"]
        found = groups if "tags" in terms[0] else [term["id"] for term in terms]
        if found != [group]:
            yield f"Karpenter finds {found}, not {group}"
    made = built.every("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
    made = [rule for rule in made if rule.request.name.startswith("nodes-")]
    wanted = rules(config.node_security_group) if config.node_security_group else ()
    if len(made) != len(wanted):
        yield f"the group of the nodes has {len(made)} rules, not {len(wanted)}"
    for each in built.every("aws:ec2/securityGroup:SecurityGroup"):
        mounts = built.every("aws:efs/mountTarget:MountTarget")
        if any(f"{each.request.name}-id" in mount.inputs["securityGroups"] for mount in mounts):
            found = {one for rule in each.inputs["ingress"] for one in rule["securityGroups"]}
            if found != {cluster, group}:
                yield f"volumes let {found} in, not {cluster} and {group}"


def _group_key(group: Declared) -> str:
    return group.request.parent.rpartition("::")[2]


def _discovers(tag: Declared) -> bool:
    return tag.inputs["key"] == DISCOVERY_TAG


def every_role_is_trusted_by_one_account(config: StackConfig, built: Deployment) -> Iterator[str]:
    """A service account of this cluster, or a service of AWS; and the account knows the role."""
    associations = built.every(ASSOCIATION)
    annotated = Counter(ACCOUNTS_ROLE.findall(_inputs(built)))
    for role in built.every(ROLE):
        name, arn = role.request.name, _arn(role)
        (statement,) = json.loads(role.inputs["assumeRolePolicy"])["Statement"]
        claims = statement.get("Condition", {}).get("StringEquals", {})
        tags = [
            claims.get(f"aws:RequestTag/{key}")
            for key in ("eks-cluster-name", "kubernetes-namespace", "kubernetes-service-account")
        ]
        bound = [
            [each.inputs[key] for key in ("clusterName", "namespace", "serviceAccount")]
            for each in associations
            if each.inputs["roleArn"] == arn
        ]
        service = statement["Principal"].get("Service")
        if service == "pods.eks.amazonaws.com":
            if bound != [tags] or tags[0] != config.cluster_name or annotated[arn]:
                yield f"{name} trusts {tags}, and is bound to {bound}"
        elif not service:
            subjects = [value for key, value in claims.items() if key.endswith(":sub")]
            told = [ACCOUNT_OF_CLAIM.fullmatch(subject) for subject in subjects]
            if len(told) != 1 or not told[0] or "*" in subjects[0] or annotated[arn] != 1 or bound:
                yield f"{name} trusts {subjects}, and {annotated[arn]} accounts name it"
        elif bound or annotated[arn]:
            yield f"{name} is a service's and a pod's"
    accounts = Counter((a.inputs["namespace"], a.inputs["serviceAccount"]) for a in associations)
    yield from (f"{account} has {n} associations" for account, n in accounts.items() if n > 1)
    for each in pods(config, built):
        role = _role(each, built)
        by_claim = role and "AssumeRoleWithWebIdentity" in role.inputs["assumeRolePolicy"]
        if role and bool(by_claim) != bool(profile(each, built)):
            yield f"{each.brought_by.request.name} gets its rights in a way that is not its home's"


def _arn(role: Declared) -> str:
    path = role.inputs.get("path", "/")
    return f"arn:aws:iam::111122223333:role{path}{role.inputs.get('name', role.request.name)}"


def _inputs(built: Deployment) -> str:
    return json.dumps([each.inputs for each in built.declared])


def what_a_destroy_needs_outlives_it(_: StackConfig, built: Deployment) -> Iterator[str]:
    """Nodes go while network, way out and whoever ends and drains them live; pods before nodes."""
    made = [each.made_by for each in nodes(built)]
    releases = {each.inputs["name"]: each for each in built.every(RELEASE)}
    node_needs = [a for a, _ in added(built) if a.inputs["addonName"] in ("vpc-cni", "kube-proxy")]
    node_needs += [each for kind in WAYS_OUT for each in built.every(kind)]
    node_needs += [each for each in built.declared if each.request.name.startswith("nodes-")]
    for each in made:
        needs = list(node_needs)
        if each.request.type == POOL:
            needs += [releases["karpenter"], releases["karpenter-crd"]]
        if each.request.type == AUTO_SCALING and each.inputs.get("initialLifecycleHooks"):
            needs.append(releases["aws-node-termination-handler"])
        yield from _not_waited_for(built, each, needs)
    patches = built.every(PATCH)
    for patch in patches:
        yield from _not_waited_for(built, patch, made)
    autoscaler = [each for name, each in releases.items() if name == "cluster-autoscaler"]
    buffers = built.every("kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer")
    for workload in (*built.every(DEPLOYMENT), *buffers):
        yield from _not_waited_for(built, workload, [*made, *patches, *autoscaler])
    for each in built.declared:
        kept = each.request.retainOnDelete or each.inputs.get("preserve")
        asked = each.request.type == ADDON or "serviceLinkedRole" in each.request.type
        if kept and not asked:
            yield f"{each.request.name} is left behind"


def _not_waited_for(built: Deployment, first: Declared, needs: Sequence[Declared]) -> Iterator[str]:
    for need in needs:
        if not built.waits_for(first, need):
            yield f"{first.request.name} does not wait for {need.request.name}"


def groups_are_scaled_as_the_file_says(config: StackConfig, built: Deployment) -> Iterator[str]:
    """The autoscaler's priorities name groups that are there; groups of zones stay balanced."""
    releases = [r for r in built.every(RELEASE) if r.inputs["name"] == "cluster-autoscaler"]
    names = [group.inputs["name"] for group in spot_groups(built)]
    zonal = any(len(group.inputs["vpcZoneIdentifiers"]) == 1 for group in spot_groups(built))
    for values in (release.inputs["values"] for release in releases):
        assert config.cluster_autoscaler
        wanted = config.cluster_autoscaler.balance_similar_node_groups
        if values["extraArgs"]["balance-similar-node-groups"] is not (
            zonal if wanted is None else wanted
        ):
            yield "groups of zones are not balanced as they should be"
        first = max(values.get("expanderPriorities", {}).items(), default=None, key=_number)
        if (values["extraArgs"]["expander"] == "priority") is not (first is not None):
            yield "priorities are where nobody reads them, or not where they are read"
        if first:
            grown = [name for name in names if any(re.search(p, name) for p in first[1])]
            if grown != names or not all(any(re.search(p, n) for n in names) for p in first[1]):
                yield f"{first[1]} come first, and the spot groups are {names}"


def no_node_is_drained_twice(_: StackConfig, built: Deployment) -> Iterator[str]:
    """The handler's DaemonSet keeps off Fargate, and off the nodes that Karpenter drains."""
    fargate = {"eks.amazonaws.com/compute-type": "fargate"}
    others = [fargate, *(each.labels for each in nodes(built) if each.made_by.request.type == POOL)]
    for release in built.every(RELEASE):
        values = release.inputs.get("values", {})
        if release.inputs["name"] == "aws-node-termination-handler" and (
            affinity := values.get("daemonsetAffinity")
        ):
            required = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            # A label of the user's own may be on any node: only the terms that are ours count.
            for term, labels in product(required["nodeSelectorTerms"], others):
                asked = {e["key"]: e["values"][0] for e in term["matchExpressions"] if _given(e)}
                if _fits(term, {**asked, **labels}):
                    yield f"the handler's pods run on nodes with {labels} too"


def _given(expression: Mapping[str, Any]) -> bool:
    return expression["operator"] == "In"


def _number(item: tuple[str, Any]) -> int:
    return int(item[0])


INVARIANTS = (
    every_pod_has_a_home_that_is_there_first,
    names_resolve_before_anybody_asks,
    nodes_are_in_the_security_groups_of_the_file,
    every_role_is_trusted_by_one_account,
    what_a_destroy_needs_outlives_it,
    groups_are_scaled_as_the_file_says,
    no_node_is_drained_twice,
)
