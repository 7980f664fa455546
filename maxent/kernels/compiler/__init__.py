"""From functions to machine code: passes are traced, loops are translated; no measure is known here."""
