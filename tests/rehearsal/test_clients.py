"""The client of the API server, with answers of the test's own."""

import io
import urllib.error

import pytest

from rehearsal import clients
from rehearsal.clients import Cluster
from rehearsal.errors import RehearsalError


@pytest.fixture
def cluster(monkeypatch):
    """Answers with these statuses, one after the other; 200 with an empty list."""
    made = object.__new__(Cluster)
    made.url, made.token = "https://localhost", "t"
    monkeypatch.setattr(clients.time, "sleep", lambda _: None)

    def answer(*codes):
        left = list(codes)

        def send(request, **_):
            code = left.pop(0) if len(left) > 1 else left[0]
            if code == 200:  # noqa: PLR2004
                return io.BytesIO(b'{"items": []}')
            text = io.BytesIO(b'{"message": "storage is (re)initializing"}')
            raise urllib.error.HTTPError(request.full_url, code, "", None, text)

        made.open = send
        return made

    return answer


def test_an_api_server_that_asks_for_patience_is_asked_again(cluster):
    assert cluster(429, 429, 200).get("/apis/elbv2.k8s.aws") == {"items": []}


def test_but_not_for_ever(cluster, monkeypatch):
    monkeypatch.setattr(clients, "BUSY_SECONDS", -1)

    with pytest.raises(RehearsalError, match=r"refuses GET /apis/x: storage is \(re\)initializing"):
        cluster(429).get("/apis/x")


def test_another_refusal_is_told_at_once_and_what_is_missing_is_no_item(cluster):
    with pytest.raises(RehearsalError, match="refuses GET /apis/x"):
        cluster(500, 200).get("/apis/x")
    with pytest.raises(LookupError):
        cluster(404).get("/apis/x")
    assert cluster(404).items("/apis/x") == []
