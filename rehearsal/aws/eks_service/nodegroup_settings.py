"""What a managed node group is: checked, described, with EKS's defaults filled in."""

from rehearsal.aws import images, moto_instances
from rehearsal.aws.eks_service import checks
from rehearsal.aws.eks_service.node_objects import AMI_PARAMETERS
from rehearsal.aws.eks_service.state import Answer, Cluster, Eks, Params, now

DEFAULT_TYPE = {"x86_64": "t3.medium", "arm64": "t4g.medium"}
DEFAULT_DISK = 20  # GiB
MAX_TAINTS = 50


def check(eks: Eks, cluster: Cluster, params: Params) -> None:
    """Refuse what EKS would refuse in CreateNodegroup. Raises AwsError."""
    checks.role_trusted_by(
        eks.account,
        params["nodeRole"],
        "ec2.amazonaws.com",
        f"The role {params['nodeRole']} must trust ec2.amazonaws.com",
    )
    checks.subnets(eks.account, params["subnets"], cluster.vpc_id)
    check_size(params.get("scalingConfig", {}))
    if len(params.get("taints", [])) > MAX_TAINTS:
        raise checks.invalid(f"A node group can have at most {MAX_TAINTS} taints")
    if "launchTemplate" in params and ("remoteAccess" in params or "diskSize" in params):
        raise checks.invalid("Disk size and remote access must be set within the launch template")
    if params.get("version", cluster.version) != cluster.version:
        raise checks.invalid(
            f"Nodegroup Kubernetes version {params['version']} must be the cluster's, "
            f"{cluster.version}"
        )
    ami_type = params.get("amiType", "AL2023_x86_64_STANDARD")
    if ami_type not in AMI_PARAMETERS and ami_type != "CUSTOM":
        raise checks.invalid(f"The rehearsal does not play amiType {ami_type}")
    for instance_type in params.get("instanceTypes", []):
        if not moto_instances.offered(eks.account.region, instance_type):
            raise checks.invalid(
                f"[{instance_type}] is not a valid instance type in {eks.account.region}"
            )
        _check_architecture(ami_type, instance_type)


def check_size(size: Params) -> None:
    """minSize <= desiredSize <= maxSize. Raises AwsError."""
    least, most = size.get("minSize", 1), size.get("maxSize", 2)
    if not least <= size.get("desiredSize", least) <= most or most < 1:
        raise checks.invalid(
            f"desiredSize must lie between minSize and maxSize, and maxSize be at least 1: {size}"
        )


def describe_new(eks: Eks, cluster: Cluster, params: Params) -> Answer:
    """A node group as it is described while it is CREATING."""
    name, size = params["nodegroupName"], params.get("scalingConfig", {})
    ami_type = params.get("amiType", "AL2023_x86_64_STANDARD")
    types = params.get("instanceTypes") or _template_types(eks, params)
    least = size.get("minSize", 1)
    described: Answer = {
        "nodegroupName": name,
        "nodegroupArn": eks.arn("nodegroup", cluster.name, name, eks.account.random_hex(32)),
        "clusterName": cluster.name,
        "version": cluster.version,
        "createdAt": now(),
        "modifiedAt": now(),
        "status": "CREATING",
        "capacityType": params.get("capacityType", "ON_DEMAND"),
        "scalingConfig": {
            "minSize": least,
            "maxSize": size.get("maxSize", 2),
            "desiredSize": size.get("desiredSize", least),
        },
        "instanceTypes": types or [DEFAULT_TYPE[AMI_PARAMETERS.get(ami_type, ("x86_64", ""))[0]]],
        "subnets": params["subnets"],
        "amiType": ami_type,
        "nodeRole": params["nodeRole"],
        "labels": params.get("labels", {}),
        "taints": params.get("taints", []),
        "diskSize": params.get("diskSize", DEFAULT_DISK),
        "health": {"issues": []},
        "updateConfig": params.get("updateConfig", {"maxUnavailable": 1}),
        "tags": params.get("tags", {}),
        **{
            k: params[k]
            for k in ("remoteAccess", "launchTemplate", "nodeRepairConfig")
            if k in params
        },
    }
    described["releaseVersion"] = params.get("releaseVersion") or release_of(eks, described)
    group = f"eks-{name}-{eks.account.random_hex(8)}"
    described["resources"] = {"autoScalingGroups": [{"name": group}]}
    return described


def merged_taints(current: list[Params], asked: Params) -> list[Params]:
    """Taints after an update: one is known by its key and effect."""
    changed = [*asked.get("addOrUpdateTaints", []), *asked.get("removeTaints", [])]
    touched = {(taint["key"], taint["effect"]) for taint in changed}
    kept = [taint for taint in current if (taint["key"], taint["effect"]) not in touched]
    return [*kept, *asked.get("addOrUpdateTaints", [])]


def image_parameter(described: Answer, field: str) -> str | None:
    """Name of the SSM parameter of its image; None for CUSTOM."""
    found = AMI_PARAMETERS.get(described["amiType"])
    return found[1].format(minor=described["version"], field=field) if found else None


def release_of(eks: Eks, described: Answer) -> str:
    """The AMI release that is recommended."""
    parameter = image_parameter(described, "release_version")
    if not parameter:
        return ""
    return images.value(eks.account.id, eks.account.region, parameter)


def _check_architecture(ami_type: str, instance_type: str) -> None:
    supported = moto_instances.facts(instance_type)["ProcessorInfo"]["SupportedArchitectures"]
    wanted = AMI_PARAMETERS.get(ami_type, ("", ""))[0]
    if wanted and wanted not in supported:
        raise checks.invalid(
            f"[{instance_type}] are not supported by amiType {ami_type}: it is for {wanted}"
        )


def _template_types(eks: Eks, params: Params) -> list[str]:
    asked = params.get("launchTemplate")
    if not asked:
        return []
    try:
        if "id" in asked:
            template = eks.account.ec2.get_launch_template(asked["id"])
        else:
            template = eks.account.ec2.get_launch_template_by_name(asked.get("name", ""))
        data = template.get_version(asked.get("version", "$Default")).data
    except Exception as error:  # moto's own exceptions, one a case
        raise checks.invalid(f"Launch template {asked} does not exist: {error}") from error
    return [data["InstanceType"]] if data.get("InstanceType") else []
