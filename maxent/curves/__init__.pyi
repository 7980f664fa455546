from .actual import Curve as Curve
from .derivatives import CurveSensitivity as CurveSensitivity
from .derivatives import ErrorSensitivity as ErrorSensitivity
from .derivatives import Sensitivity as Sensitivity
from .derivatives import sensitivity as sensitivity
from .error import CurveError as CurveError
from .inferred import profile as profile
