"""`python -m tests.deploy.renew`: writes the files of deploy/ that are made from the program, anew."""

from pathlib import Path

from shoe_controller.setup.access_list import access_list
from shoe_controller.setup.broker_files import mosquitto_conf
from shoe_controller.setup.new_table import NewTable, users_of

FOLDER = Path(__file__).parents[2] / "deploy" / "mosquitto"
BROKER = Path("/etc/mosquitto/shoe-controller")

ONE_TABLE = NewTable(
    site="north",
    name="t1",
    title="",
    currency="",
    wire="native",
    port="",
    insecure=False,
    base_game="",
    decks=8,
    layout="",
    offer=(),
    seats=(),
    least=0,
    most=0,
    broker_host="localhost",
    journal=None,
    anchor=None,
    people=(),
    seat_users={"seat-1-t1": "1"},
)

MADE = {
    "shoe-controller.conf": mosquitto_conf(BROKER),
    "access.example": access_list(ONE_TABLE.site, users_of(ONE_TABLE)),
}

if __name__ == "__main__":
    for name, text in MADE.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
