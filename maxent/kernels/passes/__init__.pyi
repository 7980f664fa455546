from .decisions import SHORTENED as SHORTENED
from .decisions import TRUST as TRUST
