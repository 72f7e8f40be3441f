"""Disks of a node: one by a short form, or all as the API spells them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from ...kubernetes.quantities import VolumeSize
from ...section import Mistake
from .api_section import ApiSection
from .images import Family

VolumeType = Literal["standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"]

_BOTTLEROCKET_SYSTEM = "4Gi"
# The place of the volume that holds pods and images, and its size where nothing is said: those of
# Karpenter 1.14. Bottlerocket keeps its own system apart. Of an image of the user's own nobody
# knows the place.
_DEVICES: Mapping[Family, tuple[str, str]] = {
    "AL2": ("/dev/xvda", "20Gi"),
    "AL2023": ("/dev/xvda", "20Gi"),
    "Bottlerocket": ("/dev/xvdb", "20Gi"),
    "Windows2019": ("/dev/sda1", "50Gi"),
    "Windows2022": ("/dev/sda1", "50Gi"),
    "Windows2025": ("/dev/sda1", "50Gi"),
}
# The most that the API takes, by unit.
_LARGEST = {"Gi": 59000, "G": 64000, "Ti": 58, "T": 64}
# Where iops must be said, and where they may be; elsewhere the size decides on them.
_NEED_IOPS, _HAVE_IOPS = ("io1", "io2"), ("gp3", "io1", "io2")
_GP3_LEAST_IOPS = 3000


class VolumeConfig(ApiSection):
    """The disk that holds pods and images, always encrypted and deleted with the node."""

    size: VolumeSize | None = None
    """Size of the disk. Absent: 20Gi, for Windows 50Gi."""
    type: Literal["gp3", "io1", "io2"] = "gp3"
    """Volume type. gp3 has 3000 IOPS and 125 MiB per second at no extra cost; io1 and io2 cost
    more.
    """
    iops: int | None = Field(default=None, ge=100, le=64000)
    """Operations per second; required for io1 and io2; gp3 has 3000 by default."""
    throughput: int | None = Field(default=None, ge=125, le=1000)
    """MiB per second, gp3 only."""
    kms_key_id: str | None = Field(default=None, min_length=1)
    """KMS key of the disk. Absent: the account's default key for EBS. The policy of your own key
    must let Karpenter's controller use it through EC2 (`kms:ViaService` ec2.REGION.amazonaws.com:
    CreateGrant, Decrypt, DescribeKey, GenerateDataKeyWithoutPlaintext, ReEncrypt*): the stack
    grants no permissions on keys, and without them nodes end before they are ready.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """Size, speed and type must go together."""
        yield from _size_mistakes("size", self.size)
        yield from _speed_mistakes(self.type, self.iops, self.throughput)


class EbsConfig(ApiSection):
    """An EBS volume as the API spells it. Defaults are written out: gp3, deleted with the node, and
    encrypted unless it comes from a snapshot, which decides that itself.
    """

    volume_size: VolumeSize | None = None
    """Size of the volume. Absent: the snapshot's."""
    volume_type: VolumeType = "gp3"
    """Volume type as EC2 names it."""
    delete_on_termination: bool = True
    """If true, the volume is deleted with the node; if false, it remains and costs money."""
    encrypted: bool | None = None
    """Whether the volume is encrypted. Absent: true, or as the snapshot is."""
    iops: int | None = Field(default=None, ge=100, le=64000)
    """Operations per second; required for io1 and io2; gp3 has 3000 by default."""
    throughput: int | None = Field(default=None, ge=125, le=1000)
    """MiB per second, gp3 only; the API server itself accepts any number."""
    kms_key_id: str | None = Field(default=None, min_length=1)
    """KMS key of the volume; see kmsKeyID of `volume`."""
    snapshot_id: str | None = Field(default=None, pattern=r"^snap-[0-9a-z]+$")
    """Snapshot that fills the volume."""
    volume_initialization_rate: int | None = Field(default=None, ge=100, le=300)
    """MiB per second at which a snapshot is loaded."""

    def mistakes(self) -> Iterator[Mistake]:
        """A volume needs a size or a snapshot, and only settings that fit it."""
        if self.volume_size is None and self.snapshot_id is None:
            yield Mistake("volumeSize", "give volumeSize, for example 20Gi, or snapshotID")
        yield from _size_mistakes("volumeSize", self.volume_size)
        yield from _speed_mistakes(self.volume_type, self.iops, self.throughput, of="volumeType")
        if self.volume_initialization_rate and self.snapshot_id is None:
            problem = "is of a volume from a snapshot: add snapshotID, or drop it"
            yield Mistake("volumeInitializationRate", problem, self.volume_initialization_rate)
        if self.kms_key_id and self.encrypted is False:
            problem = "needs encrypted: true: drop one of them"
            yield Mistake("kmsKeyID", problem, self.kms_key_id)

    def api(self) -> dict[str, Any]:
        """The volume as the API takes it, defaults written out."""
        encrypted = {} if self.snapshot_id else {"encrypted": True}
        return encrypted | super().api()


class BlockDeviceConfig(ApiSection):
    """A disk and its device name. Karpenter 1.14 reads both without checking that they are there,
    and the API server does not require them.
    """

    device_name: str = Field(min_length=1)
    """Device name, for example `/dev/xvda`."""
    ebs: EbsConfig
    """The EBS volume."""
    root_volume: bool = False
    """True if kubelet's folder is on this disk, so that its size counts as the node's; at most one
    disk.
    """

    def api(self) -> dict[str, Any]:
        """The disk as the API takes it, defaults written out."""
        root = {"rootVolume": True} if self.root_volume else {}
        return {"deviceName": self.device_name, "ebs": self.ebs.api()} | root


def disk_mistakes(
    family: Family, volume: VolumeConfig | None, devices: Sequence[BlockDeviceConfig] | None
) -> Iterator[Mistake]:
    """Mistakes between the disks of a class."""
    if volume is not None and devices is not None:
        problem = "blockDeviceMappings says the same in full: keep one of them"
        yield Mistake("volume", problem)
    elif volume is not None and family not in _DEVICES:
        problem = f"where it lies in an image of {family} is not known: write blockDeviceMappings"
        yield Mistake("volume", problem)
    roots = [n for n, device in enumerate(devices or ()) if device.root_volume]
    for number in roots[1:]:
        path = f"blockDeviceMappings[{number}].rootVolume"
        yield Mistake(path, f"blockDeviceMappings[{roots[0]}] is the one: drop it", value=True)
    places: dict[str, int] = {}
    for number, device in enumerate(devices or ()):
        first = places.setdefault(device.device_name, number)
        if first != number:
            path = f"blockDeviceMappings[{number}].deviceName"
            problem = f"is the place of blockDeviceMappings[{first}]: give it another"
            yield Mistake(path, problem, device.device_name)


def block_devices(
    family: Family, volume: VolumeConfig | None, devices: Sequence[BlockDeviceConfig] | None
) -> list[dict[str, Any]]:
    """Volumes of a node: the file's, else those of the family; none for Custom."""
    if devices is not None:
        return [device.api() for device in devices]
    if family not in _DEVICES:
        return []
    place, size = _DEVICES[family]
    volume = volume or VolumeConfig()
    ebs = EbsConfig(
        volume_size=volume.size or size,
        volume_type=volume.type,
        iops=volume.iops,
        throughput=volume.throughput,
        kms_key_id=volume.kms_key_id,
    )
    data = BlockDeviceConfig(device_name=place, ebs=ebs)
    if family != "Bottlerocket":
        return [data.api()]
    own = EbsConfig(volume_size=_BOTTLEROCKET_SYSTEM, kms_key_id=volume.kms_key_id)
    return [BlockDeviceConfig(device_name="/dev/xvda", ebs=own).api(), data.api()]


def _size_mistakes(path: str, size: str | None) -> Iterator[Mistake]:
    amount = re.match(r"\d+", size or "")
    if size is None or amount is None:
        return
    unit = size[amount.end() :]
    if not 1 <= int(amount[0]) <= _LARGEST[unit] or amount[0].startswith("0"):
        yield Mistake(
            path, f"is no size that the API takes: 1{unit} to {_LARGEST[unit]}{unit}", size
        )


def _speed_mistakes(
    kind: VolumeType, iops: int | None, throughput: int | None, *, of: str = "type"
) -> Iterator[Mistake]:
    if kind in _NEED_IOPS and iops is None:
        yield Mistake("iops", f"{kind} has no speed of its own: add it, from 100 on")
    elif iops is not None and kind not in _HAVE_IOPS:
        yield Mistake("iops", f"the size of {kind} decides on them: drop it, or take gp3", iops)
    elif iops is not None and kind == "gp3" and iops < _GP3_LEAST_IOPS:
        yield Mistake("iops", f"gp3 has {_GP3_LEAST_IOPS} at least: raise it or drop it", iops)
    if throughput is not None and kind != "gp3":
        yield Mistake("throughput", f"needs {of} gp3, not {kind}: drop one of them", throughput)
