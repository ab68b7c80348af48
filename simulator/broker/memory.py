"""State that outlives a connection: sessions and retained messages. This is what a restart may lose."""

from dataclasses import dataclass, field

from simulator.broker.messages import Message
from simulator.broker.session import ClientSession
from simulator.broker.topics import matches


@dataclass(slots=True)
class RetainedMessages:
    """The last retained message of each topic."""

    _by_topic: dict[str, Message] = field(default_factory=dict)

    def keep(self, message: Message) -> None:
        """Replace the topic's retained message; an empty message clears it."""
        self._by_topic.pop(message.topic, None)
        if message.payload:
            self._by_topic[message.topic] = message

    def matching(self, topic_filter: str) -> list[Message]:
        """Return those that match a filter, oldest first; expired ones are dropped at delivery."""
        return [message for topic, message in self._by_topic.items() if matches(topic_filter, topic)]

    def forget(self) -> None:
        self._by_topic.clear()


@dataclass(slots=True)
class Memory:
    retained: RetainedMessages = field(default_factory=RetainedMessages)
    sessions: dict[str, ClientSession] = field(default_factory=dict)

    def end(self, session: ClientSession) -> None:
        del self.sessions[session.client_id]
