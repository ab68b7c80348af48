"""Generators: AsyncAPI, JSON Schemas and the tables of `docs/mqtt.md`, all made from the contract."""
