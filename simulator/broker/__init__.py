"""An MQTT broker in software, for demonstrations and tests; never for production. Loopback only, standard library only.

It speaks as much of MQTT 5 and 3.1.1 as shoe-controller, the demonstration and their observers need: QoS 0 and 1,
retained messages, wills, sessions that outlive a connection, access lists. It has no QoS 2, no topic aliases, no
subscription identifiers, no will delay and no shared subscriptions, and says so. It can misbehave on request:

    async with EmulatedBroker(users={"table": "secret"}) as broker:
        ...                                              # clients connect to 127.0.0.1, broker.port
        broker.misbehaviour.withhold_acknowledgements()  # standing rules: withhold, deny, delay, drop, duplicate
        broker.stall()                                   # and acts: stall, resume, restart
        await broker.restart(keep_sessions=False)

`BrokerCore` is the same broker without a network; its owner provides the time. `python -m simulator.broker` runs one
from the command line.
"""

from simulator.broker.access import AccessFileError, AccessList, Rule
from simulator.broker.connection import Ending
from simulator.broker.core import BrokerCore, Outgoing
from simulator.broker.limits import BrokerLimits
from simulator.broker.misbehaviour import Misbehaviour
from simulator.broker.reasons import Reason
from simulator.broker.server import BrokerAddressError, EmulatedBroker

__all__ = [
    "AccessFileError",
    "AccessList",
    "BrokerAddressError",
    "BrokerCore",
    "BrokerLimits",
    "EmulatedBroker",
    "Ending",
    "Misbehaviour",
    "Outgoing",
    "Reason",
    "Rule",
]
