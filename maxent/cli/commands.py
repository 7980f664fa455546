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
        "how informative measures are on a collection, and the best g",
        'maxent study --qrels qrels.txt --runs runs --measures GAP AP "nDCG(gain=exp2)@10" --out study',
        resumes=True,
    ),
    "explain": Command(
        f"{STUDIES}.explain:explain",
        "what values of measures say about one list",
        "maxent explain AP=.35 P@10=.6 --relevant 40 --retrieved 20",
    ),
    "choose-g": Command(
        f"{STUDIES}.choose_g:choose_g",
        "the g of GAP, or gains of nDCG, with the closest curves",
        "maxent choose-g --qrels qrels.txt --runs runs --weights 1=1,2=3 --out choose-g",
        resumes=True,
    ),
    "compare": Command("", "compare systems and measures"),  # of several KINDS
    "reported": Command(
        f"{SYSTEMS}.reported:reported",
        "what averages over topics, as in a table of results, say",
        """maxent reported --qrels qrels.txt AP=.31 P@10=.75 R@1000=.67
  maxent reported --qrels qrels.txt AP=.31 --counts run.txt --reference uniform
  maxent reported --qrels qrels.txt --table leaderboard.csv""",
    ),
    "evaluate": Command(
        "maxent.cli.evaluate:evaluate",
        "values of measures for runs",
        'maxent evaluate --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)@10" --per-topic --format csv',
    ),
    "check": Command(
        f"{SYSTEMS}.check:check",
        "what is in files, and what is odd about them",
        "maxent check --qrels qrels.txt --runs runs",
    ),
    "unjudged": Command(
        f"{SYSTEMS}.unjudged:unjudged",
        "grades of documents that nobody judged, with probabilities",
        "maxent unjudged --qrels qrels.txt --runs runs --out unjudged",
    ),
    "choose-measures": Command(
        f"{STUDIES}.choose_measures:choose_measures",
        "the few measures that are the most informative together",
        "maxent choose-measures --candidates AP P@10 nDCG@10 R@100 --size 2 --out measures",
    ),
    "predict": Command(
        f"{STUDIES}.predict:predict",
        "values of measures predicted from one of them",
        'maxent predict --measures AP nDCG --targets P@10 Rprec "RBP(p=0.95)" --out predict',
        resumes=True,
    ),
    "g-from-clicks": Command(
        f"{STUDIES}.g_from_clicks:g_from_clicks",
        "threshold probabilities g from clicks",
        "maxent g-from-clicks clicks.csv",
    ),
    "measures": Command("maxent.cli.measures:measures", "the measures and their parameters"),
}
KINDS = {  # of compare
    "systems": Command(
        f"{SYSTEMS}.compare_systems:compare_systems",
        "runs against baselines, with tests",
        "maxent compare systems ... --baseline bm25 --fail-if-worse 0.01 --fail-under nDCG@10=0.40",
    ),
    "judgments": Command(
        f"{SYSTEMS}.compare_judgments:compare_judgments",
        "two sets of judgments of one collection",
        "maxent compare judgments --qrels human.txt model.txt --grades 1=0,2=1,3=2 --runs runs --out judgments",
    ),
    "discriminative": Command(
        f"{SYSTEMS}.discrimination:compare_discriminative", "discriminative power of measures"
    ),
    "agreement": Command(f"{SYSTEMS}.agreement:compare_agreement", "agreement between measures"),
    "pools": Command(f"{SYSTEMS}.pools:compare_pools", "robustness to incomplete judgments"),
    "measures": Command(
        f"{STUDIES}.compare_measures:compare_measures",
        "which measure is more informative, whatever the inference",
        'maxent compare measures --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)" --depths 100 1000',
    ),
}
