"""Distributions of the grades of unjudged documents, with the largest entropy given the judged ones.

Consider all distributions of grades whose moments, the sums of features over documents, agree with the moments of
the judged documents up to a penalty. The one with the largest entropy is a penalised logistic regression for each
step of the grade: k or more, among documents of grade k - 1 or more. A feature has a multiplier w_j in all topics
and u_tj in topic t, so that a run may be better in some topics than in others:

    b_t = w + u_t,     log-odds  eta_d = b_t' x_d,     penalty  sum_j p_j w_j^2 / 2 + sum_tj q_j u_tj^2 / 2.

Multipliers are drawn from their Laplace approximation. Averaged over these draws the probability is not the one at
the mode but nearly 1 / (1 + exp(-kappa eta)) with kappa = (1 + pi v / 8)^(-1/2), v the variance of eta (MacKay,
Neural Computation 4, 1992). The moments of this average agree with the judged documents. If the moments at the mode
agreed instead, drawn grades would be too even, and their means too low.

The penalty of u maximises the evidence (Laplace), which measures how well each topic is predicted from the topics
before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from maxent.errors import InputError
from maxent.judgments.features import COMMON, CURVED, Features
from maxent.judgments.pools import Pool
from maxent.types import BoolArray, FloatArray, IntArray

SHARED = {"constant": 0.001, "common": 1.0, "run": 8.0, "label": 0.1}  # penalties of w
CONSTANT = 0.5  # penalty of a topic's constant: topics differ in how many documents are relevant
TOPIC = (10.0, 20.0, 40.0, 80.0)  # penalties of the other u, one of which the evidence chooses
# factor on standard deviations of the Laplace approximation, which takes penalties as given: with 1, 90 % bands of
# single topics contained .79 to .86 of AP and GAP on covid-round4; clef2014 was not used for the choice
SPREAD = 1.3
CLOSE = 1e-12  # nats: the last Newton step changes the objective by less
ROUNDING = 1e-12  # of the objective
ROUNDS = 2  # updates of kappa; afterwards it changes by less than .001


class Curvature(NamedTuple):
    """Laplace approximation of the multipliers of a step: a normal distribution of w, and of u_t given w."""

    precision: FloatArray  # (topics, features, features), of u_t given w
    follows: FloatArray  # (topics, features, features), how u_t changes with w
    shared: FloatArray  # (features, features), precision of w


@dataclass(frozen=True, eq=False)
class Step:
    """Multipliers of one step of the grade: their mode, and the curvature there."""

    tables: Sequence[FloatArray]  # features of the documents that may take the step, of each topic
    hits: Sequence[BoolArray]  # whether they take it
    penalties: FloatArray  # (1 + topics, features): p, and q for each topic
    mode: FloatArray  # of the same shape: w, and u_t
    kappas: Sequence[FloatArray]  # of the documents of each topic

    def objective(self, mode: FloatArray) -> tuple[float, FloatArray]:
        """Penalised minus log-likelihood, and its gradient of the shape of ``mode``."""
        from scipy.special import expit  # loaded late: a part of maxent's import time

        # sum of p w^2 / 2 and of q u^2 / 2
        value, gradient = float((self.penalties * mode**2).sum() / 2), self.penalties * mode
        for t, (x, hit, kappa) in enumerate(zip(self.tables, self.hits, self.kappas, strict=True), 1):
            # sum over documents of log(1 + exp(kappa eta)) / kappa - hit eta
            eta = x @ (mode[0] + mode[t])
            value += float((np.logaddexp(0, kappa * eta) / kappa).sum() - eta[hit].sum())
            of_topic = x.T @ (expit(kappa * eta) - hit)
            gradient[0] += of_topic
            gradient[t] += of_topic
        return value, gradient

    def curvatures(self, mode: FloatArray) -> FloatArray:
        """Hessian of the likelihood by the multipliers of each topic, (topics, features, features)."""
        from scipy.special import expit

        products = []
        for x, effect, kappa in zip(self.tables, mode[1:], self.kappas, strict=True):
            chance = expit(kappa * (x @ (mode[0] + effect)))
            products.append((x * (kappa * chance * (1 - chance))[:, None]).T @ x)
        return np.array(products)

    def solved(self) -> "Step":
        """The step at its mode, where the gradient is zero, by Newton's method: the objective is convex."""
        step = self
        value, gradient = self.objective(self.mode)
        while True:
            move = step.newton_step(gradient)
            decrease = -float((move * gradient).sum())  # of the objective by the whole move, to first order
            if not decrease > CLOSE:  # or NaN
                return replace(step, mode=step.mode + move)
            # half the move, until the objective falls by a quarter of what the first order says
            share = 1.0
            new_value, new_gradient = self.objective(step.mode + move)
            while new_value > value - share * decrease / 4 + ROUNDING * (1 + value):
                share /= 2
                new_value, new_gradient = self.objective(step.mode + share * move)
            step = replace(step, mode=step.mode + share * move)
            value, gradient = new_value, new_gradient

    def newton_step(self, gradient: FloatArray) -> FloatArray:
        """Change of the multipliers that makes the gradient at the present ones zero, to first order."""
        precision, follows, shared = self.curvature
        of_topics = -np.linalg.solve(precision, gradient[1:, :, None])[:, :, 0]  # of u_t, if w stays
        of_shared = -np.linalg.solve(shared, gradient[0] + np.einsum("tij,ti->j", follows, gradient[1:]))
        return np.vstack([of_shared, of_topics + follows @ of_shared])

    @cached_property
    def curvature(self) -> Curvature:
        """The Laplace approximation at the mode.

        With H_t the Hessian of the likelihood of topic t, and penalties p of w and q_t of u_t: precision is
        H_t + q_t, follows is -(H_t + q_t)^-1 H_t, and shared is p + sum_t (H_t + H_t follows_t).
        """
        hessians = self.curvatures(self.mode)
        precision = hessians + self.penalties[1:, :, None] * np.eye(len(self.mode[0]))
        follows = -np.linalg.solve(precision, hessians)
        shared = np.diag(self.penalties[0]) + (hessians + hessians @ follows).sum(axis=0)
        return Curvature(precision, follows, (shared + shared.T) / 2)

    @property
    def evidence(self) -> float:
        """Logarithm of the marginal probability of the judged grades, over all multipliers."""
        precision, _, shared = self.curvature
        volume = np.linalg.slogdet(precision)[1].sum() + np.linalg.slogdet(shared)[1]
        return float(-self.objective(self.mode)[0] + (np.log(self.penalties).sum() - volume) / 2)

    @property
    def error(self) -> FloatArray:
        """Standard deviations of w, (features,)."""
        return SPREAD * np.sqrt(np.diag(np.linalg.inv(self.curvature.shared)))

    @property
    def covariances(self) -> FloatArray:
        """Covariances of the multipliers b_t = w + u_t, (topics, features, features)."""
        precision, follows, shared = self.curvature
        by_shared = follows + np.eye(len(shared))  # how b_t changes with w
        of_topics = np.linalg.inv(precision)
        of_shared = by_shared @ np.linalg.inv(shared) @ by_shared.transpose(0, 2, 1)
        return np.asarray(SPREAD**2 * (of_topics + of_shared))

    def averaged(self) -> "Step":
        """The step with the kappas of its current multipliers."""
        return replace(self, kappas=self.kappas_of(self.tables))

    def kappas_of(self, tables: Sequence[FloatArray]) -> list[FloatArray]:
        """Kappas of documents with these features, by topic, at the current multipliers."""
        kappas = []
        for x, covariance in zip(tables, self.covariances, strict=True):
            variance = ((x @ covariance) * x).sum(axis=1)  # of the log-odds of each document
            kappas.append(1 / np.sqrt(1 + np.pi * variance / 8))
        return kappas

    def chances(self, tables: Sequence[FloatArray]) -> list[FloatArray]:
        """Probabilities that documents with these features take the step, averaged over multipliers, by topic."""
        from scipy.special import expit

        triples = zip(tables, self.mode[1:], self.kappas_of(tables), strict=True)
        return [expit(kappa * (x @ (self.mode[0] + effect))) for x, effect, kappa in triples]

    def without(self, hidden: Sequence[BoolArray]) -> "Step":
        """The step without some of its documents, not yet solved; ``hidden`` are (documents,) of each topic."""
        return replace(
            self,
            tables=[x[~is_hidden] for x, is_hidden in zip(self.tables, hidden, strict=True)],
            hits=[hit[~is_hidden] for hit, is_hidden in zip(self.hits, hidden, strict=True)],
            kappas=[kappa[~is_hidden] for kappa, is_hidden in zip(self.kappas, hidden, strict=True)],
        )

    def draw(self, normals: FloatArray) -> FloatArray:
        """Multipliers (topics, draws, features) from normal numbers (draws, 1 + topics, features).

        A precision L L' has draws (L')^-1 z. Deviations of w come first; those of u_t follow them.
        """
        precision, follows, shared = self.curvature
        of_shared = np.linalg.solve(np.linalg.cholesky(shared).T, normals[:, 0].T)  # (features, draws)
        upper = np.linalg.cholesky(precision).transpose(0, 2, 1)
        of_topics = np.linalg.solve(upper, normals[:, 1:].transpose(1, 2, 0)) + follows @ of_shared
        deviations = (of_topics + of_shared).transpose(0, 2, 1)  # (topics, draws, features)
        return np.asarray((self.mode[0] + self.mode[1:])[:, None] + SPREAD * deviations)


def fitted(features: Features, pools: Sequence[Pool]) -> Sequence[Step]:
    """The steps of the grade up to the highest judged one, with the penalty of the largest evidence."""
    if not any((pool.grades == 0).any() for pool in pools):
        raise InputError(
            "qrels: no document is judged 0, only relevant ones are listed, so unjudged documents cannot be "
            "modelled (the bounds of evaluate need no such documents)"
        )
    # 1. every step with every penalty
    tables = [features.table(pool)[pool.judged] for pool in pools]
    grades = [pool.grades[pool.judged] for pool in pools]
    highest = max(int(judged.max(initial=1)) for judged in grades)
    by_step = [_by_penalty(_step(features, tables, grades, k)) for k in range(1, highest + 1)]
    # 2. the penalty, the same for all steps
    by_penalty = list(zip(*by_step, strict=True))
    best: Sequence[Step] = max(by_penalty, key=lambda steps: sum(step.evidence for step in steps))
    # 3. moments that agree in the mean over the multipliers, by kappa
    for _ in range(ROUNDS):
        best = [step.averaged().solved() for step in best]
    return best


def _by_penalty(step: Step) -> list[Step]:
    """A step solved with each penalty of topic multipliers, each from the mode of the one before."""
    solved = []
    for penalty in TOPIC:
        penalties = step.penalties.copy()
        penalties[1:, 1:] = penalty
        step = replace(step, penalties=penalties).solved()
        solved.append(step)
    return solved


def _step(features: Features, tables: Sequence[FloatArray], grades: Sequence[IntArray], k: int) -> Step:
    """The step to grade k, not yet solved, from features and grades of the judged documents of each topic."""
    # 1. penalties of each feature; kinds of features are in the order of the columns
    runs = len(features.runs)
    numbers = {"constant": 1, "common": len(COMMON + CURVED), "run": runs}
    numbers["label"] = len(features.mean) - len(COMMON) - runs
    of_shared = np.repeat([SHARED[kind] for kind in numbers], list(numbers.values()))
    of_topic = np.full(len(of_shared), CONSTANT)
    # 2. the documents of each topic that may take the step, (documents,)
    may_take = [grade >= k - 1 for grade in grades]
    return Step(
        tables=[table[may] for table, may in zip(tables, may_take, strict=True)],
        hits=[grade[may] >= k for grade, may in zip(grades, may_take, strict=True)],
        penalties=np.vstack([of_shared, np.tile(of_topic, (len(tables), 1))]),
        mode=np.zeros((1 + len(tables), len(of_shared))),
        kappas=[np.ones(int(may.sum())) for may in may_take],
    )
