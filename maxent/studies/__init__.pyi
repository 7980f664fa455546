from .averages import predict_averages as predict_averages
from .g_choice import GChoice as GChoice
from .g_choice import choose_from as choose_from
from .held_out import held_out as held_out
from .rank_profile import rank_profile as rank_profile
from .summary import summarize_predictions as summarize_predictions
