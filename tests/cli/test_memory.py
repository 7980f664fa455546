"""The memory of a study grows with its grades and its table, not with what the files of its runs say."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

import maxent as me

RUNS = 30
STUDY = """
import sys
from pathlib import Path
import maxent as me

def peak():
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

qrels, runs = sys.argv[1], sorted(Path(sys.argv[2]).iterdir())
for some in (runs[:2], runs):
    me.informativeness(some, qrels, measures=["AP"], progress=False)
    print(peak())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read as Linux tells it")
def test_more_files_need_little_more_memory(tmp_path: Path) -> None:
    run, qrels = me.simulate(systems=1, topics=25)
    (tmp_path / "runs").mkdir()
    lines = "".join(f"{r.query_id} Q0 {r.doc_id} 0 {r.score:.4f} tag\n" for r in run.itertuples())
    content = gzip.compress(lines.encode())
    for number in range(RUNS):  # alike, but nothing knows that
        (tmp_path / "runs" / f"{number}.gz").write_bytes(content)
    judgments = "".join(f"{q.query_id} 0 {q.doc_id} {q.relevance}\n" for q in qrels.itertuples())
    (tmp_path / "qrels.txt").write_text(judgments)
    command = [sys.executable, "-c", STUDY, str(tmp_path / "qrels.txt"), str(tmp_path / "runs")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    few, all_of_them = map(float, printed.split())
    assert all_of_them - few < 25, (
        "megabytes: it is 9, and 34 if the numbers of all lines are kept, let alone their texts"
    )


COMMAND = """
from maxent.cli import main
main(["measures"])
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
"""


@pytest.mark.slow
def test_commands_let_pyarrow_return_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)  # as commands before have set it
    printed = subprocess.run([sys.executable, "-c", COMMAND], capture_output=True, text=True, check=True).stdout
    assert printed.endswith("\nsystem\n")
