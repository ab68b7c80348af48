"""Everything around a controller, emulated in software."""
