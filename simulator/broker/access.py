"""Access control: who may connect, and which topics each client may read and write.

An access list is a list of rules in Python, or the text of a Mosquitto `acl_file`, so that the file meant for the
production broker can be tried here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from simulator.broker.topics import covers, is_filter, matches

ANONYMOUS = ""


class AccessFileError(ValueError):
    """A line of an access file that cannot be parsed."""


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """The client a rule is checked for; anonymous if it gave no user name."""

    user: str
    client_id: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an access list. A rule that allows neither reading nor writing forbids both.

    In the filter, %u stands for the client's user name and %c for its client id.
    """

    topic_filter: str
    user: str | None = None
    """The user it applies to: `None` for everyone, "" for anonymous clients."""
    read: bool = True
    write: bool = True

    def __post_init__(self) -> None:
        if not is_filter(self.topic_filter):
            raise ValueError(f"{self.topic_filter!r} is not a topic filter: + and # must each stand alone in a level.")

    @property
    def forbids(self) -> bool:
        return not self.read and not self.write

    def filter_for(self, client: ClientIdentity) -> str | None:
        """Return the filter with this client's names filled in; `None` where a name would change its meaning."""
        filled = self.topic_filter
        for sign, name in (("%u", client.user), ("%c", client.client_id)):
            if sign not in filled:
                continue
            if not name or set(name) & set("+#/"):
                return None
            filled = filled.replace(sign, name)
        return filled


class AccessList:
    """All rules together. What no rule allows is forbidden; a client's own rules come before everyone's."""

    def __init__(self, rules: Iterable[Rule] | None, *, refuse_subscriptions: bool = True) -> None:
        """Make a list that refuses forbidden subscriptions; with `None`, nothing is forbidden.

        Mosquitto with an `acl_file` grants every subscription instead and merely withholds the messages; so does
        this list with `refuse_subscriptions=False`.
        """
        self._rules = None if rules is None else tuple(rules)
        self._refuse_subscriptions = refuse_subscriptions

    @classmethod
    def from_mosquitto(cls, text: str) -> Self:
        """Read the text of a Mosquitto `acl_file`, and grant subscriptions as Mosquitto does."""
        return cls(_rules_of(text), refuse_subscriptions=False)

    def may_read(self, client: ClientIdentity, topic: str) -> bool:
        return self._allows(client, topic, read=True)

    def may_write(self, client: ClientIdentity, topic: str) -> bool:
        return self._allows(client, topic, read=False)

    def may_subscribe(self, client: ClientIdentity, topic_filter: str) -> bool:
        """Whether a subscription is granted. Each message is still checked on its own before it is sent."""
        if self._rules is None or not self._refuse_subscriptions:
            return True
        return any(rule.read and covers(allowed, topic_filter) for rule, allowed in self._concerning(client))

    def _allows(self, client: ClientIdentity, topic: str, *, read: bool) -> bool:
        if self._rules is None:
            return True
        concerned = [rule for rule, filled in self._concerning(client) if matches(filled, topic)]
        for whose in ([rule for rule in concerned if rule.user is not None], [r for r in concerned if r.user is None]):
            if any(rule.forbids for rule in whose):
                return False
            if any(rule.read if read else rule.write for rule in whose):
                return True
        return False

    def _concerning(self, client: ClientIdentity) -> Iterable[tuple[Rule, str]]:
        for rule in self._rules or ():
            if rule.user in {None, client.user} and (filled := rule.filter_for(client)) is not None:
                yield rule, filled


EVERYTHING_ALLOWED = AccessList(None)


class Users:
    """Names with their passwords; without any, every client is accepted."""

    def __init__(self, passwords: Mapping[str, str] | None) -> None:
        self._passwords = None if passwords is None else dict(passwords)

    def admits(self, user: str | None, password: bytes | None) -> bool:
        if self._passwords is None:
            return True
        if user is None or password is None:
            return False
        expected = self._passwords.get(user)
        return expected is not None and expected.encode() == password


def _rules_of(text: str) -> Iterable[Rule]:
    user: str | None = ANONYMOUS
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        keyword, *rest = words
        if keyword == "user" and rest:
            user = line.strip().removeprefix("user").strip()
        elif keyword in {"topic", "pattern"} and rest:
            yield _rule(line.strip().removeprefix(keyword).strip(), number, None if keyword == "pattern" else user)
        else:
            raise AccessFileError(
                f'line {number}: {line.strip()!r} is not a rule; write "user NAME", "topic [read|write|readwrite|'
                'deny] FILTER" or "pattern [read|write|readwrite|deny] FILTER".'
            )


def _rule(text: str, number: int, user: str | None) -> Rule:
    allowed = {"read": (True, False), "write": (False, True), "readwrite": (True, True), "deny": (False, False)}
    first, _, rest = text.partition(" ")
    named = first in allowed and bool(rest.strip())
    read, write = allowed[first] if named else (True, True)
    topic_filter = rest.strip() if named else text
    if user is not None and ("%u" in topic_filter or "%c" in topic_filter):
        raise AccessFileError(
            f'line {number}: %u and %c are filled in "pattern" lines only; write "pattern" instead of "topic".'
        )
    try:
        return Rule(topic_filter, user=user, read=read, write=write)
    except ValueError as error:
        raise AccessFileError(f"line {number}: {error}") from error
