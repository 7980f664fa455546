"""Tables of odds in files: ranks in any order, probabilities as odds."""

from pathlib import Path

import numpy as np
import pandas as pd

from maxent.problem import log_odds, read_reference

ODDS = np.random.default_rng(3).uniform(0.1, 3.0, (5, 2))


def test_the_order_of_rows_and_probabilities_in_place_of_odds_change_nothing(tmp_path: Path) -> None:
    odds = pd.DataFrame(ODDS, pd.RangeIndex(1, 6, name="rank"), ["1", "2"])
    probabilities = (
        odds.assign(none=1.0)[["none", "1", "2"]].rename(columns={"none": "0"}).div(odds.sum(axis=1) + 1, axis=0)
    )
    for number, table in enumerate((odds, odds[::-1], probabilities, probabilities.sample(frac=1, random_state=0))):
        table.to_csv(tmp_path / str(number), sep=",\t"[number % 2])
        found = log_odds(read_reference(tmp_path / str(number)), 5, 2)
        np.testing.assert_allclose(found, np.log(ODDS), rtol=1e-12, atol=1e-14)
