"""Pools and classes with every field that the API has; what excludes another stands in another."""

SIGNAL = "memory.available"
IMAGES = [
    {"id": "ami-0123456789abcdef0"},
    {"name": "golden-*", "owner": "self", "tags": {"team": "*"}},
    {"ssmParameter": "/golden/image"},
]

EXAMPLES = {
    "NodePool": [
        {
            "nodeClass": "default",
            "annotations": {"example.com/owner": "apps"},
            "labels": {"intent": "apps"},
            "taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}],
            "startupTaints": [{"key": "cilium", "value": "a", "effect": "NoExecute"}],
            "requirements": [
                {
                    "key": "karpenter.k8s.aws/instance-size",
                    "operator": "In",
                    "values": ["large", "xlarge"],
                    "minValues": 2,
                }
            ],
            "limits": {"cpu": "1000"},
            "weight": 10,
            "expireAfter": "720h",
            "terminationGracePeriod": "30m",
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": "1m",
                "budgets": [
                    {"nodes": "10%", "schedule": "@daily", "duration": "8h", "reasons": ["Empty"]}
                ],
            },
        },
        {"nodeClass": "default", "replicas": 2, "limits": {"nodes": "4"}},
    ],
    "EC2NodeClass": [
        {
            "amiSelectorTerms": [{"alias": "al2023@v20260930"}],
            "subnetSelectorTerms": [{"id": "subnet-1"}],
            "securityGroupSelectorTerms": [{"id": "sg-1"}],
            "capacityReservationSelectorTerms": [{"id": "cr-1"}],
            "placementGroupSelector": {"id": "pg-1"},
            "role": "nodes",
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "rootVolume": True,
                    "ebs": {
                        "deleteOnTermination": True,
                        "encrypted": True,
                        "iops": 3000,
                        "kmsKeyID": "alias/nodes",
                        "throughput": 125,
                        "volumeSize": "20Gi",
                        "volumeType": "gp3",
                    },
                }
            ],
            "amiFamily": "AL2023",
            "associatePublicIPAddress": True,
            "connectionTracking": {
                "tcpEstablishedTimeout": 350,
                "udpStreamTimeout": 120,
                "udpTimeout": 45,
            },
            "context": "reserved",
            "cpuOptions": {"nestedVirtualization": "enabled"},
            "detailedMonitoring": True,
            "instanceStorePolicy": "RAID0",
            "ipPrefixCount": 2,
            "kubelet": {
                "clusterDNS": ["172.20.0.10"],
                "cpuCFSQuota": True,
                "evictionHard": {SIGNAL: "5%"},
                "evictionMaxPodGracePeriod": 60,
                "evictionSoft": {SIGNAL: "8%"},
                "evictionSoftGracePeriod": {SIGNAL: "1m"},
                "imageGCHighThresholdPercent": 80,
                "imageGCLowThresholdPercent": 50,
                "kubeReserved": {"cpu": "200m"},
                "maxPods": 50,
                "podsPerCore": 10,
                "systemReserved": {"cpu": "200m"},
            },
            "metadataOptions": {
                "httpEndpoint": "enabled",
                "httpProtocolIPv6": "disabled",
                "httpPutResponseHopLimit": 1,
                "httpTokens": "required",
            },
            "networkInterfaces": [
                {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
            ],
            "tags": {"team": "apps"},
            "userData": "#!/bin/sh",
        },
        *[
            {"amiFamily": "Custom", "amiSelectorTerms": [image], "instanceProfile": "nodes"}
            for image in IMAGES
        ],
        {
            "amiAlias": "al2023@v20260930",
            "subnetSelectorTerms": [{"tags": {"team": "*"}}],
            "securityGroupSelectorTerms": [{"tags": {"team": "*"}}],
            "capacityReservationSelectorTerms": [
                {"ownerID": "111122223333", "tags": {"team": "*"}, "instanceMatchCriteria": "open"}
            ],
            "placementGroupSelector": {"name": "close"},
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "ebs": {"snapshotID": "snap-1", "volumeInitializationRate": 100},
                }
            ],
        },
        {"amiAlias": "al2023@v20260930", "securityGroupSelectorTerms": [{"name": "nodes"}]},
    ],
}
