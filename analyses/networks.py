"""Neural networks that rank: RankNet's network, trained for a measure by LambdaRank or SoftRank.

    import maxent as me
    from networks import lambda_loss, predict, soft_loss, train

    files = ("training.txt", "validation.txt", "test.txt")
    training, validation, test = map(me.data.read_letor, files)
    trained = train(training, validation, me.GAP(g=(0.5, 0.5)), loss=lambda_loss)
    ranked = test.assign(score=predict(trained, test))

The network has one hidden layer (Burges et al. 2005) and is updated after each query (Burges et al. 2006). With
Adam, the size of the updates does not depend on the scale of the loss: measures with small values are at no
disadvantage. Training stops when the measure has not improved on the validation queries for some epochs, and the
weights of the best epoch are kept.

Features are scaled to 0..1 within each query. Documents with equal scores stay in the order of the table; R_i of a
query are counted from its labels. Training skips queries with a single document or without a relevant one, which
have no gradient; validation skips those without a relevant document, which have no value. Both are counted.

The networks are small: with ``torch.set_num_threads(1)``, threads do not wait for each other, above all when other
processes are running. Several networks can be trained at the same time in several processes.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
from torch import nn

from maxent.errors import InputError, MaxentError
from maxent.ltr.lambdas import Conventions, lambdas
from maxent.ltr.queries import (
    Queries,
    as_columns,
    as_queries,
    check_query,
    evaluators,
    feature_names,
    form_arrays,
    mean_value,
)
from maxent.ltr.soft import check_scores, soft_objective
from maxent.ltr.swaps import parse_form
from maxent.measures import Measure
from maxent.progress import progress_bar
from maxent.types import FloatArray, GradeCounts, IntArray

ScoreLoss = Callable[[torch.Tensor], torch.Tensor]
"""Loss of the scores (documents,) of a query: a scalar to be minimised."""
Loss = Callable[[Measure, IntArray, IntArray], ScoreLoss]
"""Function of a measure, the grades (documents,) and ``relevant`` (levels,) of a query that makes its loss."""


def lambda_loss(measure: Measure, grades: npt.ArrayLike, relevant: GradeCounts) -> ScoreLoss:
    """Loss of LambdaRank (Burges et al. 2006): RankNet's gradients times the changes of the measure under swaps.

    Only the gradient of this loss has a meaning, not its value. Each pair of a document i and a document j with a
    lower grade adds ``-abs(delta) / (1 + exp(s_i - s_j))`` to the derivative by the score s_i and the opposite to
    that by s_j; delta is the change of the measure when the two are swapped in the current ranking.
    """
    parse_form(measure)
    observed = check_query(grades, relevant)
    one = Queries(grades=observed, offsets=np.array([0, len(observed)]), relevant=np.asarray(relevant)[None])
    forms, used = form_arrays(measure, one), np.array([True])
    conventions = Conventions(1.0, len(observed), False)

    def loss(scores: torch.Tensor) -> torch.Tensor:
        s = check_scores(scores, len(observed))
        gradient, _ = lambdas(s.detach().numpy(), one, used, forms, conventions)
        return s @ torch.from_numpy(gradient)  # a linear function with this gradient

    return loss


def soft_loss(
    measure: Measure, grades: npt.ArrayLike, relevant: GradeCounts, *, deviation: float = 1.0
) -> ScoreLoss:
    """Loss of SoftRank (GAP paper 5): minus the value of :func:`maxent.ltr.soft.soft_objective`."""
    objective = soft_objective(measure, grades, relevant, deviation=deviation)
    return lambda scores: -objective(scores)


def network(features: int, *, hidden: int = 10, rng: np.random.Generator | int = 0) -> nn.Sequential:
    """Network with one hidden layer of tanh: scores (documents, 1) of features (documents, features), float64.

    The weights are Glorot's uniform ones; the biases are 0.
    """
    seed = int(np.random.default_rng(rng).integers(2**62))
    generator = torch.Generator().manual_seed(seed)  # torch's global generator is not used
    layers = [
        nn.Linear(size, out, dtype=torch.float64, device="meta").to_empty(device="cpu")  # weights are drawn below
        for size, out in ((features, hidden), (hidden, 1))
    ]
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight, generator=generator)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1])


@dataclass(frozen=True, eq=False)
class Trained:
    """Trained networks and how training went.

    Attributes
    ----------
    networks : dict from str to network
        Network of the best epoch for each criterion, the measure trained for first.
    features : list of str
        Names of the features.
    history : DataFrame
        A row for each epoch and criterion, until the criterion is done: columns epoch, criterion, value (mean over
        the validation queries). Epoch 0 is the network before training, which never counts as the best.
    skipped_training, skipped_validation : int
        Number of queries that were skipped.
    """

    networks: dict[str, nn.Sequential]
    features: list[str]
    history: pd.DataFrame
    skipped_training: int
    skipped_validation: int


def train(
    training: pd.DataFrame,
    validation: pd.DataFrame,
    measure: Measure,
    *,
    loss: Loss = lambda_loss,
    criteria: Sequence[Measure] = (),
    hidden: int = 10,
    epochs: int = 100,
    patience: int = 10,
    learning_rate: float = 0.01,
    rng: np.random.Generator | int = 0,
    progress: bool = True,
) -> Trained:
    """Network trained for a measure, with the weights of the best epoch on the validation queries.

    The networks of the best epochs by further ``criteria`` are kept as well. A criterion is done after ``patience``
    epochs without a new best value; training stops when all are done.
    """
    features = feature_names(training)
    x, x_validation = _inputs(training, features), _inputs(validation, features)
    given = [as_columns(table)[1:] for table in (training, validation)]
    levels = max(as_queries(*own).relevant.shape[1] for own in given)
    queries, judged = (as_queries(*own, levels=levels) for own in given)
    used = np.flatnonzero(queries.judged & (queries.sizes > 1))
    parts = [slice(queries.offsets[q], queries.offsets[q + 1]) for q in used]
    losses = [loss(measure, queries.grades[own], queries.relevant[q]) for q, own in zip(used, parts, strict=True)]
    lists = {str(m): evaluators(m, judged) for m in dict.fromkeys((measure, *criteria))}
    if not losses or not judged.judged.any():
        empty = "validation" if losses else "training"
        raise InputError(f"{empty}: no query with a relevant document, and another beside it for training")

    generator = np.random.default_rng(rng)
    current = network(len(features), hidden=hidden, rng=generator)
    optimizer = torch.optim.Adam(current.parameters(), lr=learning_rate)
    networks: dict[str, nn.Sequential] = {}
    best: dict[str, tuple[float, int]] = {}
    rows: list[tuple[int, str, float]] = []
    for epoch in progress_bar(range(epochs + 1), desc="training", unit="epoch", shown=progress):
        for k in generator.permutation(len(losses)) if epoch else ():
            optimizer.zero_grad()
            losses[k](_finite(_scores(current, x[parts[k]]), epoch)).backward()
            optimizer.step()
        with torch.no_grad():
            scores = _finite(_scores(current, x_validation), epoch).numpy()
        for name, own in lists.items():
            if epoch and epoch > best.get(name, (0.0, epoch))[1] + patience:
                continue  # done: the best epoch by one criterion must not depend on how long others go on
            value = mean_value(own, scores)
            rows.append((epoch, name, value))
            if epoch == 1 or (epoch and value > best[name][0]):
                best[name], networks[name] = (value, epoch), copy.deepcopy(current)
        if epoch and epoch - max(at for _, at in best.values()) >= patience:
            break
    history = pd.DataFrame(rows, columns=["epoch", "criterion", "value"])
    skipped = len(queries.sizes) - len(used), int(np.sum(~judged.judged))
    return Trained(networks, features, history, *skipped)


def predict(trained: Trained, table: pd.DataFrame, *, criterion: Measure | None = None) -> FloatArray:
    """Scores of documents, in the order of the table, by the network of the best epoch by a criterion."""
    name = next(iter(trained.networks)) if criterion is None else str(criterion)
    with torch.no_grad():
        return np.asarray(_scores(trained.networks[name], _inputs(table, trained.features)).numpy())


def _inputs(table: pd.DataFrame, features: list[str]) -> torch.Tensor:
    """Scaled features of a table, (documents, features)."""
    return torch.from_numpy(normalize(table)[features].to_numpy(dtype=np.float64, copy=True))


def _scores(net: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    """Scores (documents,) by a network for scaled features."""
    scores: torch.Tensor = net(x).squeeze(1)
    return scores


def _finite(scores: torch.Tensor, epoch: int) -> torch.Tensor:
    """Pass on the scores, or raise an error if training has diverged."""
    if not torch.isfinite(scores).all():
        raise MaxentError(f"training diverged in epoch {epoch}: take a smaller learning_rate")
    return scores


def normalize(table: pd.DataFrame) -> pd.DataFrame:
    """Table with every feature scaled to 0..1 within each query, 0 if all are equal: LETOR's normalised files."""
    names = feature_names(table)
    values = table[names].astype(np.float64)
    groups = values.groupby(table["query_id"].to_numpy(), sort=False)
    low, high = groups.transform("min"), groups.transform("max")
    spread = (high - low).where(high > low, 1.0)
    scaled = table.copy()
    scaled[names] = (values - low) / spread
    return scaled
