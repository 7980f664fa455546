"""Coverage-guided fuzzing of the readers and of everything else that people write: ``python -m tests.fuzz``.

Needs atheris (Linux). Each target of ``targets.py`` has a process of its own, which starts from its corpus in
``tests/fuzz/corpus`` and adds what reaches new code to ``--work``. Input that breaks a promise is left there as
``crash-...``; put it into the corpus when it is mended. The exit code is 1 if there is any.

    python -m tests.fuzz --seconds 600 --work /tmp/fuzz
    python -m tests.fuzz --target run --replay /tmp/fuzz/run/crash-...
"""

import argparse
import functools
import subprocess
import sys
import warnings
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
NAMES = ("run", "check", "qrels", "letor", "clicks", "measure", "options", "checkpoint")


def corpus(name: str) -> Path:
    """Folder with the corpus of a target."""
    return CORPUS / ("run" if name == "check" else name)


def fuzz(name: str, folder: Path, seconds: int) -> None:
    """Fuzz one target; never returns."""
    import atheris

    with atheris.instrument_imports(include=["maxent"]):
        from tests.fuzz.targets import attempt

    warnings.simplefilter("error")
    found = folder / "corpus"
    found.mkdir(parents=True, exist_ok=True)
    flags = [f"-max_total_time={seconds}", f"-artifact_prefix={folder}/", "-print_final_stats=1", "-timeout=20"]
    flags += ["-max_len=1024", "-rss_limit_mb=1500", "-use_value_profile=1"]
    atheris.Setup([name, *flags, str(found), str(corpus(name))], functools.partial(attempt, name))
    atheris.Fuzz()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=NAMES, help="only this one (default: one after the other)")
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="for each target (default: 60)")
    parser.add_argument("--work", type=Path, default=Path("build/fuzz"), metavar="DIR", help="default: build/fuzz")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="give this file to the target, once")
    given = parser.parse_args()
    if given.replay:
        from tests.fuzz.targets import attempt

        warnings.simplefilter("error")
        attempt(given.target, given.replay.read_bytes())
    elif given.target:
        fuzz(given.target, given.work / given.target, given.seconds)
    else:
        more = ["--seconds", str(given.seconds), "--work", str(given.work)]
        codes = [
            subprocess.run([sys.executable, "-m", "tests.fuzz", "--target", n, *more]).returncode for n in NAMES
        ]
        sys.exit(int(any(codes)))
