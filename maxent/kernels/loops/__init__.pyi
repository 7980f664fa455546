from .curve_loops import compare as compare
