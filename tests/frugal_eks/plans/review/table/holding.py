"""What holds state or traffic."""

from tests.frugal_eks.plans.review.made import step, urn
from tests.frugal_eks.plans.review.table.case import Case

QUEUE, NAT = "aws:sqs/queue:Queue", "aws:ec2/natGateway:NatGateway"
CLUSTER, TAG = "aws:eks/cluster:Cluster", "aws:ec2/tag:Tag"
GOES = "State or traffic goes"

CASES = [
    Case(
        "a replacement of what holds something is told with its cause",
        [step("replace", NAT, replaceReasons=["subnetId"])],
        [
            f"{GOES}: ec2.NatGateway one is replaced because of subnetId: connections to the "
            "outside break off, its address may change"
        ],
        [step("update", NAT, old={"tags": {"a": "1"}}, new={"tags": {"a": "2"}})],
    ),
    Case(
        "a deletion too",
        [step("delete", QUEUE)],
        [
            f"{GOES}: sqs.Queue one is deleted: messages in it are lost, and interruptions "
            "meanwhile are not heard"
        ],
        [step("delete", TAG)],
    ),
    Case(
        "what is replaced before it is deleted takes three steps and is told once",
        [
            step("create-replacement", CLUSTER, replaceReasons=["roleArn"]),
            step("replace", CLUSTER, replaceReasons=["roleArn"]),
            step("delete-replaced", CLUSTER),
        ],
        [
            f"{GOES}: eks.Cluster one is replaced because of roleArn: everything that runs on it "
            "goes with it"
        ],
        [step("create", CLUSTER, new={"vpcConfig": {"endpointPublicAccess": False}})],
    ),
    Case(
        "what leaves the stack and stays is told as such",
        [step("delete", "aws:s3/bucket:Bucket", retainOnDelete=True)],
        [
            f"{GOES}: s3.Bucket one leaves the stack, but stays where it is (retainOnDelete): "
            "nobody looks after it"
        ],
        [step("same", "aws:s3/bucket:Bucket", retainOnDelete=True)],
    ),
    Case(
        "types that are not known here are judged by the last word of their type",
        [step("delete", "gcp:sql/databaseInstance:DatabaseInstance")],
        [f"{GOES}: sql.DatabaseInstance one is deleted: what is stored in it is lost"],
        [step("delete", "aws:s3/bucketPolicy:BucketPolicy")],
    ),
    Case(
        "so are Kubernetes' kinds of another version",
        [step("delete", "kubernetes:apps/v1beta2:StatefulSet")],
        [f"{GOES}: StatefulSet one is deleted: its pods stop, and its volumes may go with it"],
        [step("delete", "kubernetes:core/v1:ConfigMap")],
    ),
    Case(
        "a component is no more than its parts",
        [
            step("delete", "eks:index:Cluster", custom=False),
            step("delete", CLUSTER, "inner", parent=urn("eks:index:Cluster", "one")),
        ],
        [f"{GOES}: eks.Cluster inner is deleted: everything that runs on it goes with it"],
        [step("delete", "eks:index:Cluster", custom=False)],
    ),
]
