from .discrimination import discriminative_power as discriminative_power
from .rankings import tau_ap as tau_ap
