"""Checks that the broker keeps the roles apart: every user tries every topic, and must be allowed or refused correctly.

No client can be misled by it. Messages are empty and not retained: a controller refuses an empty request, and where a
user may wrongly publish for a table, displays get a message that they cannot decode. What a table may rightly publish
is not tried at all: its `status` shows whether its events are accepted.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.doctor.broker import NO_SECRETS, as_the_table, connection
from shoe_controller.doctor.findings import Finding, Patient, Verdict, good, not_looked
from shoe_controller.messages.facts import EventTopic
from shoe_controller.messages.topics import ANY, USER, TopicKind, TopicRow, Topics, contract, event_topic
from shoe_controller.mqtt.broker import BrokerError, BrokerSession, PublishRefusedError, SubscriptionRefusedError
from shoe_controller.setup.access_list import (
    ANY_CLIENT,
    EVERY_TABLE,
    BrokerRole,
    BrokerUser,
    is_of_pit,
    may_read,
    may_write,
)
from shoe_controller.setup.users_file import USERS_FILE, KnownUser, read_users

PATIENCE = 2.0
OTHER_TABLE = "no-such-table-of-the-doctor"
OTHER_CLIENT = "somebody-else-of-the-doctor"
LAST = "doctor-says-that-was-all"
"""The name of the last message to each user: what has not arrived before it will not arrive."""


async def look_at_roles(patient: Patient) -> list[Finding]:
    config = patient.running
    if config is None or config.mqtt is None or not patient.broker_ready:
        return not_looked(NO_SECRETS if config is None else "the broker cannot be reached, see above")
    file = patient.users_file or patient.file.with_name(USERS_FILE)
    if not file.exists():
        return not_looked(f"{file} does not exist, so the users of the roles are not known; `init` writes it")
    try:
        users = read_users(file)
    except BadFileError as error:
        return [_problem(f"{error.file}: {each}") for each in error.problems]
    return await _Trial(config, users, file, has_status=patient.status is not None).findings()


class _Subscriptions(NamedTuple):
    user: BrokerUser
    permitted: BrokerSession | None
    forbidden: BrokerSession | None
    """Subscribed to what this user must not read; `None` where the broker refuses the subscription."""


class _Trial:
    def __init__(self, config: RunningConfig, users: tuple[KnownUser, ...], file: Path, *, has_status: bool) -> None:
        self._config = config
        self._file = file
        self._has_status = has_status
        self._topics = Topics(config.table.site, config.table.name)
        self._users = users
        self._wrong: list[Finding] = []
        self._tried = 0

    async def findings(self) -> list[Finding]:
        async with AsyncExitStack() as stack:
            try:
                table = await stack.enter_async_context(as_the_table(self._config, (self._topics.requests,)))
                subscriptions = [await self._listen(stack, known) for known in self._users]
                asked: set[str] = set()
                for each in subscriptions:
                    asked |= await self._try_writing(each)
                await self._try_answers(table, subscriptions)
                await self._compare_received(subscriptions)
                await self._compare_requests(table, asked)
            except BrokerError as error:
                self._wrong.append(_problem(str(error)))
        if self._wrong:
            return self._wrong
        names = ", ".join(each.user.name for each in self._users)
        return good(f"{self._tried} permissions of {names} were tried, and all are correct")

    async def _listen(self, stack: AsyncExitStack, known: KnownUser) -> _Subscriptions:
        user, password = known.user, known.password.reveal()
        mqtt = self._config.mqtt
        if mqtt is None:
            raise ValueError(NO_SECRETS)
        mine = f"{self._topics.replies}{user.name}/#"
        retained = [row for row in contract() if row.kind is TopicKind.RETAINED]
        wanted = [mine, *(self._readable_topic(row, user) for row in retained if may_read(user.role, row))]
        not_mine = [mine, f"{self._topics.replies}#"]
        private = [row for row in contract() if row.kind is TopicKind.CONTROLLER]
        not_mine += [self._topic(row, ANY) for row in (*retained, *private) if not may_read(user.role, row)]
        if user.role is not BrokerRole.TABLE or not self._is_ours(user):
            not_mine.append(self._topics.requests)
        permitted = forbidden = None
        try:
            permitted = await stack.enter_async_context(connection(mqtt, wanted, user.name, password))
        except BrokerError as error:
            self._wrong.append(_problem(f"the user {user.name}, as {self._file} has it: {error}"))
        with suppress(SubscriptionRefusedError):
            forbidden = await stack.enter_async_context(connection(mqtt, not_mine, user.name, password))
        return _Subscriptions(user, permitted, forbidden)

    async def _try_writing(self, subscriptions: _Subscriptions) -> set[str]:
        """Try every topic; return the requests that the broker accepted."""
        user, session = subscriptions.user, subscriptions.permitted
        if session is None:
            return set()
        attempts = list(self._attempts(user))
        answers = await asyncio.gather(
            *(session.publish_soon(topic, b"") for topic, _ in attempts), return_exceptions=True
        )
        taken = set()
        for (topic, permitted), answer in zip(attempts, answers, strict=True):
            self._tried += 1
            if answer is None:
                taken.add(topic)
                if not permitted:
                    self._add_problem(user, f"may write {topic}, and must not")
            elif not isinstance(answer, PublishRefusedError):
                raise answer
            elif permitted:
                self._add_problem(user, f"may not write {topic}, and must")
        return {topic for topic in taken if self._topics.read_request(topic) is not None}

    def _attempts(self, user: BrokerUser) -> Iterator[tuple[str, bool]]:
        """What a user tries to write, and whether it must be allowed."""
        for row in contract():
            permitted = may_write(user.role, row) and self._is_ours(user)
            # What the pit publishes its own user tries too: who must not read it could then receive something.
            if is_of_pit(row) or not (permitted and row.kind in (TopicKind.RETAINED, TopicKind.EVENT)):
                yield self._topic(row, user.name), permitted
            if USER in row.below:
                yield self._topic(row, OTHER_CLIENT), False
        if user.role is BrokerRole.TABLE and self._is_ours(user):
            other = Topics(self._config.table.site, OTHER_TABLE)
            yield other.status, False
            yield other.listing, False
            yield other.event(event_topic(EventTopic.OUTCOME)), False

    async def _try_answers(self, table: BrokerSession, subscriptions: list[_Subscriptions]) -> None:
        replies = self._topics.replies
        await table.publish(f"{replies}{OTHER_CLIENT}/1", b"")
        await asyncio.gather(*(table.publish(f"{replies}{each.user.name}/{LAST}", b"") for each in subscriptions))

    async def _compare_received(self, subscriptions: list[_Subscriptions]) -> None:
        permitted = await asyncio.gather(*(_until_last(each.permitted) for each in subscriptions))
        forbidden = await asyncio.gather(*(_until_last(each.forbidden) for each in subscriptions))
        for each, (received, whole), (leaked, _) in zip(subscriptions, permitted, forbidden, strict=True):
            self._tried += 3
            mine = f"{self._topics.replies}{each.user.name}/"
            if each.permitted is not None and not whole:
                self._add_problem(each.user, f"may not read the answers at {mine}, and must")
            elif self._has_status and self._is_ours(each.user) and self._topics.status not in received:
                self._add_problem(each.user, f"may not read {self._topics.status}, and must")
            for topic in sorted(topic for topic in leaked if not topic.startswith(mine)):
                self._add_problem(each.user, f"may read {topic}, and must not")

    async def _compare_requests(self, table: BrokerSession, asked: set[str]) -> None:
        """Check that the table's own user receives every request that the broker accepted."""
        missing = set(asked)
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while missing:
                    missing.discard((await anext(table.incoming())).topic)
        for topic in sorted(missing):
            self._wrong.append(_problem(f"the table's own user may not read {topic}, and must"))

    def _is_ours(self, user: BrokerUser) -> bool:
        """Whether the user has rights at this table; a user of another table must be refused everything."""
        return user.table in (EVERY_TABLE, self._config.table.name)

    def _topic(self, row: TopicRow, user: str) -> str:
        address = row.address(self._config.table.site, self._config.table.name, user)
        return address.replace(ANY_CLIENT, f"{OTHER_CLIENT}/1")

    def _readable_topic(self, row: TopicRow, user: BrokerUser) -> str:
        return self._topic(row, user.name if may_write(user.role, row) else ANY)

    def _add_problem(self, user: BrokerUser, what: str) -> None:
        self._wrong.append(_problem(f"the user {user.name} ({user.role.value}) {what}"))


async def _until_last(session: BrokerSession | None) -> tuple[set[str], bool]:
    """Topics received up to the doctor's last message, and whether that message arrived."""
    received: set[str] = set()
    if session is None:
        return received, False
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            async for message in session.incoming():
                if message.topic.endswith(f"/{LAST}"):
                    return received, True
                received.add(message.topic)
    return received, False


def _problem(what: str) -> Finding:
    return Finding(verdict=Verdict.PROBLEM, what=what[:1].upper() + what[1:])
