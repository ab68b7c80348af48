"""Why the broker connection stands on paho-mqtt and not on aiomqtt: four reasons, each an experiment on loopback.

`python -m tests.aiomqtt_reasons` tries them with the installed release of aiomqtt; install another with pip to try that
one. Each experiment also runs with our own client, where the reason must not hold.
"""
