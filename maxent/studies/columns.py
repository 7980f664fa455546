"""Columns that mean the same in the tables of several questions; a table's schema refers to them."""

from maxent.results.schema import Column

RUN = Column("run_id", "name of the run, which is the system", "run", "name")
TOPIC = Column("query_id", "a query with its judgments", "topic", "name")
GIVEN = Column("measure", "measure whose value the model is given, in text form", format="measure")
THRESHOLD = Column("threshold", "t, the lowest grade that counts as relevant", explained=True)
STATUS = Column("status", "whether the list is used, or why it is excluded")
COUNT = Column("count", "numbers of documents given to the model")
RANK = Column("rank", "rank in the list")
GRADE = Column("grade", "relevance grade")
LISTS = Column("lists", "lists in the mean: included and solved")
TOPICS = Column("topics", "topics of these lists")
CONSTANT = Column("constant", "lists in which the counts alone fix the value", explained=True)
RMS = Column(
    "rms",
    "root mean square error of inferred precision, mean over lists; lower is more informative",
    "RMS",
    explained=True,
)
RMS_AT_THRESHOLD = RMS._replace(name="rms t={t}", heading="RMS t={t}")
MEAN_RMS = Column(
    "objective", "RMS error averaged over the thresholds, with their weights; lower is more informative", "mean RMS"
)
MAY_BE_BEST = Column(
    "may_be_best",
    "with 95 % confidence the best is among these (model confidence set over topics); as it allows for all "
    "comparisons, it may keep a measure whose unadjusted interval excludes 0",
    "may be best",
    explained=True,
)
SHARE_BEST = Column(
    "share_best", "share of the bootstrap samples in which it is the best", "best in", "share", explained=True
)
INTERVAL = Column("{end}", "{heading} bootstrap interval over topics", "95 %", explained=True, attached=True)


def interval_of(column: str) -> Column:
    """The 95 % bootstrap interval of a column."""
    return INTERVAL._replace(name=f"{column}_{INTERVAL.name}")
