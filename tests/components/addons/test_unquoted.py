"""Texts of the stack file that upstream's charts print without quotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from components.addons.aws_load_balancer_controller.config import AwsLoadBalancerControllerConfig
from components.addons.cluster_autoscaler.config import ClusterAutoscalerConfig
from components.addons.ebs_csi.config import EbsCsiConfig
from components.kubernetes.charts import survives_unquoted

TAKES = {
    "defaultTags.note": lambda text: AwsLoadBalancerControllerConfig(default_tags={"note": text}),
    "volumeTags.note": lambda text: EbsCsiConfig(volume_tags={"note": text}),
    "extraArgs.note": lambda text: ClusterAutoscalerConfig(extra_args={"note": text}),
}


@pytest.mark.parametrize("path", TAKES)
@pytest.mark.parametrize("text", ["a: b", "a:", "a: b: c", "a "])
def test_a_text_that_would_not_arrive_as_it_is_is_refused_where_it_stands(path, text):
    with pytest.raises(ValidationError) as refused:
        TAKES[path](text)

    (error,) = refused.value.errors()
    (mistake,) = error["ctx"]["mistakes"]
    assert (mistake.path, mistake.value) == (path, text)
    assert mistake.problem.endswith("no `: ` or ` #` in it, no `:` or space at its end")


@pytest.mark.parametrize("text", ["# a", "a #b", "a\tb: c", "a\nb"])
def test_a_comment_or_a_second_line_is_no_flag(text):
    with pytest.raises(ValidationError, match="prints it without quotes"):
        ClusterAutoscalerConfig(extra_args={"note": f"x {text}"})


@pytest.mark.parametrize("path", TAKES)
@pytest.mark.parametrize("text", ["42", "true", "a:b", "arn:aws:iam::1:role/a", "a b", "@a", "-"])
def test_a_text_that_arrives_is_taken(path, text):
    assert TAKES[path](text)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=20))
def test_the_advice_is_all_there_is_to_it(text):
    plain = all(part not in f"{text}\n" for part in (": ", " #", ":\n", " \n"))

    if plain and text.isascii():
        assert survives_unquoted("flag", text)
