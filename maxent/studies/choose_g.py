"""Which threshold probabilities g make GAP(g), or which gains make nDCG, the most informative?"""

from dataclasses import replace
from functools import partial
from typing import Unpack

from maxent.checks import check_choice
from maxent.data.collection import Collection
from maxent.data.embedded import studied
from maxent.data.inputs import Qrels, Runs
from maxent.errors import ProblemError
from maxent.measures import GAP, g_grid
from maxent.measures.candidates import KINDS, candidate
from maxent.measures.graded import threshold_probabilities
from maxent.options import BootstrapKeywords, ChooseGQuestion, Sources, takes
from maxent.results.content import Sheet
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.studies.broken_stick import with_broken_stick
from maxent.studies.explorer import explorer_data
from maxent.studies.g_choice import choose_among, comparable
from maxent.studies.holdings import heading
from maxent.studies.options import StudyOptions
from maxent.studies.study_tables import candidates_table, choice_panel, details, facts, parts_of
from maxent.studies.topics import checkpoint_file
from maxent.studies.used import ListCounts, list_notes


@answers
@takes(Sources, ChooseGQuestion)
def choose_g(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[ChooseGQuestion],
) -> Result:
    """Which threshold probabilities g make GAP(g), or which gains make nDCG, the most informative?

    Searches a grid of candidates for the smallest RMS error of the inferred curves, averaged over lists and
    thresholds. Every candidate has a 95 % bootstrap interval over topics, and the share of the bootstrap samples in
    which it is the best. Recommended is the simplest candidate of the set that has the best one with 95 %
    confidence; over fewer than 15 topics, the simplest whose unadjusted interval of the difference to the best
    includes 0. Beside the candidates is the error of the broken stick, a measure without content. A local
    optimisation then looks for a better g between the points of the grid. If it finds one, this g is printed beside
    the grid. It changes neither what is recommended nor the differences, as it was sought on the same lists.

    Returns
    -------
    Result
        ``table``: one row per candidate; ``role`` says which is recommended, the best of the grid, refined,
        or without content.
        Answers: ``simplest`` (the recommended g: AP, then equal g_k, then the fewest decimals), ``g`` (the one with
        the smallest error, be it refined), ``measure`` (GAP or nDCG with this g) and ``study`` (the rows of all
        candidates, as from :func:`maxent.informativeness`).

    Notes
    -----
    Files: choose-g.csv and the figure choose-g. An interrupted command resumes when you repeat it.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> choice = me.choose_g(runs, qrels, g_steps=3, refine=False, min_retrieved=1, depth=100)
    >>> choice.g
    (0.0, 1.0)
    >>> choice.table[["measure", "objective", "rms_t1", "rms_t2"]].round(2)
                        measure  objective  rms_t1  rms_t2
    0                GAP(g=0,1)       0.06    0.07    0.06
    1            GAP(g=0.5,0.5)       0.08    0.07    0.09
    2                GAP(g=1,0)       0.11    0.05    0.16
    3  BrokenStick(gain=linear)       0.08    0.07    0.09
    >>> str(me.choose_g(runs, qrels, measure="nDCG", g_steps=3, refine=False, min_retrieved=1, depth=100).measure)
    'nDCG(gain=0,1)'
    """
    measure, candidates, weights = options["measure"], options["candidates"], options["weights"]
    check_choice("measure", measure, KINDS, raises=ProblemError)
    collection = studied(runs, qrels, options, by_name=True)
    # 1. candidates: GAP with each g, or nDCG with gains that rise by the g of each grade
    grid = candidates if candidates is not None else g_grid(levels=collection.levels, steps=options["g_steps"])
    checked_grid = (threshold_probabilities(GAP(g=g), collection.levels).tolist() for g in grid)
    measures = with_broken_stick([candidate(measure, g) for g in checked_grid], collection.levels)
    # 2. their study, and the choice among them
    study_options = StudyOptions.of(collection, options, measures=measures)
    head = heading(collection, runs, qrels, study_options.reading_text, title=options["title"], is_in_finding=True)
    samples: BootstrapKeywords = {"replicates": options["replicates"], "rng": options["rng"]}
    choice, shown = choose_among(
        collection, study_options, measure=measure, refine=options["refine"], weights=weights, **samples
    )
    # 3. the result; details are of the measures of the grid, without a refined one
    table = choice.study[choice.study["measure"].isin(map(str, study_options.measures))]
    compared = comparable(choice.study, weights, choice.kind)
    return Result(
        finding=choice.finding,
        parts=parts_of(choice),
        answers={"g": choice.g, "simplest": choice.simplest, "measure": choice.measure, "study": choice.study},
        views=(candidates_table("choose-g", choice), *details(table, collection, choice)),
        sheets=(Sheet("choose-g", (choice_panel(choice),)),),
        facts=facts(study_options, weights),
        notes=list_notes(table, collection, study_options, ListCounts.of(table, compared.rows)),
        legend=study_options.legend,
        explorer=partial(
            explorer_data, collection, replace(study_options, checkpoint=None), choice, shown, weights
        ),
        checkpoints=(checkpoint_file(collection, study_options),),
        **head,
    )
