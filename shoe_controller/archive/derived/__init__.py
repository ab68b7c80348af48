"""The house's tables, made from events alone: shoes, rounds, cards, wagers, settlements, alerts, acts and people.

`facts_to_rows.py` says what each event means, purely and without any other state; `writer.py` stores it, and
`rebuild.py` makes everything anew from the events.
"""
