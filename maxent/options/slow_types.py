"""Types of options that are slow to import."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.measures.measure import Measure

Measures = Sequence[Measure | str]
Reference = str | Sequence[Sequence[float]] | npt.NDArray[Any] | pd.DataFrame | None
Random = np.random.Generator | int
