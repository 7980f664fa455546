"""Studies of measures that are known together."""

import numpy as np
import pandas as pd

import maxent as me
from maxent.studies import SOLVED
from tests.studies.conftest import JOINTS as TEXTS


def test_what_is_known_lowers_the_entropy(joint_table: pd.DataFrame) -> None:
    entropy = joint_table[joint_table["threshold"] == 1].pivot_table(
        index=["run_id", "query_id"], columns="measure", values="entropy"
    )
    for few, many in (("counts", "AP"), ("AP", TEXTS[3]), ("P@10", TEXTS[3]), (TEXTS[3], TEXTS[4])):
        assert (entropy[many] <= entropy[few] + 1e-9).all()


def test_predictions_from_joints(arrays: me.data.Collection) -> None:
    """What is known is predicted exactly; by default the targets are all the single measures."""
    table = me.predict(arrays, measures=TEXTS[2:], progress=False).tables["predictions"]
    assert table["target"].unique().tolist() == ["P@10", "AP", "nDCG(gain=exp2)"]
    pairs = zip(table["measure"], table["target"], strict=True)
    known = table[[target in measure.split(" & ") for measure, target in pairs]]
    known = known[known["status"].isin(SOLVED)]
    np.testing.assert_allclose(known["predicted"], known["actual"], atol=1e-7)
