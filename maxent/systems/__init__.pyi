from .compare_judgments import JudgmentComparison as JudgmentComparison
from .discrimination import Discrimination as Discrimination
from .pools import pool_reduction as pool_reduction
from .pools import summarize_pools as summarize_pools
from .rankings import tau_ap as tau_ap
