"""The commands: each is a function, a summary, and an example of its use."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from maxent.results.result import Result


class Command(NamedTuple):
    """A command: its function, as ``module:name``, a summary of a few words, and an example of its use."""

    target: str
    summary: str
    example: str = ""
    resumes: bool = False  # whether finished topics are kept in --out, so that it goes on where it stopped

    @property
    def function(self) -> Callable[..., "Result"]:
        """The function that the command calls, imported here."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]


STUDIES = "maxent.studies"
SYSTEMS = "maxent.systems"
SPECIAL = "choose-measures"  # where commands for special questions begin
COMMANDS = {  # by name, as the help lists them; the module of a command is imported when it is given
    "study": Command(
        f"{STUDIES}.study:study",
        "how informative measures are on a collection, and which g is the best",
        'maxent study --qrels qrels.txt --runs runs --measures GAP AP "nDCG(gain=exp2)@10" --out study',
        resumes=True,
    ),
    "explain": Command(
        f"{STUDIES}.explain:explain",
        "the curves that follow from the values of one list",
        "maxent explain AP=.35 P@10=.6 --relevant 40 --retrieved 20",
    ),
    "choose-g": Command(
        f"{STUDIES}.choose_g:choose_g",
        "the most informative g of GAP, or gains of nDCG",
        "maxent choose-g --qrels qrels.txt --runs runs --weights 1=1,2=3 --out choose-g",
        resumes=True,
    ),
    "compare": Command("", "comparisons of systems, sets of judgments, and measures"),  # of several KINDS
    "reported": Command(
        f"{SYSTEMS}.reported:reported",
        "what averages over topics, such as a row of a leaderboard, imply",
        """maxent reported --qrels qrels.txt AP=.31 P@10=.75 R@1000=.67
  maxent reported --qrels qrels.txt AP=.31 --counts run.txt --reference uniform
  maxent reported --qrels qrels.txt --table leaderboard.csv""",
    ),
    "evaluate": Command(
        f"{SYSTEMS}.evaluate:evaluate",
        "values of measures, as in trec_eval",
        'maxent evaluate --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)@10" --per-topic --format csv',
    ),
    "check": Command(
        f"{SYSTEMS}.check:check",
        "contents of your files, and problems in them",
        "maxent check --qrels qrels.txt --runs runs",
    ),
    "unjudged": Command(
        f"{SYSTEMS}.unjudged:unjudged",
        "probabilities of the grades of unjudged documents",
        "maxent unjudged --qrels qrels.txt --runs runs --out unjudged",
    ),
    "choose-measures": Command(
        f"{STUDIES}.choose_measures:choose_measures",
        "the two or three measures that are the most informative together",
        "maxent choose-measures --candidates AP P@10 nDCG@10 R@100 --size 2 --out measures",
    ),
    "predict": Command(
        f"{STUDIES}.predict:predict",
        "predictions of measures from one measure",
        'maxent predict --measures AP nDCG --targets P@10 Rprec "RBP(p=0.95)" --out predict',
        resumes=True,
    ),
    "g-from-clicks": Command(
        f"{STUDIES}.g_from_clicks:g_from_clicks",
        "threshold probabilities g, estimated from clicks",
        "maxent g-from-clicks clicks.csv",
    ),
    "measures": Command("maxent.cli.measures:measures", "all measures and their parameters"),
}
KINDS = {  # of compare
    "systems": Command(
        f"{SYSTEMS}.compare_systems:compare_systems",
        "runs against a baseline, with significance tests",
        "maxent compare systems ... --baseline bm25 --fail-if-worse 0.01 --fail-under nDCG@10=0.40",
    ),
    "judgments": Command(
        f"{SYSTEMS}.compare_judgments:compare_judgments",
        "agreement of two or more sets of judgments",
        "maxent compare judgments --qrels human.txt model.txt --grades 1=0,2=1,3=2 --runs runs --out judgments",
    ),
    "discriminative": Command(
        f"{SYSTEMS}.discrimination:compare_discriminative", "discriminative power of measures"
    ),
    "agreement": Command(f"{SYSTEMS}.agreement:compare_agreement", "agreement of GAP with other measures"),
    "pools": Command(f"{SYSTEMS}.pools:compare_pools", "rankings of systems with fewer judgments"),
    "measures": Command(
        f"{STUDIES}.compare_measures:compare_measures",
        "which of two measures is more informative, in many readings",
        'maxent compare measures --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)" --depths 100 1000',
    ),
}
