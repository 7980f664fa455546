"""Neural networks that rank: RankNet's, trained for a measure by LambdaRank or SoftRank.

    from maxent.ltr.networks import lambda_loss, predict, soft_loss, train

    training, validation, test = (me.read_letor(path) for path in ("training.txt", "validation.txt", "test.txt"))
    trained = train(training, validation, me.GAP(g=(0.5, 0.5)), loss=lambda_loss)
    ranked = test.assign(score=predict(trained, test))

The network has one hidden layer (Burges et al. 2005), and a step is made after each query (Burges et al. 2006), by
Adam, so that its size does not depend on the scale of the loss: measures with small values are at no disadvantage.
Training stops when the measure has not grown on the validation queries for some epochs, and the weights of the best
epoch are kept.

Features are scaled to 0..1 within each query. Documents with equal scores stand in the order of the table; R_i of a
query are its labels. A query with one document or none
relevant has no gradient, and one without a relevant document no value: they are passed over and counted.

The networks are small: ``torch.set_num_threads(1)`` keeps threads from waiting for each other, most of all where
other work is going on. Networks can be trained side by side in processes.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from tqdm import tqdm

from maxent.errors import InputError, MaxentError
from maxent.ltr.features import feature_names, normalize
from maxent.ltr.queries import Queries, as_columns, as_queries, check_query, evaluators, form_arrays, mean_value
from maxent.ltr.soft import check_scores, soft_objective
from maxent.ltr.swaps import require_form
from maxent.measures.measure import Measure

# isort: split
import torch  # if it is missing, maxent.ltr.soft has said so
from torch import nn

from maxent.types import FloatArray, GradeCounts, IntArray

ScoreLoss = Callable[[torch.Tensor], torch.Tensor]
"""What a query's scores (documents,) lose: a scalar to be minimised."""
Loss = Callable[[Measure, IntArray, IntArray], ScoreLoss]
"""From a measure, the grades (documents,) of a query and its ``relevant`` (levels,) to the loss of its scores."""


def lambda_loss(measure: Measure, grades: npt.ArrayLike, relevant: GradeCounts) -> ScoreLoss:
    """LambdaRank (Burges et al. 2006): RankNet's gradient times the change of the measure under the swap.

    Its value means nothing; its gradient by the scores is the sum over pairs with grades i > j of
    -|delta| / (1 + exp(s_i - s_j)) for s_i, and plus that for s_j, where delta is the change of the measure when
    the two change places in the current ranking.

    Parameters
    ----------
    measure : Measure
        A pairwise form.
    grades : (documents,) array of int
    relevant : (levels,) array of int

    Raises
    ------
    MeasureError
        If the measure is no pairwise form, or does not fit the grades; scores that do not fit are an InputError.
    """
    from maxent.ltr.lambdas import lambdas  # compiles, or loads machine code

    require_form(measure)
    observed = check_query(grades, relevant)
    one = Queries(grades=observed, offsets=np.array([0, len(observed)]), relevant=np.asarray(relevant)[None])
    forms, used = form_arrays(measure, one), np.array([True])
    arrays = (forms.a, forms.d, forms.K, forms.B)

    def loss(scores: torch.Tensor) -> torch.Tensor:
        s = check_scores(scores, len(observed))
        gradient, _ = lambdas(s.detach().numpy(), observed, one.offsets, used, *arrays, 1.0, len(observed), False)
        return s @ torch.from_numpy(gradient)  # linear with just this gradient

    return loss


def soft_loss(
    measure: Measure, grades: npt.ArrayLike, relevant: GradeCounts, *, deviation: float = 1.0
) -> ScoreLoss:
    """SoftRank (GAP paper 5): minus the smooth measure, see :func:`maxent.ltr.soft.soft_objective`.

    Parameters
    ----------
    measure : Measure
        GAP, AP or a linear measure.
    grades : (documents,) array of int
    relevant : (levels,) array of int
    deviation : float
        Standard deviation of a score, sigma_s; ``partial(soft_loss, deviation=0.3)`` sets another.
    """
    objective = soft_objective(measure, grades, relevant, deviation=deviation)
    return lambda scores: -objective(scores)


def network(features: int, *, hidden: int = 10, rng: np.random.Generator | int = 0) -> nn.Sequential:
    """Network with one hidden layer of tanh: scores (documents, 1) of features (documents, features), float64.

    Parameters
    ----------
    features, hidden : int
    rng : Generator or int
        For the weights: Glorot's uniform ones, biases 0.
    """
    if hidden < 1:
        raise MaxentError(f"hidden must be 1 or more, got {hidden}")
    seed = int(np.random.default_rng(rng).integers(2**62))
    generator = torch.Generator().manual_seed(seed)  # torch's global generator is left alone
    layers = [
        nn.Linear(size, out, dtype=torch.float64, device="meta").to_empty(device="cpu")  # draws no weights yet
        for size, out in ((features, hidden), (hidden, 1))
    ]
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight, generator=generator)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1])


@dataclass(frozen=True, eq=False)
class Trained:
    """What :func:`train` makes.

    Attributes
    ----------
    networks : dict from str to network
        Weights of the best epoch by each criterion, the measure trained for first.
    features : list of str
    history : DataFrame
        A row for each epoch and criterion until it is done: columns epoch, criterion, value (mean over the
        validation queries). Epoch 0 is the network before training, which is never the best.
    skipped_training, skipped_validation : int
        Queries that were passed over.
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
    """Train a network for a measure, and stop where the validation queries say so.

    Parameters
    ----------
    training, validation : DataFrame
        As of :func:`maxent.read_letor`, with the same features.
    measure : Measure
        What is trained for, and the criterion of the best epoch.
    loss : function
        :func:`lambda_loss`, :func:`soft_loss`, or another function of measure, grades and relevant.
    criteria : sequence of Measure
        Further criteria: the weights of their best epochs are kept as well.
    hidden : int
        Units of the hidden layer.
    epochs : int
        At most so many passes through the training queries.
    patience : int
        A criterion is done after so many epochs without a new height; training stops when all are.
    learning_rate : float
        Of Adam.
    rng : Generator or int
        For the first weights and the order of the queries in each epoch.
    progress : bool
        Show a progress bar on a terminal where it takes more than two seconds.

    Returns
    -------
    Trained

    Raises
    ------
    InputError
        If the tables have different features, a feature is not a finite number, a label is no grade, or no query
        can be used.
    MeasureError
        If the measure does not fit the grades or the loss.
    MaxentError
        If another parameter makes no sense, or training diverges.
    """
    if not (epochs >= 1 and patience >= 1 and 0 < learning_rate < np.inf):
        found = f"epochs={epochs}, patience={patience}, learning_rate={learning_rate}"
        raise MaxentError(f"{found}, expected 1 or more, 1 or more, and a positive number")
    features = feature_names(training)
    x, x_validation = _inputs("training", training, features), _inputs("validation", validation, features)
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
    for epoch in tqdm(
        range(epochs + 1), desc="training", unit="epoch", delay=2, disable=None if progress else True
    ):
        for k in generator.permutation(len(losses)) if epoch else ():
            optimizer.zero_grad()
            losses[k](_finite(_scores(current, x[parts[k]]), epoch)).backward()
            optimizer.step()
        with torch.no_grad():
            scores = _finite(_scores(current, x_validation), epoch).numpy()
        for name, own in lists.items():
            if epoch and epoch > best.get(name, (0.0, epoch))[1] + patience:
                continue  # what is best by one criterion does not depend on how long others go on
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
    """Scores of documents.

    Parameters
    ----------
    trained : Trained
    table : DataFrame
        Column ``query_id`` and the features of training.
    criterion : Measure, optional
        Whose best epoch; the measure trained for by default.

    Returns
    -------
    (documents,) array

    Raises
    ------
    InputError
        If the features are not those of training, or not finite numbers.
    MaxentError
        If there was no such criterion.
    """
    name = next(iter(trained.networks)) if criterion is None else str(criterion)
    if name not in trained.networks:
        raise MaxentError(f"no criterion {name!r} in training, only {', '.join(trained.networks)}")
    with torch.no_grad():
        return np.asarray(_scores(trained.networks[name], _inputs("table", table, trained.features)).numpy())


def _inputs(name: str, table: pd.DataFrame, features: list[str]) -> torch.Tensor:
    """Scaled features (documents, features)."""
    found = feature_names(table)
    for problem, others in (("lacks", set(features) - set(found)), ("adds", set(found) - set(features))):
        if others:
            names, sizes = ", ".join(sorted(map(str, others))), f"training has {len(features)}, {name} {len(found)}"
            raise InputError(f"{name} {problem} the features {names}: {sizes}")
    return torch.from_numpy(normalize(table)[features].to_numpy(dtype=np.float64, copy=True))


def _scores(net: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    """Scores (documents,) of scaled features."""
    scores: torch.Tensor = net(x).squeeze(1)
    return scores


def _finite(scores: torch.Tensor, epoch: int) -> torch.Tensor:
    if not torch.isfinite(scores).all():
        raise MaxentError(f"training diverged in epoch {epoch}: take a smaller learning_rate")
    return scores
