"""Two sets of judgments: an example by hand, naive kappa and loops, rankings, ends, wrong input."""

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, t

import maxent as me
from maxent.cli import main
from maxent.judgments import crossed_parts, numbers_needed, variance_parts
from maxent.stats import confusion_matrix
from tests.collections import Tables
from tests.golden.messages import as_golden, refused


def qrels(text: str) -> pd.DataFrame:
    """Judgments from ``topic document grade, ...``."""
    rows = [line.split() for line in text.split(",")]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]).astype({"relevance": int})


def naive_kappa(pairs: list[tuple[int, int]], power: int) -> float:
    """One minus observed over expected disagreement, pair by pair; power 0 counts every disagreement alike."""

    def cost(a: int, b: int) -> float:
        return float(abs(a - b) ** power if power else a != b)

    observed = sum(cost(a, b) for a, b in pairs) / len(pairs)
    expected = sum(cost(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    return 1 - observed / expected


def noisy(table: pd.DataFrame, seed: int, share: float = 0.3) -> pd.DataFrame:
    """A copy with other grades for a share of the documents, and without some."""
    rng = np.random.default_rng(seed)
    other = rng.integers(0, 3, len(table))
    changed = table.assign(relevance=np.where(rng.random(len(table)) < share, other, table["relevance"]))
    return changed.sample(frac=0.9, random_state=seed)


def test_an_example_by_hand() -> None:
    """Grades 0-0, 0-1, 1-1, 2-1 of four documents: agreement 1/2; expected (1/2 1/4 + 1/4 3/4) = 5/16."""
    a = qrels("q1 d1 0, q1 d2 0, q1 d3 1, q1 d4 2, q1 d5 2, q0 d1 1")
    b = qrels("q1 d4 1, q1 d3 1, q1 d2 1, q1 d1 0, q1 d6 -1, q2 d1 1")
    tables = me.compare_judgments([a, b]).tables
    confusion = tables["confusion"]
    matrix = confusion_matrix(confusion)
    assert matrix.index.tolist() == matrix.columns.tolist() == ["0", "1", "2", "not judged"]
    assert matrix.to_numpy().tolist() == [[1, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0]]
    assert confusion["documents"].sum() == 6
    assert confusion["grade_b"].isna().sum() == 3
    values = tables["agreement"].set_index("statistic")
    # for alpha: 3, 4 and 1 judgments of the grades 0, 1 and 2, which have the middles 1.5, 5 and 7.5
    assert values["value"].to_dict() == pytest.approx(
        {
            "agreement": 1 / 2,
            "kappa": (1 / 2 - 5 / 16) / (11 / 16),
            "linear_kappa": 1 - (2 / 4) / (12 / 16),
            "quadratic_kappa": 1 - (2 / 4) / (14 / 16),
            "nominal_alpha": 1 - 7 * 2 / (12 + 3 + 4),
            "ordinal_alpha": 1 - 7 * (3.5**2 + 2.5**2) / (12 * 3.5**2 + 3 * 6**2 + 4 * 2.5**2),
            "interval_alpha": 1 - 7 * 2 / (12 + 3 * 4 + 4),
        }
    )
    assert values[["low", "high"]].isna().all().all()  # one topic
    assert (values["documents"] == 4).all()
    assert (values["topics"] == 1).all()


@pytest.mark.slow
def test_kappa_and_its_interval_equal_loops(collection: Tables) -> None:
    a = collection[1][collection[1]["query_id"].isin(["1", "2", "3"])]
    b = noisy(a, 1)
    agreement = me.compare_judgments([a, b], replicates=4, rng=5).table.set_index("statistic")
    agreement = agreement[~agreement.index.str.endswith("_alpha")]
    grades = {(q, d): g for q, d, g in b.itertuples(index=False)}
    topics = list(dict.fromkeys(a["query_id"]))
    pairs: dict[str, list[tuple[int, int]]] = {topic: [] for topic in topics}
    for q, d, g in a.itertuples(index=False):
        if (q, d) in grades:
            pairs[q].append((g, grades[q, d]))
    statistics: Any = {
        "agreement": lambda pairs: sum(x == y for x, y in pairs) / len(pairs),
        "kappa": lambda pairs: naive_kappa(pairs, 0),
        "linear_kappa": lambda pairs: naive_kappa(pairs, 1),
        "quadratic_kappa": lambda pairs: naive_kappa(pairs, 2),
    }
    counts = np.random.default_rng(5).multinomial(3, np.full(3, 1 / 3), size=4)
    for name, statistic in statistics.items():
        sampled = [statistic([p for n, t in zip(row, topics, strict=True) for p in pairs[t] * n]) for row in counts]
        ends = t.interval(0.95, 2, np.mean(sampled), np.std(sampled) * np.sqrt(3 / 2))
        assert agreement.loc[name, ["low", "high"]].to_list() == pytest.approx(np.clip(ends, -1, 1))
    every = [p for t in topics for p in pairs[t]]
    assert agreement["value"].to_dict() == pytest.approx({name: f(every) for name, f in statistics.items()})


def test_rankings_equal_the_steps_done_by_hand(collection: Tables) -> None:
    runs, a = collection
    b = noisy(a, 2, 0.95)
    b = b[b["query_id"] != "4"]
    result = me.compare_judgments([a, b], runs, measures=["AP", "GAP(g=0.25,0.75)"], depth=200)
    assert result.table["measure"].tolist() == ["AP", "GAP(g=0.25,0.75)"]
    for measure, row in result.table.set_index("measure").iterrows():
        topics = [topic for topic in dict.fromkeys(a["query_id"]) if topic != "4"]
        options: dict[str, Any] = {"measures": [str(measure)], "topics": topics, "depth": 200}
        means = [me.evaluate(runs, q, **options).table.set_index("run_id")["value"] for q in (a, b)]
        assert row["tau"] == pytest.approx(kendalltau(*means).statistic)
        assert row["tau_ap"] == pytest.approx(me.systems.tau_ap(means[1], means[0]))
        ranks = [mean.rank(ascending=False).astype(int) for mean in means]
        fallen = ranks[1] - ranks[0]
        assert row["drop"] == fallen.max() > 0
        assert (row["rank_a"], row["rank_b"]) == (ranks[0][row["run_id"]], ranks[1][row["run_id"]])
        assert fallen[row["run_id"]] == row["drop"]
        by_run = result.tables["means"].query("measure == @measure").set_index("run_id")
        np.testing.assert_allclose(by_run["mean_b"], means[1][by_run.index])
        np.testing.assert_array_equal(by_run["rank_a"], ranks[0][by_run.index])
    least = result.table.set_index("measure")["tau"]
    assert result.finding is not None
    assert result.finding.support[-1].endswith(f"rankings of the runs: {least.min():.4f}, by {least.idxmin()}")


def test_equal_judgments_agree(collection: Tables) -> None:
    result = me.compare_judgments([collection[1]] * 2, iter([collection[0]]), depth=200)
    np.testing.assert_allclose(result.tables["agreement"][["value", "low", "high"]], 1)
    np.testing.assert_allclose(result.table[["tau", "tau_ap"]], 1)
    assert (result.table["drop"] == 0).all()
    assert result.table[["run_id", "rank_a", "rank_b"]].isna().all().all()
    assert result.table["measure"].tolist()[3:] == [
        f"GAP(g={g})" for g in ("0,1", "0.25,0.75", "0.5,0.5", "0.75,0.25", "1,0")
    ]


def test_grades_are_mapped_to_one_scale(collection: Tables) -> None:
    runs, a = collection
    rated = a.assign(relevance=a["relevance"] + 1)
    mapped = me.compare_judgments([a, rated], grades={1: 0, 2: 1, 3: 2})
    assert (mapped.table["value"] == 1).all()
    assert me.compare_judgments([a, rated], bins=[1.5, 2.5]) == mapped
    binary = a.assign(relevance=a["relevance"].clip(upper=1))
    coarser = me.compare_judgments([binary, a], runs, grades={1: 1, 2: 1}, measures=["AP", "GAP"], depth=200)
    assert coarser.table["measure"].tolist() == ["AP", "GAP(g=1)"]
    assert (coarser.tables["agreement"]["value"] == 1).all()
    shorter = me.compare_judgments([a, binary], runs, measures=["AP", "GAP(g=1,0)"], depth=200)
    np.testing.assert_allclose(shorter.table["tau"], 1)  # grade 2 is there, but not used


@pytest.mark.slow
def test_graded_and_binary_judgments_of_clef(data: Path) -> None:
    """The organisers made the binary ones from the graded ones: {0, 1} -> 0, {2, 3} -> 1."""
    paths = data / "clef2014" / "qrels.binary.txt", data / "clef2014" / "qrels.txt"
    mapped = me.compare_judgments(paths, grades={1: 0, 2: 1, 3: 1})
    matrix = confusion_matrix(mapped.tables["confusion"])
    assert matrix.to_numpy().tolist() == [[3579, 0, 12], [0, 3209, 0], [12, 0, 0]]
    assert (mapped.table["value"] == 1).all()
    plain = confusion_matrix(me.compare_judgments(paths).tables["confusion"])
    assert plain.loc["1"].to_numpy().tolist() == [0, 0, 974, 2235, 0]


def test_one_grade_has_no_kappa() -> None:
    same = qrels("q1 d1 0, q1 d2 0, q2 d1 0")
    agreement = me.compare_judgments([same, same]).table.set_index("statistic")
    assert (agreement.loc[["agreement"], ["value", "low", "high"]] == 1).all(axis=None)
    assert agreement.drop("agreement")[["value", "low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("b", "options"),
    [
        ("q3 d1 1", {}),
        ("q1 d9 1", {}),
        ("q1 d1 1", {"topics": ["q2"]}),
        ("q1 d1 1", {"replicates": 0}),
        ("q1 d1 3", {"grades": {1: 0, 2: 1}}),
        ("q1 d1 1", {"runs": {"q1": {"d1": 1.0}}}),
    ],
)
def test_wrong_input(b: str, options: dict[str, Any]) -> None:
    with refused(me.MaxentError):
        me.compare_judgments([qrels("q1 d1 1, q1 d2 2, q2 d1 1"), qrels(b)], **options)


def test_all_sets_are_made_binary(collection: Tables) -> None:
    runs, a = collection
    b = noisy(a, 4)
    both = [table.assign(relevance=(table["relevance"] >= 2).astype(int)) for table in (a, b)]
    expected = me.compare_judgments(both, runs, measures=["AP"], depth=200)
    assert me.compare_judgments([a, b], runs, binary=2, measures=["AP"], depth=200) == expected
    rated = b.assign(relevance=b["relevance"] + 1)
    assert me.compare_judgments([a, rated], runs, binary=(2, 3), measures=["AP"], depth=200) == expected
    mapped = me.compare_judgments([a, rated], binary=2, grades={1: 0, 2: 1, 3: 2})
    pd.testing.assert_frame_equal(mapped.table, expected.tables["agreement"])
    assert mapped.finding is not None
    as_golden(f"{mapped.introduction}{mapped.finding}")


def test_the_command_maps_b_and_makes_all_sets_binary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in "abc"]
    for path, lines in zip(paths, ("q d1 2, q d2 1", "q d1 3, q d2 1", "q d1 2, q d2 2"), strict=True):
        Path(path).write_text("".join("{} 0 {} {}\n".format(*line.split()) for line in lines.split(",")))
    command = ["compare", "judgments", "--format", "csv", "--qrels"]
    assert main([*command, *paths[:2], "--grades", "1=1,3=2", "--binary", "2"]) == 0
    assert "kappa,1.0000,,,2,1" in capsys.readouterr().out
    assert main([*command, *paths[:2], "--binary", "2", "1"]) == 0
    assert "kappa,0.0000,,,2,1" in capsys.readouterr().out
    assert main([*command, *paths, "--binary", "2"]) == 0
    printed = capsys.readouterr()
    assert "nominal_alpha,0.3750,,,2,1" in printed.out  # grades 1, 1, 1 and 0, 0, 1
    as_golden(printed.err)


@pytest.mark.parametrize("binary", [0, 3, [1, 1, 1], [], "two"])
def test_wrong_lowest_grades(binary: Any) -> None:
    with refused(me.MaxentError):
        me.compare_judgments([qrels("q1 d1 2"), qrels("q1 d1 3")], binary=binary)


def test_two_sets_are_expected() -> None:
    one = qrels("q1 d1 1")
    wrong: Any
    for wrong in (one, [one]):
        with refused(me.errors.InputError):
            me.compare_judgments(wrong)
    with refused(me.errors.InputError):
        me.compare_judgments([one, qrels("q1 d2 1"), qrels("q2 d1 1")])


def test_alpha_of_three_sets_in_which_judgments_are_missing() -> None:
    """Each topic has two of three assessors; a document that only one of them judges does not count."""
    sets = [
        qrels("q1 d1 0, q1 d2 2, q1 d9 1, q2 d1 1, q2 d2 0"),
        qrels("q1 d1 0, q1 d2 1, q3 d1 2, q3 d2 -2"),
        qrels("q2 d1 1, q2 d2 0, q3 d1 2, q3 d2 1, q4 d1 2"),
    ]
    result = me.compare_judgments(sets, replicates=50)
    alphas = result.table.set_index("statistic")
    # grades 0, 0; 2, 1; 1, 1; 0, 0; 2, 2; 0, 1: numbers 5, 4, 3
    assert alphas["value"]["nominal_alpha"] == pytest.approx(1 - 11 * 4 / (2 * (20 + 15 + 12)))
    assert alphas["value"]["interval_alpha"] == pytest.approx(1 - 11 * 4 / (2 * (20 + 15 * 4 + 12)))
    assert (alphas["documents"] == 6).all()
    assert (alphas["topics"] == 3).all()
    assert (alphas["low"] < alphas["value"]).all()
    backwards = me.compare_judgments([table.iloc[::-1] for table in sets]).table["value"]
    np.testing.assert_allclose(backwards, result.table["value"])
    as_golden(str(result))


def test_alpha_of_one_grade_and_one_topic() -> None:
    same = qrels("q1 d1 1, q1 d2 1")
    result = me.compare_judgments([same] * 3)
    assert result.table[["value", "low", "high"]].isna().all(axis=None)
    assert result.finding is not None
    as_golden(result.finding.sentence)


def test_parts_of_variance_are_those_of_every_outcome() -> None:
    """Six documents of three topics that assessors find relevant by chance: every outcome of two assessors."""
    chances = np.array([[0.9, 0.2, 0.5], [0.1, 0.8, 0.6], [0.5, 0.5, 0.3]])
    vectors = np.array(list(itertools.product((0, 1), repeat=3)))
    values = np.array([float(me.AP().evaluate(v, (max(v.sum(), 1),))) for v in vectors])
    odds = np.array([np.where(vectors == 1, p, 1 - p).prod(axis=1) for p in chances])
    mu = odds @ values
    within = odds @ values**2 - mu**2
    outcomes = np.array(list(itertools.product(range(8), repeat=6))).T.reshape(2, 3, -1)  # assessors, topics
    chance = odds[np.arange(3)[:, None], outcomes].prod(axis=(0, 1))
    parts = variance_parts(values[outcomes])
    expected = {
        "topics": chance @ parts.topics,
        "assessors": chance @ parts.assessors,
        "squared": chance @ parts.error**2,
    }
    assert expected["topics"] == pytest.approx(mu.var(ddof=1), abs=1e-12)
    assert expected["assessors"] == pytest.approx(within.mean(), abs=1e-12)
    assert expected["squared"] == pytest.approx((mu.var(ddof=1) + within.mean() / 2) / 3, abs=1e-12)  # eq. 24


TOPICS, PANEL, SETS = 12, 3, 20_000  # topics, assessors, and simulated sets of judgments
VARIANCES = {"topics": 0.04, "assessors": 0.02, "rest": 0.01}


@pytest.fixture(scope="module")
def effects() -> dict[str, np.ndarray]:
    """Effects of topics, assessors and the rest on values (assessors, topics, sets), drawn for each set."""
    rng = np.random.default_rng(5)
    shapes = {"topics": (1, TOPICS, SETS), "assessors": (PANEL, 1, SETS), "rest": (PANEL, TOPICS, SETS)}
    return {name: rng.normal(scale=np.sqrt(VARIANCES[name]), size=shape) for name, shape in shapes.items()}


def test_the_error_is_the_spread_of_the_means_of_many_panels(effects: dict[str, np.ndarray]) -> None:
    """Each panel judges all topics, so that an assessor's leniency stays, however many topics there are."""
    values = effects["topics"] + effects["assessors"] + effects["rest"]
    parts, spread = crossed_parts(values), values.mean(axis=(0, 1)).std()
    assert np.sqrt(np.nanmean(parts.error**2)) == pytest.approx(spread, rel=0.03)
    assert np.isnan(parts.error).mean() < 0.01
    for name, variance in VARIANCES.items():
        assert getattr(parts, name).mean() == pytest.approx(variance, rel=0.05)
    assert np.sqrt((variance_parts(values).error ** 2).mean()) < 0.65 * spread, "leaves leniency out"


def test_kishidas_error_is_the_spread_of_means_where_topics_have_assessors_of_their_own(
    effects: dict[str, np.ndarray],
) -> None:
    rng = np.random.default_rng(6)
    leniency = rng.normal(scale=np.sqrt(VARIANCES["assessors"]), size=effects["rest"].shape)
    values = effects["topics"] + leniency + effects["rest"]
    spread = values.mean(axis=(0, 1)).std()
    assert np.sqrt((variance_parts(values).error ** 2).mean()) == pytest.approx(spread, rel=0.03)


def test_parts_of_a_table_by_hand() -> None:
    """Two assessors, one of whom gives .5 more, and two topics, one of which has 1 more."""
    parts = crossed_parts(np.array([[0.0, 0.5], [0.25, 0.75]])[..., None] * 2)
    assert [part.item() for part in parts] == pytest.approx([0.5, 0.125, 0.0, np.sqrt((1 + 0.25) / 4)])


def test_no_error_is_stated_where_its_square_is_estimated_below_zero() -> None:
    parts = crossed_parts(np.array([[0.0, 1.0], [1.0, 0.0]])[..., None])
    assert [parts.topics.item(), parts.assessors.item()] == [-0.5, -0.5]
    assert np.isnan(parts.error).all()
    assert crossed_parts(np.full((2, 3, 1), 0.1)).error == pytest.approx(0, abs=1e-9)


def test_several_assessors(collection: Tables) -> None:
    runs, a = collection
    sets = [noisy(a, seed) for seed in range(3)]
    result = me.compare_judgments(sets, runs, measures=["AP", "P@10"], depth=200)
    assert list(result.tables) == ["assessors", "by_topic", "agreement"]
    assert result.finding is not None
    assert re.search(r"a value: \d+% by AP, \d+% by P@10$", result.finding.sentence)
    assert [line.partition(",")[0] for line in result.finding.support[:2]] == ["by AP", "by P@10"]
    as_golden(result.finding.support[0])
    as_golden(result.finding.support[2])
    pd.testing.assert_frame_equal(result.tables["agreement"], me.compare_judgments(sets).table)
    values = np.stack([
        me.evaluate(runs, own, measures=["AP"], depth=200)
        .tables["values"]
        .query("run_id == 'system2'")
        .set_index("query_id")["value"]
        .loc[list(dict.fromkeys(sets[0]["query_id"]))] for own in sets
    ])  # fmt: skip
    row = result.table.query("measure == 'AP' and run_id == 'system2'").iloc[0]
    within = values.var(axis=0, ddof=1).mean()
    between = values.mean(axis=0).var(ddof=1) - within / 3
    assert row["mean"] == pytest.approx(values.mean())
    assert (row["kishida_topics"], row["kishida_assessors"]) == pytest.approx((between, within))
    assert row["kishida_error"] ** 2 == pytest.approx((between + within / 3) / 10)
    centre = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    rest = (centre**2).sum() / (9 * 2)
    assert row["variance_rest"] == pytest.approx(rest)
    assert row["variance_topics"] == pytest.approx(values.mean(axis=0).var(ddof=1) - rest / 3)
    assert row["variance_assessors"] == pytest.approx(values.mean(axis=1).var(ddof=1) - rest / 10)
    expected = row["variance_topics"] / 10 + row["variance_assessors"] / 3 + rest / 30
    assert row["error"] ** 2 == pytest.approx(expected)
    assert pd.isna(row["assessors_needed"])  # topics differ too much
    by_topic = result.tables["by_topic"].query("measure == 'AP' and run_id == 'system2'")
    np.testing.assert_allclose(by_topic["variance"], values.var(axis=0, ddof=1))
    two = me.compare_judgments(sets[:2], runs, measures=["AP"], depth=200).tables
    assert {"agreement", "rankings", "assessors", "by_topic"} <= set(two)


def test_so_many_topics_or_assessors_halve_the_error() -> None:
    """Whole numbers: the least with a quarter of the squared error, missing where no number is enough."""
    topics = pd.Series([0.04, 0.04, 0.04, -0.01])
    assessors = pd.Series([0.0, 0.001, 0.02, 0.02])
    rest = pd.Series([0.01, 0.01, 0.01, 0.01])

    def squared(k: int, number: int, panel: int) -> float:
        return max(topics[k], 0) / number + assessors[k] / panel + rest[k] / (number * panel)

    more_topics, more_assessors = numbers_needed(topics, assessors, rest, 12, 3)
    assert more_topics[0] == 48, "without leniency"
    assert squared(1, more_topics[1], 3) <= squared(1, 12, 3) / 4 < squared(1, more_topics[1] - 1, 3)
    assert more_topics[1] > 48
    assert more_topics[2:].isna().all(), "leniency alone is more than a quarter"
    assert more_assessors[:3].isna().all(), "topics alone are"
    assert more_assessors[3] == 12, "a part below 0 counts as 0"
