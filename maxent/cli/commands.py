"""The commands: each is a function, what the function takes, a summary, and an example of its use."""

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import maxent
import maxent.options as options

if TYPE_CHECKING:
    from maxent.results.result import Result


class Command(NamedTuple):
    """A command: its function, as ``module:name``, a summary, what it takes, and an example of its use."""

    target: str
    summary: str
    takes: tuple[type, ...] = ()  # the arguments and options, declared as TypedDicts
    example: str = ""
    resumes: bool = False  # whether finished topics are kept in --out, so that it goes on where it stopped

    @property
    def function(self) -> Callable[..., "Result"]:
        """The function that the command calls, imported here."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    @property
    def docstring(self) -> str:
        """The docstring of the function, from its file: an import would take half a second, mostly for pandas."""
        module, _, name = self.target.partition(":")
        file = Path(maxent.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py")
        definitions = ast.parse(file.read_text(encoding="utf-8")).body
        function = next(node for node in definitions if isinstance(node, ast.FunctionDef) and node.name == name)
        return ast.get_docstring(function) or ""


STUDIES = "maxent.studies"
SYSTEMS = "maxent.systems"
SPECIAL = "choose-measures"  # where commands for special questions begin
COMMANDS = {  # by name, as the help lists them; the module of a command is imported when it is given
    "study": Command(
        f"{STUDIES}.study:study",
        "how informative measures are on a collection, and which g is the best",
        (options.Sources, options.StudyQuestion),
        'maxent study --qrels qrels.txt --runs runs --measures GAP AP "nDCG(gain=exp2)@10" --out study',
        resumes=True,
    ),
    "explain": Command(
        f"{STUDIES}.explain:explain",
        "the curves that follow from the values of one list",
        (options.Sources, options.ValuesInput, options.ExplainQuestion),
        "maxent explain AP=.35 P@10=.6 --relevant 40 --retrieved 20",
    ),
    "choose-g": Command(
        f"{STUDIES}.choose_g:choose_g",
        "the most informative g of GAP, or gains of nDCG",
        (options.Sources, options.ChooseGQuestion),
        "maxent choose-g --qrels qrels.txt --runs runs --weights 1=1,2=3 --out choose-g",
        resumes=True,
    ),
    "compare": Command("", "comparisons of systems, sets of judgments, and measures"),  # of several KINDS
    "reported": Command(
        f"{SYSTEMS}.reported:reported",
        "what averages over topics, such as a row of a leaderboard, imply",
        (options.AveragesInput, options.TableOptions, options.ReportedQuestion),
        """maxent reported --qrels qrels.txt AP=.31 P@10=.75 R@1000=.67
  maxent reported --qrels qrels.txt AP=.31 --counts run.txt --reference uniform
  maxent reported --qrels qrels.txt --table leaderboard.csv""",
    ),
    "evaluate": Command(
        f"{SYSTEMS}.evaluate:evaluate",
        "values of measures, as in trec_eval",
        (options.RequiredSources, options.EvaluateQuestion),
        'maxent evaluate --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)@10" --per-topic --format csv',
    ),
    "check": Command(
        f"{SYSTEMS}.check:check",
        "contents of your files, and problems in them",
        (options.RequiredSources, options.CheckQuestion),
        "maxent check --qrels qrels.txt --runs runs",
    ),
    "unjudged": Command(
        f"{SYSTEMS}.unjudged:unjudged",
        "probabilities of the grades of unjudged documents",
        (options.Sources, options.UnjudgedQuestion),
        "maxent unjudged --qrels qrels.txt --runs runs --out unjudged",
    ),
    "choose-measures": Command(
        f"{STUDIES}.choose_measures:choose_measures",
        "the two or three measures that are the most informative together",
        (options.Sources, options.CandidatesInput, options.ChooseMeasuresQuestion),
        "maxent choose-measures --candidates AP P@10 nDCG@10 R@100 --size 2 --out measures",
    ),
    "predict": Command(
        f"{STUDIES}.predict:predict",
        "predictions of measures from one measure",
        (options.Sources, options.PredictQuestion),
        'maxent predict --measures AP nDCG --targets P@10 Rprec "RBP(p=0.95)" --out predict',
        resumes=True,
    ),
    "g-from-clicks": Command(
        f"{STUDIES}.g_from_clicks:g_from_clicks",
        "threshold probabilities g, estimated from clicks",
        (options.ClicksInput, options.ClicksQuestion),
        "maxent g-from-clicks clicks.csv",
    ),
    "measures": Command(
        "maxent.cli.list_measures:measures", "all measures and their parameters", (options.NameInput,)
    ),
}
KINDS = {  # of compare
    "systems": Command(
        f"{SYSTEMS}.compare_systems:compare_systems",
        "runs against a baseline, with significance tests",
        (options.Sources, options.CompareSystemsQuestion),
        "maxent compare systems ... --baseline bm25 --fail-if-worse 0.01 --fail-under nDCG@10=0.40",
    ),
    "judgments": Command(
        f"{SYSTEMS}.compare_judgments:compare_judgments",
        "agreement of two or more sets of judgments",
        (options.JudgmentsInput, options.CompareJudgmentsQuestion),
        "maxent compare judgments --qrels human.txt model.txt --grades 1=0,2=1,3=2 --runs runs --out judgments",
    ),
    "discriminative": Command(
        f"{SYSTEMS}.compare_discriminative:compare_discriminative",
        "discriminative power of measures",
        (options.Sources, options.CompareDiscriminativeQuestion),
    ),
    "agreement": Command(
        f"{SYSTEMS}.compare_agreement:compare_agreement",
        "agreement of GAP with other measures",
        (options.Sources, options.CompareAgreementQuestion),
    ),
    "pools": Command(
        f"{SYSTEMS}.compare_pools:compare_pools",
        "rankings of systems with fewer judgments",
        (options.Sources, options.ComparePoolsQuestion),
    ),
    "measures": Command(
        f"{STUDIES}.compare_measures:compare_measures",
        "which of two measures is more informative, in many readings",
        (options.Sources, options.CompareMeasuresQuestion),
        'maxent compare measures --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)" --depths 100 1000',
    ),
}
