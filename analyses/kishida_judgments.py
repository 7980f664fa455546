"""Kishida's table 2 and eq. 24: what judgments that vary do to AP, with the spread over seeds.

The document at rank i of topic h is relevant with probability theta or 1 - theta, drawn once with even chances;
then its judgment is repeated. The paper does not say what R is: here the number of documents judged relevant in
that repetition, and AP is 0 where it is 0.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from common import given, options, started, write
from matplotlib.figure import Figure
from tqdm import tqdm

import maxent as me
from maxent.judgments.assessors import variance_parts
from maxent.types import FloatArray

TOPICS, DOCUMENTS, REPETITIONS = 50, 10, 1000
QUANTITIES = {
    "mean": r"$\hat\mu$",
    "var_mu": r"$\hat\sigma_\mu^2$",
    "var_d": r"$\hat\sigma_d^2$",
    "sum": r"$\hat\sigma_\mu^2 + \hat\sigma_d^2$",
    "observed": r"mean $\hat V_p$",
    "gap": r"mean $\hat V_p - (\hat\sigma_\mu^2 + \hat\sigma_d^2)$",
}
PRINTED = {  # the last one: the difference of the two before it
    0.9: ("0.62396", "0.01660", "0.01314", "0.02974", "0.03006", "0.00032"),
    0.5: ("0.60679", "0.00004", "0.03674", "0.03678", "0.03687", "0.00009"),
}
LISTS = np.array(list(itertools.product((0, 1), repeat=DOCUMENTS)))[:, ::-1]  # list k holds the bits of k


def list_values() -> FloatArray:
    """AP of every binary list of ten, R the documents in the list."""
    found, ap = LISTS.sum(axis=1), np.zeros(len(LISTS))
    for R in range(1, DOCUMENTS + 1):
        ap[found == R] = me.AP().evaluate(LISTS[found == R], (R,))
    return ap


def simulate(theta: float, ap: FloatArray, *, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """One run of the paper's simulation.

    Returns
    -------
    quantities : (6,) array
        The rows of table 2 and the gap between the last two, in the order of QUANTITIES.
    means : (repetitions,) array
        Mean AP over the topics in each repetition.
    """
    pi = np.where(rng.integers(0, 10, (TOPICS, 1, DOCUMENTS)) < 5, theta, 1 - theta)
    # step 2-a as printed: relevant where the number *exceeds* pi; theta and 1 - theta only change names
    judged = rng.random((TOPICS, REPETITIONS, DOCUMENTS)) > pi
    v = ap[(judged @ np.exp2(np.arange(DOCUMENTS))).astype(int)]
    # The printed gap for theta = .9 tells the divisors: L for var_mu (with L - 1 there would be next to none), and
    # L - 1 for V_p (with L it would be negative), which is the paper's eq. 14.
    parts = variance_parts(v.T)
    var_d = parts.assessors * (REPETITIONS - 1) / REPETITIONS
    var_mu = (parts.topics + parts.assessors / REPETITIONS) * (TOPICS - 1) / TOPICS
    observed = v.var(axis=0, ddof=1).mean()
    total = var_mu + var_d
    return np.array([v.mean(), var_mu, var_d, total, observed, observed - total]), v.mean(axis=0)


def expectations(theta: float, ap: FloatArray) -> FloatArray:
    """Exact means of the quantities over all seeds: every topic times every outcome of its judgments."""
    pi = np.where(LISTS == 1, theta, 1 - theta)
    chance = np.ones((len(LISTS), len(LISTS)))  # of a list (column), given the topic (row)
    for i in range(DOCUMENTS):
        chance *= np.where(LISTS[:, i] == 1, pi[:, i, None], 1 - pi[:, i, None])
    mu = chance @ ap
    within = float(np.mean(chance @ ap**2 - mu**2))
    observed = mu.var() + within
    # mu_h is estimated from finitely many repetitions, and variances divided by L or M are biased
    var_mu = (TOPICS - 1) / TOPICS * (mu.var() + within / REPETITIONS)
    var_d = (REPETITIONS - 1) / REPETITIONS * within
    return np.array([mu.mean(), var_mu, var_d, var_mu + var_d, observed, observed - var_mu - var_d])


def compute(*, seeds: int = 1000) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 2 beside the spread over seeds, and eq. 24.

    Returns
    -------
    table : DataFrame
        theta, quantity, printed, expected (exact), found (mean over seeds), low, high (middle 95 % of the seeds),
        below (share of the seeds below the printed number). Quantity ``map`` is the variance of mean AP over
        samples of topics and judgments: expected is the right side of eq. 24, found its left side over the seeds.
    runs : DataFrame
        theta, seed, and a column for each quantity.
    """
    ap, rows, frames = list_values(), [], []
    for theta, printed in PRINTED.items():
        found = []
        for seed in tqdm(range(seeds), desc=f"theta = {theta}", unit="seed", delay=2, disable=None):
            found.append(simulate(theta, ap, rng=np.random.default_rng(seed)))
        runs = pd.DataFrame([quantities for quantities, _ in found], columns=list(QUANTITIES))
        frames.append(runs.rename_axis("seed").reset_index().assign(theta=theta))
        expected = expectations(theta, ap)
        for name, text, exact in zip(QUANTITIES, printed, expected, strict=True):
            low, high = runs[name].quantile([0.025, 0.975])
            below = float((runs[name] < float(text)).mean())
            rows.append((theta, name, text, exact, runs[name].mean(), low, high, below))
        spread = np.array([means for _, means in found]).var(axis=0, ddof=1).mean()
        eq_24 = expected[list(QUANTITIES).index("observed")] / TOPICS
        rows.append((theta, "map", "", eq_24, spread, np.nan, np.nan, np.nan))
    columns = ["theta", "quantity", "printed", "expected", "found", "low", "high", "below"]
    return pd.DataFrame(rows, columns=columns), pd.concat(frames, ignore_index=True)


def draw(table: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Histograms over the seeds; the printed number and the exact mean as lines."""
    figure = Figure(figsize=(16, 5), layout="constrained")
    panels = figure.subplots(len(PRINTED), len(QUANTITIES))
    for (i, theta), (j, name) in itertools.product(enumerate(PRINTED), enumerate(QUANTITIES)):
        ax = panels[i, j]
        row = table[(table["theta"] == theta) & (table["quantity"] == name)].iloc[0]
        ax.hist(runs.loc[runs["theta"] == theta, name], bins=40, color="#9fbfe0")
        ax.axvline(row["expected"], color="#333333", linestyle="--", label="exact mean over all seeds")
        ax.axvline(float(row["printed"]), color="#c0392b", label="printed in the paper")
        ax.set_title(rf"{QUANTITIES[name]},  $\theta$ = {theta}", fontsize=9)
        ax.set_yticks([])
        ax.locator_params(axis="x", nbins=3)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=9)
    return figure


def main(argv: Sequence[str] | None = None) -> None:
    """Run the analysis."""
    parser = options(__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    with started(parser, argv) as arguments:
        table, runs = compute(**given(arguments))
        print(table.to_string(index=False, float_format="%.5f", na_rep=""))
        write(arguments.out, "kishida_judgments", draw(table, runs), {"": table})


if __name__ == "__main__":
    main()
