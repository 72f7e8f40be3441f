"""Answers requests that moto does not know, from moto's own data."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import json
import re
from typing import Any

from moto.efs.models import efs_backends

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.moto_account import MotoAccount

FILE_SYSTEM = re.compile(r"/2015-02-01/file-systems/(?P<id>fs-\w+)")


def update_file_system(account: MotoAccount, path: str, body: bytes) -> str:
    """elasticfilesystem:UpdateFileSystem, as JSON: the throughput mode changes at once."""
    match = FILE_SYSTEM.fullmatch(path)
    backend: Any = efs_backends[account.id][account.region]
    file_system = backend.file_systems_by_id.get(match["id"] if match else "")
    if file_system is None:
        raise AwsError(
            "FileSystemNotFound", f"File system {path.rpartition('/')[2]} does not exist"
        )
    settings = json.loads(body or b"{}")
    file_system.throughput_mode = settings.get("ThroughputMode", file_system.throughput_mode)
    file_system.provisioned_throughput_in_mibps = settings.get("ProvisionedThroughputInMibps")
    return json.dumps(file_system.info_json())
