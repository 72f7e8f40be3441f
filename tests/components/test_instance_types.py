import pytest

from components.instance_types import is_graviton


@pytest.mark.parametrize(
    "arm",
    [
        "m7g.large",
        "c6gn.xlarge",
        "t4g.nano",
        "im4gn.large",
        "x2gd.4xlarge",
        "g5g.xlarge",
        "hpc7g.4xlarge",
        "a1.medium",
    ],
)
def test_graviton_is_known_by_its_name(arm):
    assert is_graviton(arm)


@pytest.mark.parametrize(
    "intel_or_amd",
    [
        "m7i.large",
        "m7i-flex.large",
        "g4dn.xlarge",
        "g6.xlarge",
        "gr6.4xlarge",
        "p5.48xlarge",
        "m7a.large",
        "u-6tb1.56xlarge",
        "mac2-m2pro.metal",
        "trn1.2xlarge",
    ],
)
def test_a_g_elsewhere_in_the_name_is_no_graviton(intel_or_amd):
    assert not is_graviton(intel_or_amd)
