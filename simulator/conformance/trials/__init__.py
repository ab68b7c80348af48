"""Every trial, in the order in which they are made: first those that need nobody, last the power switch."""

from simulator.conformance.trial import Needs, Trial
from simulator.conformance.trials import authenticity, desires, framing, handshake, power, reliability, store

_BY_SECTION = (
    *framing.TRIALS,
    *handshake.TRIALS,
    *authenticity.TRIALS,
    *desires.TRIALS,
    *reliability.TRIALS,
    *power.TRIALS,
    *store.TRIALS,
)
TRIALS: tuple[Trial, ...] = tuple(trial for needs in Needs for trial in _BY_SECTION if trial.needs is needs)
