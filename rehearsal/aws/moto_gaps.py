"""Requests that moto does not know, answered on its own data."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import json
import re
import uuid
from typing import Any

from moto.autoscaling.models import autoscaling_backends
from moto.efs.models import efs_backends

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.moto_account import MotoAccount
from rehearsal.aws.query_filters import form_of

AUTOSCALING = "http://autoscaling.amazonaws.com/doc/2011-01-01/"
FILE_SYSTEM = re.compile(r"/2015-02-01/file-systems/(?P<id>fs-\w+)")


def start_instance_refresh(account: MotoAccount, body: bytes) -> str:
    """autoscaling:StartInstanceRefresh, as XML. It takes no time: every instance is another one."""
    name = form_of(body)["AutoScalingGroupName"][0]
    backend: Any = autoscaling_backends[account.id][account.region]
    group = backend.autoscaling_groups.get(name)
    if group is None:
        raise AwsError("ValidationError", f"AutoScalingGroup name not found - {name}")
    if old := [state.instance.id for state in group.instance_states]:
        # First the old ones: a network interface that the template names is free only then.
        backend.ec2_backend.terminate_instances(old)
        backend.notify_terminate_instances(old)
    return (
        f'<StartInstanceRefreshResponse xmlns="{AUTOSCALING}"><StartInstanceRefreshResult>'
        f"<InstanceRefreshId>{uuid.uuid4()}</InstanceRefreshId></StartInstanceRefreshResult>"
        "</StartInstanceRefreshResponse>"
    )


def update_file_system(account: MotoAccount, path: str, body: bytes) -> str:
    """elasticfilesystem:UpdateFileSystem, as JSON: the throughput mode changes at once."""
    found = FILE_SYSTEM.fullmatch(path)
    backend: Any = efs_backends[account.id][account.region]
    file_system = backend.file_systems_by_id.get(found["id"] if found else "")
    if file_system is None:
        raise AwsError(
            "FileSystemNotFound", f"File system {path.rpartition('/')[2]} does not exist"
        )
    asked = json.loads(body or b"{}")
    file_system.throughput_mode = asked.get("ThroughputMode", file_system.throughput_mode)
    file_system.provisioned_throughput_in_mibps = asked.get("ProvisionedThroughputInMibps")
    return json.dumps(file_system.info_json())
