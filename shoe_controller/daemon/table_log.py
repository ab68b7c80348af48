"""One log line for each thing that matters at a running table, with table, shoe and round bound to it."""

import msgspec

from firmware_protocol.link import LineError, LineQuality, LinkReport
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.daemon.table_journal import name_of
from shoe_controller.journal.errors import FileError
from shoe_controller.messages.details import MetController
from shoe_controller.messages.facts import AlertEnded, AlertRaised, AnyFact, RoundResult, ShoeLinkChanged
from shoe_controller.mqtt.broker import (
    BrokerError,
    DiscardedMessage,
    Incoming,
    PublishRefusedError,
    SubscriptionRefusedError,
)
from shoe_controller.mqtt.peers import Peer
from shoe_controller.process.logging import Log
from shoe_controller.table.inputs import StatusAhead
from shoe_controller.transports.reconnect import LineOpened, LineReport
from shoe_controller.words.render import ENGLISH

_MEETINGS = {
    MetController.REFUSED: "another controller with the same site and name wanted to serve this table, and was refused",
    MetController.STOPS: "another controller with the same site and name has served this table too, and stops",
    MetController.STAYS: "another controller with the same site and name serves this table, and has for longer: "
    "this one stops",
    MetController.UNANSWERED: "another controller with the same site and name publishes for this table: stop one of "
    "the two",
}

_LINE_QUALITY = "frames from the shoe since this line was made, good and bad; `shoe-controller doctor` judges them"


class TableLog:
    def __init__(self, log: Log, table: str) -> None:
        self.log = log.bind(table=table)

    def line(self, report: LineReport) -> None:
        if isinstance(report, LineOpened):
            self.log.info("line_opened", port=report.port, outage=report.outage)
        else:
            self.log.warning("line_lost" if report.was_open else "no_shoe", port=report.port, what=report.reason)

    def link(self, report: LinkReport) -> None:
        name = name_of(report)
        fields = {key: value for key, value in msgspec.to_builtins(report).items() if key != "event"}
        if isinstance(report, LineError):
            # A link recovers by itself; only what it could not recover matters, and that is reported as a gap.
            self.log.debug(name, **fields)
        else:
            self.log.info(name, **fields)

    def line_quality(self, quality: LineQuality) -> None:
        self.log.info(
            "line_quality", frames=quality.frames, damaged=quality.damaged, refused=quality.refused, what=_LINE_QUALITY
        )

    def fact(self, fact: AnyFact) -> None:
        log = self.log.bind(shoe=fact.shoe, round=fact.round, seq=fact.seq)
        match fact:
            case AlertRaised():
                alert = fact.alert
                log.warning("alert_raised", alert=alert.number, kind=alert.kind, detail=ENGLISH.detail(alert))
            case AlertEnded():
                ended = ENGLISH.of(fact.cause)
                log.info("alert_ended", alert=fact.alert.number, kind=fact.alert.kind, ended_by=ended)
            case RoundResult():
                outcome = fact.outcome
                totals = f"{outcome.player.total}:{outcome.banker.total}"
                log.info(
                    "round_result",
                    winner=outcome.winner.value,
                    totals=totals,
                    confirmed_by=ENGLISH.of(fact.confirmed_by),
                )
            case ShoeLinkChanged():
                why = "" if fact.cause is None else ENGLISH.of(fact.cause)
                log.info("shoe_link", up=fact.up, shoe_name=fact.shoe_name, why=why)
                if fact.up and not fact.authenticated:
                    log.warning(
                        "shoe_not_authenticated",
                        what="the shoe has not proven its key: any device on this line could send cards",
                    )
                if fact.up and not fact.keeps_events:
                    log.warning(
                        "shoe_keeps_nothing", what="this shoe sends nothing again: what is lost on its line stays lost"
                    )
            case _:
                log.info(name_of(fact))

    def reload_refused(self, error: BadFileError) -> None:
        self.log.error("reload_refused", what=str(error))

    def rules_refused(self, error: BadFileError) -> None:
        what = f"the table goes on, with rules with which a new table would not start; correct the file: {error}"
        self.log.error("rules_refused", what=what)

    def storing_failed(self, error: FileError) -> None:
        self.log.error("storing_failed", what=str(error))

    def storing_again(self) -> None:
        self.log.info("storing_again")

    def anchor(self, trouble: str) -> None:
        if trouble:
            self.log.warning("anchor_failed", what=trouble)
        else:
            self.log.info("anchor_written_again")

    def status_ahead(self, ahead: StatusAhead) -> None:
        self.log.warning(
            "status_ahead",
            what="the broker had a status of this table that does not fit its journal, and that is not sealed by it",
            journal_ends=ahead.number,
            noted=ahead.noted,
        )

    def dealt_before(self, journal: str) -> None:
        self.log.error(
            "dealt_before",
            what="the broker has a status of this table from another journal, and this journal was begun as that of a "
            "new table: look for the other one",
            journal=journal,
        )

    # --- the broker --------------------------------------------------------------------------------------------------

    def broker_up(self) -> None:
        self.log.info("broker_up")

    def broker_down(self, error: BrokerError) -> None:
        self.log.warning("broker_down", what=str(error))

    def refused(self, error: PublishRefusedError) -> None:
        self.log.error("publish_refused", what=str(error))

    def taken_again(self) -> None:
        self.log.info("publish_taken_again")

    def requests_dropped(self) -> None:
        self.log.error("requests_dropped", what="more requests came than could be kept; some get no answer")

    def another_controller(self, peer: Peer) -> None:
        self.log.error(
            "another_controller", start=peer.start, where=peer.where, served_ms=peer.served_ms, what=_MEETINGS[peer.how]
        )

    def cannot_ask(self, error: SubscriptionRefusedError) -> None:
        what = f"a second controller of this table would not be noticed in time; run `init` again: {error}"
        self.log.warning("cannot_ask_controllers", what=what)

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        self.log.warning("messages_discarded", since_start=count, newest=newest.topic, what=newest.why)

    def requests_down(self, error: BrokerError) -> None:
        self.log.warning("requests_connection_down", what=str(error))

    def flooding(self, user: str) -> None:
        self.log.error("request_flood", user=user, what="this user sends far more requests than are served")

    def request_failed(self, error: Exception) -> None:
        self.log.error("request_failed", exc_info=error)

    def request_served(self, message: Incoming, code: str) -> None:
        # The topic is named and never the payload, which may hold a PIN.
        write = self.log.info if code == "ok" else self.log.warning
        write("request", topic=message.topic, code=code)
