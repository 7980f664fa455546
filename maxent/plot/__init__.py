"""Figures: functions that draw a table on given or new axes and return the axes, without showing or saving them.

``import maxent`` does not import this package, which needs matplotlib.
"""

from maxent.plot.curves import plot_curves as plot_curves
from maxent.plot.curves import plot_graded_curves as plot_graded_curves
from maxent.plot.curves import plot_profile as plot_profile
from maxent.plot.heatmap import plot_heatmap as plot_heatmap
from maxent.plot.one_list import plot_breakdown as plot_breakdown
from maxent.plot.one_list import plot_predicted as plot_predicted
from maxent.plot.steps_and_verdicts import plot_steps as plot_steps
from maxent.plot.steps_and_verdicts import plot_verdicts as plot_verdicts
from maxent.plot.studies import plot_choice as plot_choice
from maxent.plot.studies import plot_informativeness as plot_informativeness
from maxent.plot.studies import plot_measures as plot_measures
from maxent.plot.studies import plot_predictions as plot_predictions
from maxent.plot.systems import plot_agreement as plot_agreement
from maxent.plot.systems import plot_comparison as plot_comparison
from maxent.plot.systems import plot_confusion as plot_confusion
from maxent.plot.systems import plot_discrimination as plot_discrimination
from maxent.plot.systems import plot_pools as plot_pools
from maxent.plot.systems import plot_topics as plot_topics
from maxent.plot.ternary import plot_ternary as plot_ternary
from maxent.texts import g_label as g_label
from maxent.texts import measure_label as measure_label
from maxent.texts import threshold_label as threshold_label
