"""The controller's side of MQTT: what leaves the table for the displays, and the requests that come back.

`broker.py` says what the daemon needs of a connection to a broker, without any library; `client.py` is such a
connection over the network, and the one file that knows the MQTT library.
"""
