"""The decisions of the product, pure: what a table does with everything that happens to it.

`Table.handle(input, at)` gives the facts that an input leads to, and the state after it; nothing is changed until the
engine has stored both and calls `take_over`. The table uses no clock, file or chance: it names its next deadline and
the engine submits the timer. So its state is a fold over the inputs in the journal.

- `inputs.py`: all that can happen to a table; what it emits, its facts, is in `shoe_controller/messages`
- `phases.py`: the life of a shoe and a round, as one table of transitions
- `alerts.py`: everything that goes wrong, as one table
- `acts/`: everything that people may do, by subject; `possible_acts.py`: the acts that are possible now
- `procedure.py`: the choices of the house that concern the procedure
- `published_rules.py`: the rules of a shoe, as they are published
- `state.py`: all that a table knows; `draft.py`: a state that is being worked on
- `judging.py`: the cards of a round against the drawing rules
- `counting.py`, `burning.py`, `dealing.py`, `identifying.py`: cards that leave the shoe
- `shoe_events.py`, `link_events.py`: what else comes from the shoe, and from the line to it
- `betting.py`: wagers; `people.py`: who may act
- `finishing.py`: results, settlements, voids, and the end of a shoe
- `view.py`: what may be shown of a state; `desired_shoe.py`: what it wants of the shoe, and when it wants a timer
- `table.py`: puts them together
"""
