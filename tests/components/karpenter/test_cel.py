import pytest

from components.karpenter import cel


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("self.find('^[^@]+') == 'al2023'", "al2023@v20260930"),
        ("self.find('^[^@]+') == ''", "@x"),
        ("self.split('@')[1] == 'latest'", "al2@latest"),
        ("self.size() == 3", ["a", "b", "c"]),
        ("has(self.a) && !has(self.b)", {"a": 1}),
        ("self.all(x, int(x) >= 0)", ["0", "+5", "9223372036854775807"]),
        ("self.all(k, self[k] != '')", {"a": "b"}),
        ("self == [1, 'a', true]", [1, "a", True]),
    ],
)
def test_what_kubernetes_and_cel_know_holds_here(expression, value):
    assert cel.holds(expression, {"self": value})
    assert not cel.holds(f"!({expression})", {"self": value})


@pytest.mark.parametrize("text", [" 5", "1_000", "many", "", "1.5", "9223372036854775808", "٣"])
def test_a_whole_number_is_one_that_go_reads(text):
    with pytest.raises(cel.CelError, match=rf"^'{text}' is no integer$"):
        cel.holds("int(self) >= 0", {"self": text})


@pytest.mark.parametrize(
    ("expression", "said"),
    [("self.values.size() == 0", 'Key not found in map : "values"'), ("self[1] == 2", "1")],
)
def test_what_cannot_be_evaluated_says_why(expression, said):
    with pytest.raises(cel.CelError, match=said):
        cel.holds(expression, {"self": {}})


def test_one_of_two_alternatives_may_be_impossible_to_evaluate():
    """As in the API server: `||` needs one that is true."""
    assert cel.holds("self.exists(x, x.values.size() == 1)", {"self": [{}, {"values": ["a"]}]})


@pytest.mark.parametrize("text", ["20Gi\n", "٢0Gi", "20"])
def test_a_pattern_is_read_as_go_reads_it(text):
    """Python's `$` takes a line's end, and its `\\d` the digits of other scripts."""
    assert cel.matches("20Gi", r"^\d+Gi$")
    assert not cel.matches(text, r"^\d+Gi$")


def test_what_is_no_cel_is_refused():
    with pytest.raises(RuntimeError):
        cel.program("self.all(")
