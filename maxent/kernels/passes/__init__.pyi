from .decisions import SHORTENED as SHORTENED
from .decisions import TRUST as TRUST
from .fields import RANK as RANK
from .fields import WHOLE as WHOLE
from .fields import layouts as layouts
