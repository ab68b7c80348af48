"""A table on the bench with a console's model that receives what a broker would deliver."""

import msgspec

from shoe_controller.console.model import ConsoleModel
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.facts import AnyFact
from shoe_controller.messages.retained import InfoMessage, StateMessage, StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.retained import Posted, info_message, state_message
from tests.follow.samples import JOURNAL, SITE, TABLE, published
from tests.table.sitting import Sitting

POSTED = Posted(start="5e1f", version="1.0", site=SITE, table=TABLE, title="", headline="")

encode = msgspec.json.encode


def info_of(table: Sitting, journal: str = JOURNAL) -> InfoMessage:
    return info_message(
        posted=POSTED,
        rules=table.rules,
        house=read_rules(table.rules),
        journal=journal,
        seq=0,
        rules_pending=False,
    )


def state_of(table: Sitting) -> StateMessage:
    return state_message(table.state, JOURNAL)


def online(session: int = 1, *, online: bool = True) -> bytes:
    return encode(
        StatusMessage(session=session, online=online, journal=JOURNAL, shoe_link=online, authenticated=online)
    )


def send_state(model: ConsoleModel, table: Sitting) -> None:
    model.followed.receive("state", encode(state_of(table)), 0.0)


def send_event(model: ConsoleModel, fact: AnyFact) -> None:
    model.followed.receive(f"event/{fact.TOPIC}", published(fact), 0.0)


def new_model() -> ConsoleModel:
    """A model at a broker, before the first message."""
    model = ConsoleModel(Topics(SITE, TABLE), client="console", instance="start")
    model.followed.broker_up()
    return model


def model_of(table: Sitting) -> ConsoleModel:
    """A model that has received everything."""
    model = new_model()
    model.followed.receive("status", online(), 0.0)
    model.followed.receive("info", encode(info_of(table)), 0.0)
    send_state(model, table)
    for fact in table.facts:
        send_event(model, fact)
    return model
