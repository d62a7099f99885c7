"""`/metrics` as a scraper sees it, and what the dashboard and the page say of it."""

import json
import pathlib
import re
import time
import urllib.error
import urllib.request

import pytest
from prometheus_client import parser

from broker import PATIENCE
from client import Client, TextClient

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "metrics.md").read_text()
BOARD = json.loads((DOCS / "grafana" / "roomline.json").read_text())

ROW = re.compile(r"^\| `(\w+)` \| (\w+) \|([^|]*)\|", re.MULTILINE)
WORDS = {"by", "without", "on", "ignoring", "and", "or", "unless", "bool"}
WITH_TLS = {"roomline_tls_certificate_expiry_timestamp_seconds"}
"""Metrics that only a broker with TLS has."""
IN_CLUSTER = {"roomline_cluster_nodes": set(), "roomline_cluster_partitions": {"state"}}
"""Metrics that only a node of a cluster has, and their labels."""
FOREIGN = {"job", "instance"}
"""Labels that the scraper adds."""


@pytest.fixture
def scraped(start):
    """A broker that has something to tell, and a function that scrapes it."""
    broker = start("--channel", "default,history=1000", "--text-room", "lobby", "--text-channel", "default", "--http", "127.0.0.1:0")
    address = next(record for record in broker.records() if record["message"] == "listening")["metadata"]["http.address"]

    def get(path):
        with urllib.request.urlopen(f"http://{address}{path}", timeout=PATIENCE) as answer:
            return answer.headers, answer.read().decode()

    last = [None]

    def scrape():
        """The figures of now: the text is a second old at most, so one that is new is asked for."""
        end = time.monotonic() + PATIENCE
        headers, text = get("/metrics")
        while text == last[0] and time.monotonic() < end:
            headers, text = get("/metrics")
        last[0] = text
        assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        return {family.name: family for family in parser.text_string_to_metric_families(text)}

    scrape.get = get
    scrape.broker = broker
    return scrape


def value(families, name, **labels):
    family = families[name.removesuffix("_total").removesuffix("_count").removesuffix("_sum")]
    samples = [s.value for s in family.samples if s.name == name and labels.items() <= s.labels.items()]
    assert len(samples) == 1, (name, labels, family.samples)
    return samples[0]


def names(families):
    """As they stand on the page: counters with `_total`."""
    return {name + "_total" if family.type == "counter" else name for name, family in families.items()}


def labels_of(families):
    return {
        sample.name: {label for s in family.samples if s.name == sample.name for label in s.labels}
        for family in families.values()
        for sample in family.samples
    }


def test_what_happens_is_counted(scraped):
    with Client(scraped.broker, "Ann") as ann, Client(scraped.broker, "Bob") as bob:
        for client in (ann, bob):
            client.subscribe("room")
        before = scraped()
        for number in range(20):
            ann.publish("room", number)
        for client in (ann, bob):
            client.messages(20, "room")
        ann.refused({"type": "unsubscribe", "room": "nowhere"}, "not_subscribed")
        after = scraped()
    assert value(after, "roomline_connections", wire_format="json") == 2
    assert value(after, "roomline_members") == 2
    assert value(after, "roomline_rooms") == 1
    assert value(after, "roomline_subscribers", state="live") == 2
    assert value(after, "roomline_channel_connections", channel="default") == 2
    for name, more in {
        "roomline_publishes_total": 20,
        "roomline_deliveries_total": 40,
        "roomline_acknowledgements_total": 20,
        "roomline_commit_messages_sum": 20,
    }.items():
        assert value(after, name) - value(before, name) == more, name
    assert value(after, "roomline_errors_total", code="not_subscribed") == 1
    assert 1 <= value(after, "roomline_commit_duration_seconds_count") <= 20
    assert value(after, "roomline_history_file_bytes") > 0
    assert 0 < value(after, "roomline_shared_memory_bytes", kind="held") < value(after, "roomline_shared_memory_limit_bytes")
    assert value(after, "process_resident_memory_bytes") > 1_000_000
    assert value(after, "process_open_fds") > 3
    assert 0 < value(after, "roomline_disk_free_bytes") < value(after, "roomline_disk_size_bytes")


def test_text_clients_and_those_who_leave_are_counted(scraped):
    with TextClient(scraped.broker) as luke:
        luke.join("Luke")
        families = scraped()
        assert value(families, "roomline_connections", wire_format="text") == 1
        assert value(families, "roomline_connections", wire_format="json") == 0
    families = scraped()
    assert value(families, "roomline_connections_opened_total") == 1


def test_nothing_that_a_client_chooses_becomes_a_label(scraped):
    secret = "s3cret-room-name"
    for path in (f"/default/{secret}/members", f"/{secret}/stats", f"/admin/v1/{secret}", f"/{secret}", f"/health/{secret}?t={secret}"):
        try:
            scraped.get(path)
        except urllib.error.HTTPError as error:
            error.close()
    with Client(scraped.broker, "Ann") as ann:
        ann.subscribe(secret)
        assert secret not in scraped.get("/metrics")[1]


def test_the_page_tells_of_every_metric(scraped):
    scraped()  # the first scrape is a request that the second one counts
    families = scraped()
    told = {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in ROW.findall(PAGE)}
    assert set(told) == names(families) | WITH_TLS | set(IN_CLUSTER)
    assert {name: told[name] for name in IN_CLUSTER} == {name: ("gauge", labels) for name, labels in IN_CLUSTER.items()}
    seen = labels_of(families)
    for name, (kind, labels) in told.items():
        if name in WITH_TLS or name in IN_CLUSTER:
            continue
        family = families[name.removesuffix("_total")]
        assert family.type == kind, name
        sample = name + "_count" if kind == "histogram" else name
        assert seen[sample] == labels, name


def expressions(panels):
    for panel in panels:
        yield from (target["expr"] for target in panel.get("targets", []))
        yield from expressions(panel.get("panels", []))


def alerts():
    return re.findall(r"^\s+expr: (.*)$", PAGE, re.MULTILINE)


def check(expression, seen):
    """Every name in it is a sample's, every label one that this sample has."""
    labels = set()
    for matchers in re.findall(r"(\w+)\{([^}]*)\}", expression):
        wanted = set(re.findall(r"(\w+)\s*(?:=|!=)", re.sub(r'"[^"]*"', '""', matchers[1]))) - FOREIGN
        assert wanted <= seen.get(matchers[0], set()), expression
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\"[^\"]*\"", "", expression)
    for group in re.findall(r"\b(?:by|without)\s*\(([^)]*)\)", bare):
        labels |= {label.strip() for label in group.split(",")}
    bare = re.sub(r"\b(?:by|without)\s*\([^)]*\)", "", bare)
    used = set(re.findall(r"\b[a-zA-Z_:][\w:]*\b(?!\s*\()", bare)) - WORDS
    assert used and used <= set(seen), (expression, used - set(seen))
    for name in used:
        assert labels - FOREIGN <= seen[name], (expression, name)


def test_the_dashboard_and_the_alerts_ask_for_what_there_is(scraped):
    scraped()
    seen = labels_of(scraped()) | {name: set() for name in WITH_TLS} | IN_CLUSTER
    asked = list(expressions(BOARD["panels"]))
    assert len(asked) > 30 and len(alerts()) == 10
    for expression in asked + alerts():
        check(expression, seen)
    for variable in BOARD["templating"]["list"]:
        if variable["type"] == "query":
            assert "label_values(roomline_build_info" in variable["query"]["query"]


def test_the_dashboard_can_be_imported():
    identities = [panel["id"] for panel in BOARD["panels"]]
    assert len(set(identities)) == len(identities)
    rows = [panel["title"] for panel in BOARD["panels"] if panel["type"] == "row"]
    assert rows == ["Traffic", "Latency", "Storage", "Slow consumers", "Errors", "Process"]
    for panel in BOARD["panels"]:
        assert panel["type"] == "row" or panel["datasource"]["uid"] == "${datasource}"
