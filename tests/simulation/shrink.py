"""Fewer faults: mishaps are left out one by one as long as the plan still breaks a promise."""

from tests.simulation.plan import Plan
from tests.simulation.world import run


def breaks(plan: Plan) -> str:
    """What promise is broken; nothing if all are kept."""
    try:
        return run(plan).broken
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"{type(error).__name__}: {error}"


def fewest_mishaps(plan: Plan) -> Plan:
    smaller = True
    while smaller:
        smaller = False
        for left_out in range(len(plan.mishaps)):
            less = plan._replace(mishaps=plan.mishaps[:left_out] + plan.mishaps[left_out + 1 :])
            if breaks(less):
                plan, smaller = less, True
                break
    return plan
