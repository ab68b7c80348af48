"""Coverage-guided fuzzing of the decoders (`make fuzz`): any bytes, cut anywhere, give events or a counted error."""
