"""Finds replacements and deletions of resources that hold state or traffic."""

import re
from collections.abc import Iterator

from frugal_eks.plans.previews import Change, Preview
from frugal_eks.plans.previews.markdown import codes
from frugal_eks.plans.review.risk import Concern, Risk, changed

CLUSTER = "everything that runs on it goes with it"
NODES = "its nodes go, and the pods on them move"
DATA = "what is stored in it is lost"
KEY = "what was encrypted with it cannot be read once it is gone"
ADDRESS = "its address changes, and whoever allows that address shuts it out"
TRAFFIC = "it carries traffic, which breaks off"
NETWORK = "whatever is in it has to go first"
MESSAGES = "messages in it are lost, and interruptions meanwhile are not heard"
PODS = "the pods on it are deleted with it, and made anew on another that selects them"

TYPES: dict[str, str] = {
    "aws:eks/cluster:Cluster": CLUSTER,
    "aws:ecs/cluster:Cluster": CLUSTER,
    "aws:eks/nodeGroup:NodeGroup": NODES,
    "aws:autoscaling/group:Group": NODES,
    "aws:eks/fargateProfile:FargateProfile": PODS,
    "aws:eks/addon:Addon": "what it does for all pods (network, names, volumes) stops meanwhile",
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": "its pods have no rights meanwhile",
    "aws:eks/accessEntry:AccessEntry": "whoever uses it is shut out of the cluster meanwhile",
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": "no pod gets rights by it meanwhile",
    "aws:ec2/instance:Instance": "what runs on it stops, and what is on its own disks is lost",
    "aws:ec2/vpc:Vpc": NETWORK,
    "aws:ec2/subnet:Subnet": NETWORK,
    "aws:ec2/natGateway:NatGateway": "connections to the outside break off, its address may change",
    "aws:ec2/eip:Eip": ADDRESS,
    "aws:ec2/internetGateway:InternetGateway": TRAFFIC,
    "aws:ec2/routeTable:RouteTable": TRAFFIC,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": "its subnet gets the main routes",
    "aws:ec2/route:Route": "traffic has no way there meanwhile",
    "aws:ec2/vpcEndpoint:VpcEndpoint": TRAFFIC,
    "aws:ec2/networkInterface:NetworkInterface": ADDRESS,
    "aws:ec2/securityGroup:SecurityGroup": "whatever is in it has to leave it first",
    "aws:ebs/volume:Volume": DATA,
    "aws:efs/fileSystem:FileSystem": DATA,
    "aws:efs/mountTarget:MountTarget": "pods lose the file system meanwhile",
    "aws:s3/bucket:Bucket": DATA,
    "aws:s3/bucketV2:BucketV2": DATA,
    "aws:rds/instance:Instance": DATA,
    "aws:rds/cluster:Cluster": DATA,
    "aws:dynamodb/table:Table": DATA,
    "aws:elasticache/replicationGroup:ReplicationGroup": DATA,
    "aws:kms/key:Key": KEY,
    "aws:secretsmanager/secret:Secret": DATA,
    "aws:sqs/queue:Queue": MESSAGES,
    "aws:cloudwatch/logGroup:LogGroup": "the log written so far is lost",
    "aws:lb/loadBalancer:LoadBalancer": "its name and addresses change, and connections break off",
    "aws:lb/listener:Listener": TRAFFIC,
    "aws:lb/targetGroup:TargetGroup": TRAFFIC,
    "aws:route53/zone:Zone": "its name servers change, and its records are lost",
    "aws:route53/record:Record": "the name leads nowhere meanwhile",
    "kubernetes:core/v1:Namespace": "all objects in it are deleted",
    "kubernetes:core/v1:Node": NODES,
    "kubernetes:core/v1:PersistentVolumeClaim": DATA,
    "kubernetes:core/v1:PersistentVolume": DATA,
    "kubernetes:core/v1:Service": TRAFFIC,
    "kubernetes:networking.k8s.io/v1:Ingress": TRAFFIC,
    "kubernetes:apps/v1:StatefulSet": "its pods stop, and its volumes may go with it",
    "kubernetes:apps/v1:Deployment": "its pods stop",
    "kubernetes:apps/v1:DaemonSet": "its pods stop on every node",
    "kubernetes:helm.sh/v3:Release": "all objects of its chart are deleted",
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": "all objects of its kind go too",
    "kubernetes:karpenter.sh/v1:NodePool": NODES,
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": NODES,
}
"""Consequences of a loss, by type."""
_KUBERNETES = {
    token.rpartition(":")[2]: loss
    for token, loss in TYPES.items()
    if token.startswith("kubernetes:")
}
"""Consequences by kind, since an API version may differ."""

# Of other programs: what the last word of a type says, in every cloud.
_WORDS: tuple[tuple[str, str], ...] = (
    (r".*((Node|Agent)(Pool|Group)|ScaleSet|Autoscaler)", NODES),
    (r"(Database|Db|Cache|Sql|Storage).*", DATA),
    (r".*Cluster", CLUSTER),
    (r".*(Database|Bucket|Volume|Disk|FileSystem|Share|Table|Snapshot|Vault|Secret)", DATA),
    (r"(Crypto|Encryption)?Key", KEY),
    (r".*(Queue|Topic|Stream|Subscription)", MESSAGES),
    (r".*(Balancer|Listener|TargetGroup|Gateway|Router|Tunnel|Distribution)", TRAFFIC),
    (r"(Elastic|Public|Global|Static)?(Ip|IpAddress|PublicIp|Address|Eip)", ADDRESS),
    (r".*(Vpc|Network|Subnet|Subnetwork)", NETWORK),
    (r".*(Zone|Record|RecordSet)", "names in it lead nowhere meanwhile"),
    (r"Namespace|Project|ResourceGroup", "all that is in it is deleted"),
    (r".*(Machine|Instance|Server)", "what runs on it stops"),
)
_BY_WORD = tuple((re.compile(rf"(?:{words})(?:V\d+)?"), loss) for words, loss in _WORDS)
_NO_CLOUD = ("pulumi:", "random:", "tls:", "command:", "time:", "kubernetes:")
_NOTHING = re.compile(r".*(Policy|Attachment|Association|Version|Rule|Configuration|Group|Patch)")
"""Types whose names contain such a word, but which hold nothing."""


def why(resource_type: str) -> str:
    """Consequence of losing a resource of this type; empty if none is known."""
    word = resource_type.rpartition(":")[2]
    if resource_type in TYPES:
        return TYPES[resource_type]
    if resource_type.startswith("kubernetes:"):
        return _KUBERNETES.get(word, "")
    if resource_type.startswith(_NO_CLOUD) or _NOTHING.fullmatch(word):
        return ""
    return next((loss for pattern, loss in _BY_WORD if pattern.fullmatch(word)), "")


def find(preview: Preview) -> Iterator[Risk]:
    """Replacements and deletions of resources that hold something."""
    for change in changed(preview):
        if change.operation in {"replace", "delete"} and (loss := why(change.type)):
            yield Risk(Concern.HOLDS, change, _text(change, loss))


def _text(change: Change, loss: str) -> str:
    if change.operation == "replace":
        keys = codes(change.replace_reasons)
        return f"is replaced{f' because of {keys}' if keys else ''}: {loss}"
    if change.old and change.old.retain_on_delete:
        return "leaves the stack, but stays where it is (`retainOnDelete`): nobody looks after it"
    return f"is deleted: {loss}"
