"""``maxent compare``: systems with each other, and measures by what they say about systems."""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import compare_judgments, compare_systems, reporting
from maxent.cli.commands import Commands, add_commands
from maxent.cli.output import as_written, new_figure, results, write_figure, write_table
from maxent.cli.printing import Printer, add_format, introduction
from maxent.data.evaluate import evaluate_collection
from maxent.measures import AP, GAP, RBP, Bpref, Measure, Q, eGAP, nDCG, xGAP
from maxent.measures.labels import measure_label
from maxent.systems.agreement import BASELINES, agreement_collection, agreement_matrix
from maxent.systems.discrimination import METHODS, discriminative_power
from maxent.systems.pools import SHARES, Pools, reduce_pools, summarize_pools
from maxent.texts import many

DESCRIPTION = """\
Compare systems with measures, and measures with each other.  "maxent compare KIND --help" says what each prints.
Without --qrels and --runs an embedded, simulated collection is used."""

DISCRIMINATIVE = """\
How many pairs of systems does each measure tell apart?  Tests every pair and prints, per measure, the share of
significant pairs and the difference of means that is needed for significance.  All pairs and measures use the same
random samples.  Without --qrels and --runs it uses an embedded, simulated collection.

Files in --out: pairs.csv (measure, run_a, run_b, difference, asl: the achieved significance level), power.csv
(measure, power, difference_needed), discriminative.png and .svg (pairs by their level)."""

AGREEMENT = """\
Do GAP, xGAP and eGAP rank the systems as other measures do?  Prints Kendall's tau-b between the systems' means in
the layout of the xGAP paper: rows for g and one of the three, columns for the other measures, a number for each set
of topics (all, and those with few documents of a higher grade).  Only runs above the first quartile of mean AP take
part.  Without --qrels and --runs it uses an embedded, simulated collection.

Files in --out: agreement.csv (topics, g, measure_a, measure_b, tau, tau_ap: AP correlation), agreement.png and
.svg."""

POOLS = """\
Does a measure rank the systems alike when fewer documents are judged?  Keeps a random share of the judgments of
every topic and grade (at least one relevant document of each grade and ten others), from all of them down to 5 %,
and prints Kendall's tau-b between the rankings with all judgments and with the share, the mean over repetitions.
Only runs above the first quartile of mean AP take part.  Without --qrels and --runs it uses an embedded,
simulated collection.

Files in --out: pools.csv (topics, share, repetition, measure, tau, tau_ap), pools_summary.csv (means, and the
interval of 95 % of the repetitions), pools.png and .svg."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    kinds = add_commands(parser, "kind")
    compare_systems.add(_add(kinds, "systems", "runs against baselines, with tests", compare_systems.DESCRIPTION))
    compare_judgments.add(kinds)
    _add_discriminative(kinds)
    _add_agreement(kinds)
    _add_pools(kinds)


def _add(kinds: Commands, name: str, summary: str, description: str) -> argparse.ArgumentParser:
    parser = shared.add_command(kinds, name, summary, description)
    shared.add_files(parser, required=False)
    shared.add_seed(parser)
    shared.add_out(parser, "the results (nothing is written without it)")
    shared.add_report(parser)
    add_format(parser)
    return parser


def _add_discriminative(kinds: Commands) -> None:
    parser = _add(kinds, "discriminative", "discriminative power of measures", DISCRIMINATIVE)
    parser.add_argument("--measures", nargs="+", metavar="M",
                        help="default: GAP, xGAP and eGAP with equal g, AP, nDCG, Q")  # fmt: skip
    parser.add_argument("--method", choices=METHODS, default="bootstrap",
                        help="paired studentised bootstrap (default) or randomised Tukey HSD")  # fmt: skip
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="significance level (default: 0.05)")
    parser.add_argument("--replicates", type=shared.positive, default=1000, metavar="B", help="default: 1000")
    parser.set_defaults(run=run_discriminative)


def _add_agreement(kinds: Commands) -> None:
    parser = _add(kinds, "agreement", "agreement between measures", AGREEMENT)
    parser.add_argument("--measures", nargs="+", metavar="M",
                        help="compared with GAP, xGAP and eGAP (default: AP nDCG RBP Bpref)")  # fmt: skip
    _add_ranked(parser)
    parser.set_defaults(run=run_agreement)


def _add_pools(kinds: Commands) -> None:
    parser = _add(kinds, "pools", "robustness to incomplete judgments", POOLS)
    parser.add_argument("--measures", nargs="+", metavar="M",
                        help="default: GAP, xGAP and eGAP with equal g, AP, nDCG, RBP, Bpref")  # fmt: skip
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES), metavar="S",
                        help="shares of the judgments to keep (default: 1 0.9 ... 0.1 0.05)")  # fmt: skip
    parser.add_argument("--repetitions", type=shared.positive, default=10, metavar="N", help="default: 10")
    _add_ranked(parser)
    parser.set_defaults(run=run_pools)


def _add_ranked(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--few", type=float, default=10.0, metavar="F",
                        help="few documents of grade k: R_1 >= F R_k > 0 (default: 10)")  # fmt: skip
    parser.add_argument("--quantile", type=float, default=0.25, metavar="Q",
                        help="only runs above this quantile of mean AP (default: 0.25)")  # fmt: skip


def run_discriminative(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent compare discriminative``."""
    printer = Printer.of(arguments)
    collection, name = shared.collection(arguments)
    chosen = _measures(arguments, collection.levels, (nDCG(), Q()))
    printer.note(introduction(collection, name, f"{arguments.method}, alpha={arguments.alpha:g}"))
    found = discriminative_power(
        evaluate_collection(collection, chosen),
        method=arguments.method,
        alpha=arguments.alpha,
        replicates=arguments.replicates,
        rng=arguments.seed,
        progress=not printer.quiet,
    )
    printer.answer(_most_pairs(found.power))
    power = found.power.sort_values("power", ascending=False, kind="stable")
    printer.table(found.power if printer.tidy else power)
    printer.legend(
        f"power: share of the pairs of systems whose difference is significant at {arguments.alpha:g}",
        "difference_needed: difference of two means that is needed for that",
    )
    if arguments.out is not None:
        from maxent.plot.systems import plot_discrimination  # loads matplotlib

        with results(arguments.out, say=printer.aside) as out:
            write_table(found.pairs, out / "pairs.csv")
            write_table(found.power, out / "power.csv")
            figure = new_figure(7, 5)
            plot_discrimination(found.pairs, alpha=arguments.alpha, ax=figure.subplots())
            figure.suptitle(as_written(name), fontsize=11)
            write_figure(figure, out / "discriminative")
        printer.written(arguments.out)
    reporting.discrimination(arguments, name, collection, found)


def run_agreement(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent compare agreement``."""
    printer = Printer.of(arguments)
    collection, name = shared.collection(arguments)
    chosen: tuple[Measure, ...] = BASELINES
    if arguments.measures is not None:
        chosen = shared.measures(arguments.measures, levels=collection.levels, g_steps=9)
    printer.note(introduction(collection, name, _ranked(arguments)))
    table = agreement_collection(
        collection,
        measures=chosen,
        few=arguments.few,
        quantile=arguments.quantile,
        progress=not printer.quiet,
    )
    sets = list(table["topics"].unique())
    printer.answer(_most_alike(table))
    printer.title(f"Kendall's tau-b, topics: {' / '.join(sets)}")
    places = 2 if arguments.places is None else arguments.places
    if printer.tidy:
        printer.table(table)
    else:
        printer.table(agreement_matrix(table, places=places), keys=2)
    printer.legend(
        "tau-b between the rankings of the runs by two measures: 1 the same, -1 reversed",
        "down: a measure with its g, across: other measures",
    )
    if arguments.out is not None:
        from maxent.plot.systems import plot_agreement  # loads matplotlib

        with results(arguments.out, say=printer.aside) as out:
            write_table(table, out / "agreement.csv")
            columns, rows = 3 * len(chosen) + 2, table["g"].nunique()
            figure = new_figure(3 + 0.6 * columns, len(sets) * (2 + 0.32 * rows))
            for ax, chosen_topics in zip(figure.subplots(len(sets), 1, squeeze=False)[:, 0], sets, strict=True):
                plot_agreement(table, topics=chosen_topics, ax=ax)
            figure.suptitle(as_written(name), fontsize=11)
            write_figure(figure, out / "agreement")
        printer.written(arguments.out)
    reporting.agreement(arguments, name, collection, table)


def run_pools(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent compare pools``."""
    printer = Printer.of(arguments)
    runs, qrels, name = shared.tables(arguments)
    pools = Pools.of(
        runs,
        qrels,
        depth=arguments.depth,
        topics=shared.topics(arguments.topics, qrels),
        levels=arguments.levels,
        duplicates=arguments.duplicates,
    )
    chosen = _measures(arguments, pools.full.levels, (nDCG(), RBP(), Bpref()))
    printer.note(introduction(pools.full, name, _ranked(arguments)))
    table = reduce_pools(
        pools,
        measures=chosen,
        shares=arguments.shares,
        repetitions=arguments.repetitions,
        few=arguments.few,
        quantile=arguments.quantile,
        rng=arguments.seed,
        progress=not printer.quiet,
    )
    summary = summarize_pools(table)
    sets = list(table["topics"].unique())
    printer.answer(_most_robust(summary))
    printer.title("Kendall's tau-b by share of the judgments")
    if printer.tidy:
        printer.table(summary)
    else:
        printer.table(_by_share(summary), keys=2)
    printer.legend(
        "tau-b between the rankings of the runs with all judgments and with the share; 1: the same ranking",
        f"mean over {many(arguments.repetitions, 'random sample')} of the judgments",
    )
    if arguments.out is not None:
        from maxent.plot.systems import plot_pools  # loads matplotlib

        with results(arguments.out, say=printer.aside) as out:
            write_table(table, out / "pools.csv")
            write_table(summary, out / "pools_summary.csv")
            figure = new_figure(5.4 * len(sets), 4.4)
            for ax, chosen_topics in zip(figure.subplots(1, len(sets), squeeze=False)[0], sets, strict=True):
                plot_pools(table, topics=chosen_topics, ax=ax)
            figure.suptitle(as_written(name), fontsize=11)
            write_figure(figure, out / "pools")
        printer.written(arguments.out)
    reporting.pools(arguments, name, pools.full, table, summary)


def _ranked(arguments: argparse.Namespace) -> str:
    return f"runs above quantile {arguments.quantile:g} of mean AP, few={arguments.few:g}"


def _measures(arguments: argparse.Namespace, levels: int, others: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Measures of --measures; default: GAP, xGAP and eGAP with equal g_k, AP, and ``others``."""
    if arguments.measures is not None:
        return shared.measures(arguments.measures, levels=levels, g_steps=9)
    even = (1 / levels,) * levels
    return (GAP(g=even), xGAP(g=even), eGAP(g=even), AP(), *others)


def _most_pairs(power: pd.DataFrame) -> str:
    """The measures that tell the most pairs apart, in words."""
    best = power.loc[power["power"] == power["power"].max(), "measure"]
    names = ", ".join(map(measure_label, best))
    return f"the most pairs told apart: {power['power'].max():.1%}\n  by {names}"


def _most_robust(summary: pd.DataFrame) -> str:
    """The measures whose ranking with the fewest judgments is the most like that with all, in words."""
    first = summary[summary["topics"] == summary["topics"].iloc[0]]
    fewest = first[first["share"] == first["share"].min()]
    if not fewest["tau"].notna().any():
        return "no ranking to compare"
    most = fewest["tau"].max()
    names = ", ".join(map(measure_label, fewest.loc[fewest["tau"] == most, "measure"]))
    share, topics = f"{fewest['share'].iloc[0]:.0%}", first["topics"].iloc[0]
    return f"the most robust with {share} of the judgments (topics: {topics}): tau {most:.4f}\n  by {names}"


def _most_alike(table: pd.DataFrame) -> str:
    """How much other measures rank the systems as GAP does, the most alike first, in words."""
    rows = table[(table["topics"] == table["topics"].iloc[0]) & (table["measure_a"] == "GAP")]
    means = rows[rows["measure_b"] != "GAP"].groupby("measure_b", sort=False)["tau"].mean().dropna()
    if means.empty:
        return "no ranking to compare"
    means = means.sort_values(ascending=False, kind="stable")
    names = ", ".join(f"{measure_label(str(name))} {tau:.2f}" for name, tau in means.items())
    return f"the most like GAP: {names}\n  tau, mean over all g, topics: {rows['topics'].iloc[0]}"


def _by_share(summary: pd.DataFrame) -> pd.DataFrame:
    """A row for each set of topics and measure, a column for each share of the judgments."""
    keys = ["topics", "measure"]
    wide = summary.set_index([*keys, "share"])["tau"].unstack("share")
    wide = wide.loc[pd.MultiIndex.from_frame(summary[keys].drop_duplicates()), summary["share"].unique()]
    return wide.set_axis([f"{share:.0%}" for share in wide.columns], axis=1).reset_index()
