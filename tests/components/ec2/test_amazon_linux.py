import pulumi
import pytest

from components import versions
from components.ec2.amazon_linux import amazon_linux_ami, the_image


def test_the_image_is_found_by_its_exact_name_among_amazon_s_own_also_when_deprecated(deploy):
    asked, found = [], []

    def images(query):
        asked.append(query)
        return {"ids": ["ami-0aaaaaaa"]}

    def program():
        amazon_linux_ami(pulumi.InvokeOutputOptions()).apply(found.append)

    deploy(program, {"aws:ec2/getAmiIds:getAmiIds": images})

    assert asked == [
        {
            "owners": ["amazon"],
            "filters": [{"name": "name", "values": [versions.AL2023_AMI_ARM64]}],
            "includeDeprecated": True,
        }
    ]
    assert found == ["ami-0aaaaaaa"]


def test_an_image_that_aws_has_withdrawn_is_told_with_where_to_find_another():
    with pytest.raises(pulumi.RunError) as refused:
        the_image([])

    assert str(refused.value) == (
        f"Amazon has no image {versions.AL2023_AMI_ARM64} in this region any more: take a later "
        "release of this program, or set AL2023_AMI_ARM64 in components/versions.py to a name that "
        "`aws ec2 describe-images --owners amazon "
        "--filters 'Name=name,Values=al2023-ami-2023.*-kernel-*-arm64'` lists"
    )
