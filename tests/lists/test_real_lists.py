"""A table that another program printed for the same lists: a recursion in plain numbers for two grades.

Eight lists of robust03 with two grades at depth 1000: root mean square errors of the expected curve for thresholds
1 and 2, uniform and then with the reference 1/n, and shares of ranks inside bands of 90 %.
"""

from dataclasses import replace

import numpy as np
import pytest

from maxent import collect, read_qrels
from maxent.lists import expected_curve_errors, rank_quantiles, solve_lists
from maxent.measures import parse_measure
from maxent.problem import Problem
from tests.conftest import DATA

PRINTED = {
    "AP": [0.153, 0.148, 0.099, 0.143],
    "GAP(g=0.5,0.5)": [0.174, 0.252, 0.115, 0.140],
    "GAP(g=0.75,0.25)": [0.160, 0.175, 0.102, 0.141],
    "nDCG(gain=exp2)": [0.208, 0.250, 0.147, 0.125],
}
COVERED = [0.59, 0.87]


@pytest.mark.slow
def test_tables_of_other_programs() -> None:
    if not DATA.exists():
        pytest.skip("the real collections (../shared/data) are not here")
    folder = DATA / "robust03"
    collection = collect(sorted((folder / "runs").iterdir()), read_qrels(folder / "qrels.txt"), depth=1000)
    grades, random = np.minimum(collection.grades, 2), np.random.default_rng(0)
    kept = [
        (t, r)
        for t in range(len(collection.topics))
        for r in range(len(collection.runs))
        if min((grades[t, r] == 1).sum(), (grades[t, r] == 2).sum()) >= 5
    ]
    errors: dict[str, list[list[float]]] = {text: [] for text in PRINTED}
    covered: list[list[float]] = [[], []]
    for chosen in random.permutation(len(kept))[:8]:
        topic, run = kept[chosen]
        own = grades[topic, run]
        for text in PRINTED:
            problem = Problem.of_list(parse_measure(text), own, collection.relevant[topic])
            row = []
            for column, reference in enumerate((None, "log-uniform")):
                solution = solve_lists(replace(problem, reference=reference))
                assert solution.status == "optimal", solution.message
                for threshold in (1, 2):
                    ranks, observed = solution.ranks(threshold=threshold), np.flatnonzero(own >= threshold) + 1
                    row.append(expected_curve_errors(ranks, observed)[0])
                    low, high = (rank_quantiles(ranks, share)[: len(observed)] for share in (0.05, 0.95))
                    covered[column].append(float(((low <= observed) & (observed <= high)).mean()))
            errors[text].append(row)
    for text, printed in PRINTED.items():
        assert np.mean(errors[text], axis=0).round(3).tolist() == printed, text
    assert np.mean(covered, axis=1).round(2).tolist() == COVERED
