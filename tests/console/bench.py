"""A table on the bench with a console's model that hears of it what a broker would bring."""

import msgspec

from shoe_controller.console.model import ConsoleModel
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.house.rules import read_rules
from shoe_controller.mqtt.contract import InfoMessage, StateMessage, StatusMessage
from shoe_controller.mqtt.retained import Posted, info_message, state_message
from shoe_controller.table.facts import AnyFact
from tests.table.sitting import Sitting

POSTED = Posted(version="1.0", site="north", table="t1", title="", headline="", currency="NPR")

encode = msgspec.json.encode


def info_of(table: Sitting) -> InfoMessage:
    return info_message(
        posted=POSTED,
        rules=table.rules,
        house=read_rules(table.rules),
        catalogue=built_in_catalogue(),
        seq=0,
        rules_wait="",
    )


def state_of(table: Sitting) -> StateMessage:
    return state_message(table.state)


def online(session: int = 1, *, online: bool = True) -> bytes:
    return encode(StatusMessage(session=session, online=online, shoe_link=online, authenticated=online))


def tell_state(model: ConsoleModel, table: Sitting) -> None:
    model.heard("state", encode(state_of(table)))


def tell_event(model: ConsoleModel, fact: AnyFact) -> None:
    model.heard(f"event/{fact.TOPIC}", encode(fact))


def model_of(table: Sitting) -> ConsoleModel:
    """A model that has heard everything."""
    model = ConsoleModel()
    model.broker_up()
    model.heard("status", online())
    model.heard("info", encode(info_of(table)))
    tell_state(model, table)
    for fact in table.facts:
        tell_event(model, fact)
    return model
