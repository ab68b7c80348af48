"""The controller's side of MQTT: what leaves the table for the displays, and the requests that come back.

- `contract.py`: every topic and what its messages hold; `codes.py`: every code of an answer
- `documents/`: what is generated from the contract
- `broker.py`: what is needed of a connection to a broker, without any library
- `client.py`: such a connection over the network, and the one file that knows the MQTT library; `tls_errors.py`
- `retained.py`, `presence.py`: the retained messages, and when they are made
- `publisher.py`: publishes from the journal; `requests.py`: serves requests and answers them
"""
