"""The messages of a table: every topic, payload and code that the controller and its displays agree on.

Types alone; nothing here decides anything. The table makes these values, the followers read them, and the documents
for people who build displays are generated from them (`shoe_controller/mqtt/documents`) into `schemas/`,
`asyncapi.yaml` and `messages.d.ts`; `words/` has a table of words for every code in each language.

- `topics.py`: every topic, and what its messages hold
- `facts/`: the events; `retained.py`: the retained messages; `requests.py`: requests and answers
- `phases.py`, `acts.py`, `alerts.py`, `actors.py`: what the table is doing, what people do, what goes wrong
- `prompts.py`, `details/`, `causes.py`, `refusals.py`: codes with their values; `codes.py` lists all of them
"""
