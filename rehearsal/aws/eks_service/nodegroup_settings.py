"""Checks and describes managed node groups, with EKS's defaults filled in."""

from rehearsal.aws import images, moto_instances
from rehearsal.aws.eks_service import checks
from rehearsal.aws.eks_service.node_objects import AMI_PARAMETERS
from rehearsal.aws.eks_service.state import Answer, Cluster, Eks, Params, now

DEFAULT_TYPE = {"x86_64": "t3.medium", "arm64": "t4g.medium"}
DEFAULT_DISK = 20  # GiB
MAX_TAINTS = 50


def check(eks: Eks, cluster: Cluster, params: Params) -> None:
    """Refuses what EKS would refuse in CreateNodegroup. Raises AwsError."""
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
    version = params.get("version", cluster.version)
    if version != cluster.version:
        raise checks.invalid(
            f"Nodegroup Kubernetes version {version} must be the cluster's, {cluster.version}"
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
    check_release(ami_type, cluster.version, params.get("releaseVersion"))


def check_release(ami_type: str, minor: str, release: str | None) -> None:
    """A release is one that AWS published for the minor, with the patch of its day.

    Raises AwsError in the words of EKS (AWS re:Post, "troubleshoot Amazon EKS managed node group
    update errors").
    """
    published = images.releases()
    family = published.bottlerocket if ami_type.startswith("BOTTLEROCKET") else published.al2023
    if release and ami_type != "CUSTOM" and release not in family.get(minor, []):
        raise checks.invalid(
            f"Requested release version {release} is not valid for kubernetes version {minor}."
        )


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
    # As terraform-aws-modules/terraform-aws-eks#3007 shows it: the name, and a random part.
    parts = (eks.account.random_hex(length) for length in (8, 4, 4, 4, 12))
    group = "-".join(["eks", name, *parts])
    described["resources"] = {"autoScalingGroups": [{"name": group}]}
    return described


def version_update(eks: Eks, cluster: Cluster, described: Answer, params: Params) -> Answer:
    """What UpdateNodegroupVersion changes: version, releaseVersion and launchTemplate.

    The API reference: "If no version is specified, then the Kubernetes version of the node group
    does not change"; releaseVersion is by default "the latest available AMI version for the node
    group's Kubernetes version", with a new launch template too; "You cannot roll back a node group
    to an earlier Kubernetes version or AMI version". Raises AwsError.
    """
    requested = {"version": params.get("version") or described["version"]}
    if requested["version"] not in (cluster.version, described["version"]):
        raise checks.invalid(
            "Nodegroup Kubernetes version should be equal to Cluster kubernetes version "
            f"{cluster.version} or NodeGroup kubernetes version {described['version']}"
        )
    wanted = params.get("releaseVersion") or release_of(eks, described | requested)
    check_release(described["amiType"], requested["version"], wanted)
    had, same_minor = described["releaseVersion"], requested["version"] == described["version"]
    if wanted and same_minor and _older(described["amiType"], wanted, had):
        # EKS's own words have not been seen.
        raise checks.invalid(
            f"Requested release version {wanted} is older than {had}: a node group cannot be "
            "rolled back"
        )
    changes = requested | {"releaseVersion": wanted}
    if template := params.get("launchTemplate"):
        changes["launchTemplate"] = _new_version(described, template)
        _template_types(eks, params)
    return changes


def _older(ami_type: str, release: str, than: str) -> bool:
    """True if the first release is older: Bottlerocket's by version, AL2023's by date."""
    if ami_type.startswith("BOTTLEROCKET"):
        old, new = (_numbers(each.partition("-")[0]) for each in (release, than))
        return old < new
    return release.partition("-")[2] < than.partition("-")[2]


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _new_version(described: Answer, template: Params) -> Params:
    """Version of the launch template after an update; only the version can change (the API
    reference).
    """
    had = described.get("launchTemplate")
    if not had or any(had.get(key) != template[key] for key in ("id", "name") if key in template):
        raise checks.invalid(
            f"The launch template {template} must be the one that the node group was made with: "
            f"{had}"
        )
    return had | template


def merged_taints(current: list[Params], requested: Params) -> list[Params]:
    """Taints after an update; key and effect identify a taint."""
    changed = [*requested.get("addOrUpdateTaints", []), *requested.get("removeTaints", [])]
    touched = {(taint["key"], taint["effect"]) for taint in changed}
    kept = [taint for taint in current if (taint["key"], taint["effect"]) not in touched]
    return [*kept, *requested.get("addOrUpdateTaints", [])]


def image_parameter(described: Answer, field: str) -> str | None:
    """SSM parameter of the newest image of the AMI type; None for CUSTOM."""
    architecture_and_parameter = AMI_PARAMETERS.get(described["amiType"])
    if not architecture_and_parameter:
        return None
    newest = architecture_and_parameter[1].format(minor=described["version"], field=field)
    day = described.get("releaseVersion", "").rpartition("-")[2]
    if not day:
        return newest
    arch, variant = newest.split("/")[-4:-2]
    name = f"amazon-eks-node-al2023-{arch}-{variant}-{described['version']}-v{day}"
    return newest.replace("/recommended/", f"/{name}/")


def release_of(eks: Eks, described: Answer) -> str:
    """The recommended AMI release."""
    bottlerocket = described["amiType"].startswith("BOTTLEROCKET")
    field = "image_version" if bottlerocket else "release_version"
    parameter = image_parameter(described | {"releaseVersion": ""}, field)
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
    requested = params.get("launchTemplate")
    if not requested:
        return []
    try:
        if "id" in requested:
            template = eks.account.ec2.get_launch_template(requested["id"])
        else:
            template = eks.account.ec2.get_launch_template_by_name(requested.get("name", ""))
        data = template.get_version(requested.get("version", "$Default")).data
    except Exception as error:  # moto's own exceptions, one a case
        raise checks.invalid(f"Launch template {requested} does not exist: {error}") from error
    return [data["InstanceType"]] if data.get("InstanceType") else []
