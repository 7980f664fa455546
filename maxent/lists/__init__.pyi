from .averages import Averages as Averages
from .implied import solve_averages as solve_averages
from .solve import solve_lists as solve_lists
from .system import ImpliedSystem as ImpliedSystem
