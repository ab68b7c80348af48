"""Reckons whether the truth of a shoe, the journal of its table and what displays received agree.

It reads JSON alone: the lines of the truth (`simulator/truth.py`), events as they are published, inputs as the journal
stores them. It imports nothing of `shoe_controller`: drawing rules, prices and settlement are written a second time.

| file | what it checks |
|---|---|
| `books.py` | a table's events one by one: numbers, results, corrections; with `alerts.py`, `cards.py`, `wagers.py` |
| `settlement.py` | each wager, payment, commission and sum, by `drawing.py`, `pay_tables.py` and `house.py` |
| `inputs.py` | that no report of the shoe and no request of a person was carried out twice |
| `reports.py` | which card of the truth a report of the shoe is about, while a table is running |
| `alignment.py` | cards lost, doubled, invented or in another order, when it is over |
| `displays.py` | that a display has what the journal holds, and nothing else |
| `reckoning.py` | all of it: `reckon` |

`simulator/second_sum.py` recounts what this package counts, in a simpler way and without its code.
"""
