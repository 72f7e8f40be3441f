"""Each CEL rule of the EC2NodeClass, broken by a class of the stack file."""

AMIS = "spec.amiSelectorTerms"
DISKS = "spec.blockDeviceMappings"
KUBELET = "spec.kubelet"
ALIAS = {"amiAlias": "al2023@v20260930"}
SIGNALS = "['memory.available','nodefs.available','nodefs.inodesFree','imagefs.available',"
SIGNALS += "'imagefs.inodesFree','pid.available']"
NO_TAG = "empty tag keys or values aren't supported"


def images(*terms, **more):
    return {"amiSelectorTerms": [*terms], **more}


def disk(**volume):
    return ALIAS | {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": volume}]}


def kubelet(**settings):
    return ALIAS | {"kubelet": settings}


def interfaces(*places):
    keys = ("networkCardIndex", "deviceIndex", "interfaceType")
    return ALIAS | {"networkInterfaces": [dict(zip(keys, place, strict=True)) for place in places]}


# As of pools: where the rule stands, its message; the class that breaks it; where the user is told,
# in which words, of which value.
BROKEN = [
    (
        f"{AMIS}[].alias",
        "'alias' is improperly formatted, must match the format 'family@version'",
        {"amiAlias": "al2023"},
        ("amiAlias", "is no release of AL2023", "al2023"),
    ),
    (
        f"{AMIS}[].alias",
        "family is not supported, must be one of the following: 'al2', 'al2023', 'bottlerocket',"
        " 'windows2019', 'windows2022', 'windows2025'",
        {"amiAlias": "ubuntu@v1"},
        ("amiAlias", "is no alias: write family@release", "ubuntu@v1"),
    ),
    (
        f"{AMIS}[].alias",
        "windows families may only specify version 'latest'",
        {"amiAlias": "windows2022@v1"},
        ("amiAlias", "Windows has no pinned alias", "windows2022@v1"),
    ),
    (
        f"{AMIS}[].tags",
        NO_TAG,
        images({"tags": {"team": ""}}, amiFamily="Custom"),
        ("amiSelectorTerms[0].tags.team", "at least 1 character", ""),
    ),
    (
        AMIS,
        "expected at least one, got none, ['tags', 'id', 'name', 'alias', 'ssmParameter']",
        images({"owner": "self"}, amiFamily="Custom"),
        ("amiSelectorTerms[0].owner", "finds every image of theirs", "self"),
    ),
    (
        AMIS,
        "'id' is mutually exclusive, cannot be set with a combination of other fields in"
        " amiSelectorTerms",
        images({"id": "ami-1", "name": "x"}, amiFamily="Custom"),
        ("amiSelectorTerms[0]", "gives id, name: keep one of alias, id", None),
    ),
    (
        AMIS,
        "'alias' is mutually exclusive, cannot be set with a combination of other fields in"
        " amiSelectorTerms",
        images({"alias": "al2023@v20260930", "name": "x"}),
        ("amiSelectorTerms[0]", "gives alias, name: keep one of alias, id", None),
    ),
    (
        AMIS,
        "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms",
        images({"alias": "al2023@v20260930"}, {"name": "x"}),
        ("amiSelectorTerms", "an alias is the only term", "al2023@v20260930"),
    ),
    (
        f"{DISKS}[].ebs",
        "snapshotID or volumeSize must be defined",
        disk(volumeType="gp3"),
        ("blockDeviceMappings[0].ebs.volumeSize", "give volumeSize", None),
    ),
    (
        f"{DISKS}[].ebs",
        "snapshotID must be set when volumeInitializationRate is set",
        disk(volumeSize="20Gi", volumeInitializationRate=100),
        (
            "blockDeviceMappings[0].ebs.volumeInitializationRate",
            "is of a volume from a snapshot",
            100,
        ),
    ),
    (
        DISKS,
        "must have only one blockDeviceMappings with rootVolume",
        ALIAS
        | {
            "blockDeviceMappings": [
                {"deviceName": place, "ebs": {"volumeSize": "20Gi"}, "rootVolume": True}
                for place in ("/dev/xvda", "/dev/xvdb")
            ]
        },
        (
            "blockDeviceMappings[1].rootVolume",
            "blockDeviceMappings[0] is the one: drop it",
            True,
        ),
    ),
    (
        "spec.connectionTracking",
        "at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set",
        ALIAS | {"connectionTracking": {}},
        ("connectionTracking", "says nothing: give one of", None),
    ),
    (
        "spec.instanceProfile",
        "instanceProfile cannot be empty",
        ALIAS | {"instanceProfile": ""},
        ("instanceProfile", "is no bare name", ""),
    ),
    *[
        (
            f"{KUBELET}.{key}",
            f"valid keys for {key} are {SIGNALS}",
            kubelet(**{key: {"memory.free": "1m"}}),
            (f"kubelet.{key}.memory.free", "Input should be 'memory.available'", "memory.free"),
        )
        for key in ("evictionHard", "evictionSoft", "evictionSoftGracePeriod")
    ],
    *[
        (
            f"{KUBELET}.{key}",
            f"valid keys for {key} are ['cpu','memory','ephemeral-storage','pid']",
            kubelet(**{key: {"gpu": "1"}}),
            (f"kubelet.{key}.gpu", "Input should be 'cpu', 'memory'", "gpu"),
        )
        for key in ("kubeReserved", "systemReserved")
    ],
    *[
        (
            f"{KUBELET}.{key}",
            f"{key} value cannot be a negative resource quantity",
            kubelet(**{key: {"cpu": "-1"}}),
            (f"kubelet.{key}.cpu", "is no amount", "-1"),
        )
        for key in ("kubeReserved", "systemReserved")
    ],
    (
        KUBELET,
        "imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent",
        kubelet(imageGCHighThresholdPercent=50, imageGCLowThresholdPercent=60),
        ("kubelet.imageGCLowThresholdPercent", "low 60 must be less than high 50", 60),
    ),
    (
        KUBELET,
        "evictionSoft OwnerKey does not have a matching evictionSoftGracePeriod",
        kubelet(evictionSoft={"memory.available": "5%"}),
        ("kubelet.evictionSoft.memory.available", "evictionSoftGracePeriod", None),
    ),
    (
        KUBELET,
        "evictionSoftGracePeriod OwnerKey does not have a matching evictionSoft",
        kubelet(evictionSoftGracePeriod={"memory.available": "1m"}),
        ("kubelet.evictionSoftGracePeriod.memory.available", "evictionSoft", None),
    ),
    (
        "spec.networkInterfaces",
        "networkInterfaces must include a primary interface with interfaceType='interface'",
        interfaces((0, 1, "interface")),
        ("networkInterfaces", "the first is missing: add networkCardIndex 0", None),
    ),
    (
        "spec.networkInterfaces",
        "networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs, and can"
        " have at most one efa device per network card",
        interfaces((0, 0, "interface"), (0, 0, "interface")),
        ("networkInterfaces[1]", "has card and device of networkInterfaces[0]", None),
    ),
    (
        "spec.role",
        "role cannot be empty",
        ALIAS | {"role": ""},
        ("role", "is no bare name", ""),
    ),
    (
        "spec.tags",
        "empty tag keys aren't supported",
        ALIAS | {"tags": {"": "x"}},
        ("tags.", "EC2 takes no such key", "x"),
    ),
    *[
        (
            "spec.tags",
            f"tag contains a restricted tag matching {matching}",
            ALIAS | {"tags": {key: "x"}},
            (f"tags.{key}", "Karpenter sets this tag itself: drop it", "x"),
        )
        for key, matching in {
            "eks:eks-cluster-name": "eks:eks-cluster-name",
            "kubernetes.io/cluster/dev": "kubernetes.io/cluster/",
            "karpenter.sh/nodepool": "karpenter.sh/nodepool",
            "karpenter.sh/nodeclaim": "karpenter.sh/nodeclaim",
            "karpenter.k8s.aws/ec2nodeclass": "karpenter.k8s.aws/ec2nodeclass",
        }.items()
    ],
    (
        "spec",
        "must specify exactly one of ['role', 'instanceProfile']",
        ALIAS | {"role": "nodes", "instanceProfile": "nodes"},
        ("role", "instanceProfile brings a role too: drop one", "nodes"),
    ),
    *[
        (
            "spec",
            f"if set, amiFamily must be '{family}' or 'Custom' when using"
            f" {'an' if family.startswith('A') else 'a'} {family} alias",
            {"amiAlias": alias, "amiFamily": other, "allowLatest": True},
            ("amiFamily", f"the alias is of {family}: write that, or Custom", other),
        )
        for family, alias, other in (
            ("AL2", "al2@v20260930", "AL2023"),
            ("AL2023", "al2023@v20260930", "AL2"),
            ("Bottlerocket", "bottlerocket@v1.66.0", "AL2"),
            ("Windows2019", "windows2019@latest", "AL2"),
            ("Windows2022", "windows2022@latest", "AL2"),
            ("Windows2025", "windows2025@latest", "AL2"),
        )
    ],
    (
        "spec",
        "must specify amiFamily if amiSelectorTerms does not contain an alias",
        images({"id": "ami-1"}),
        ("amiFamily", "is needed where no alias says it", None),
    ),
]
