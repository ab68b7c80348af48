"""The controller's side of MQTT: what leaves the table for the displays, and the requests that come back.

- `broker.py`: what is needed of a connection to a broker, without any library
- `client.py`: such a connection over the network, and the one file that knows the MQTT library; `host_lookup.py`,
  `tls_errors.py`: names of hosts, and why TLS failed
- `retained.py`, `presence.py`: the retained messages, and when they are made
- `publisher.py`: publishes from the journal, each event in its envelope (`envelope.py`)
- `requests.py`: serves requests and answers them
- `documents/`: generates what is published of the contract, which is `shoe_controller/messages`
"""
