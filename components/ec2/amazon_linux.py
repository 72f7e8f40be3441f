"""Amazon Linux for instances that are not Kubernetes nodes: one image, pinned by its name."""

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from ..versions import AL2023_AMI_ARM64

ROOT_DEVICE = "/dev/xvda"
"""Device of the volume that Amazon Linux starts from."""


def amazon_linux_ami(opts: pulumi.InvokeOutputOptions) -> pulumi.Output[str]:
    """Id of the pinned image (arm64) in the provider's region.

    Raises RunError, which Pulumi prints without a traceback, if AWS has withdrawn the image.
    """
    images = aws.ec2.get_ami_ids_output(
        owners=["amazon"],
        filters=[{"name": "name", "values": [AL2023_AMI_ARM64]}],
        # 90 days after its release an image is deprecated, and left out of what is found.
        include_deprecated=True,
        opts=opts,
    )
    return images.ids.apply(the_image)


def the_image(ids: Sequence[str]) -> str:
    """The only image id. Raises RunError if there is none."""
    if not ids:
        raise pulumi.RunError(
            f"Amazon has no image {AL2023_AMI_ARM64} in this region any more: take a later release "
            "of this program, or set AL2023_AMI_ARM64 in components/versions.py to a name that "
            "`aws ec2 describe-images --owners amazon "
            "--filters 'Name=name,Values=al2023-ami-2023.*-kernel-*-arm64'` lists"
        )
    return ids[0]
