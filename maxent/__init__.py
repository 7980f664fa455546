"""How informative is a retrieval effectiveness measure?

From only the value of a measure for a ranked list, the maximum-entropy method finds the most random
probability-at-rank distribution with that expected value and infers a precision-recall curve from it. The closer
this curve is to the actual one, the more informative the measure is. Start with :func:`informativeness` and
:func:`choose_g`.

The measures and the most common functions are at the top level of the package. Other public names are in
subpackages::

    curves       Curve CurveError CurveSensitivity ErrorSensitivity Sensitivity profile sensitivity
    data         Collection as_qrels as_run read_letor select_topics
    errors       InputError MeasureError ProblemError
    lists        ImpliedSystem solve_averages
    measures     Form JudgedNonrelevant Measure gain_derivatives linear_form pairwise_form register_measure
                 value_changes
    problem      Certificate Multipliers
    results      Result
    solvers      Interrupted
    studies      GChoice choose_from held_out predict_averages rank_profile summarize_predictions
    systems      discriminative_power tau_ap

Figures are in :mod:`maxent.plot`. Import :mod:`maxent.ltr`, for learning to rank, separately.
"""

import os

import lazy_loader

if not os.path.isfile(os.path.splitext(__file__)[0] + ".py"):
    raise ImportError("maxent compiles its own sources: install it as files, not as a zip or as bytecode alone")
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
