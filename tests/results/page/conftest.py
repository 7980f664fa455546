"""A small study whose runs and topics have names that mean harm, and its report."""

from pathlib import Path

import pytest

import maxent as me
from tests.collections import Tables, small

EVIL = {
    "system1": "<img src=x onerror=alert(1)>",
    "system2": "</script><script>alert(2)</script>",
    "system3": "$x^{2$ & 'a' \"b\" --><!--",
    "system4": "a plain run",
}
EVIL_TOPIC = '"><b onclick=alert(3)>1</b>'


@pytest.fixture(scope="session")
def tables() -> Tables:
    """Runs and judgments."""
    runs, qrels = small()
    runs["run_id"] = runs["run_id"].map(EVIL)
    first = qrels["query_id"].iloc[0]
    return runs.replace({"query_id": {first: EVIL_TOPIC}}), qrels.replace({"query_id": {first: EVIL_TOPIC}})


@pytest.fixture(scope="session")
def page(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a study of these."""
    folder = tmp_path_factory.mktemp("report")
    study = me.study(*tables, depth=200, title="Names & <tags>", progress=False)
    return study.report(folder / "new" / "report.html")
