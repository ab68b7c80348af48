"""Strategies for the events that an Angel Eye shoe can say, as its telegrams read back."""

from hypothesis import strategies as st

from firmware_protocol.angel_eye.messages import FAULT_NUMBERS
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    CardDrawn,
    CardIdentified,
    CutCard,
    Fault,
    FaultCleared,
    FaultCode,
    GateChanged,
    Hand,
    IndicatedWinner,
    PresetChanged,
    ResultIndicated,
    Standby,
)

_FACES = st.sampled_from([None, *Card])
_HANDS = st.sampled_from([Hand.PLAYER, Hand.BANKER])
_POSITIONS = st.integers(1, 15)
_FAULTS = st.sampled_from([*FAULT_NUMBERS.items(), (FaultCode.OTHER, 0), (FaultCode.OTHER, 8), (FaultCode.OTHER, 63)])

EXPRESSIBLE_EVENTS = st.one_of(
    st.just(Standby()),
    st.just(CutCard()),
    st.just(PresetChanged()),
    st.just(GateChanged(locked=None)),
    st.builds(CardDrawn, hand=_HANDS, position=_POSITIONS, card=_FACES, carried_over=st.booleans()),
    st.builds(CardDrawn, hand=st.just(Hand.BURN), position=st.none() | _POSITIONS, card=_FACES),
    st.builds(CardDrawn, hand=st.just(Hand.BURN), burns_left=st.integers(0, 15), card=_FACES),
    st.builds(CardDrawn, hand=st.just(Hand.BURN), first_of_shoe=st.just(value=True), card=_FACES),
    st.builds(CardDrawn, hand=st.just(Hand.EXTRA), card=_FACES),
    st.builds(CardIdentified, hand=_HANDS, position=_POSITIONS, card=_FACES),
    st.builds(CardIdentified, hand=st.just(Hand.BURN), position=st.none() | _POSITIONS, card=_FACES),
    st.builds(CardIdentified, hand=st.just(Hand.EXTRA), card=_FACES),
    st.builds(
        ResultIndicated,
        winner=st.sampled_from([None, *IndicatedWinner]),
        player_pair=st.booleans(),
        banker_pair=st.booleans(),
    ),
    st.builds(ResultIndicated, winner=st.just(IndicatedWinner.BANKER), banker_six=st.just(value=True)),
    st.builds(lambda fault, stopped: Fault(code=fault[0], detail=fault[1], stopped=stopped), _FAULTS, st.booleans()),
    st.builds(lambda fault: FaultCleared(code=fault[0], detail=fault[1]), _FAULTS),
)
"""All of them but start-up, which begins the numbering afresh."""
