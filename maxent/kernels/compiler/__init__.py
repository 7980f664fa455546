"""From functions to machine code: passes are traced, loops are translated; nothing depends on a measure."""
