"""What analyses found as text: on a terminal (`show`), in a format for programs or papers (`formats`)."""
