"""The whole system in one process and on virtual time, with everything going wrong: a seed decides all of it.

The real daemon, table, journal, links, virtual shoe and the emulated broker's core, with displays, players, dealers and
supervisors around them. Only the network, the ports and the journal's thread are replaced.

    python -m tests.simulation 17               one seed, printed step by step
    python -m tests.simulation --seeds 10000    many, on all cores, with a table of what was met
    python -m tests.simulation --mutations      bugs put in on purpose: each must be found

- `virtual_time.py`: one agenda for all, and the event loop of a daemon that can be killed between any two steps
- `machine.py`, `inline_writer.py`: the controller's machine, its clock, its disk, and the daemon that runs on it;
  `damage.py`: what becomes of its journal
- `cable.py`: the shoe's line; `swapping.py`: messages that change places on it
- `virtual_broker.py`, `daemon_broker.py`: the broker's line
- `clients.py`: displays and terminals; `people.py`: those who use them
- `plan.py`: a plan; `seeds.py`, `houses.py`, `aims.py`: what a seed means; `mishaps.py`: what can go wrong, and which
  alerts may tell of it; `happenings.py`: how it is brought about
- `world.py`: puts it all together and runs it; `observer.py`, `audit.py`: what must hold
- `campaign.py`, `coverage.py`, `shrink.py`, `mutations.py`: many seeds, what they met, fewer faults, bugs on purpose
- `regressions.py`: plans that once broke a promise
"""
