"""From the package to the first settled round, as docs/install.md says: every answer of its table, in its order."""

import sys
from pathlib import Path

from shoe_controller.config.table_file import for_running, load_config
from tests.deploy.conversation import Conversation
from tests.deploy.first_hour import FIRST, answers
from tests.deploy.new_house import PINS
from tests.deploy.written_down import commands_below

ELSEWHERE = """
import sys
from pathlib import Path
from shoe_controller.cli import main
from shoe_controller.commands import init
from shoe_controller.setup import attached_shoes
machine = Path(sys.argv.pop(1))
attached_shoes.FOLDERS = ()
init.FOLDER, init.BROKER_FOLDER, init.UNITS_FOLDER = machine / "etc", machine / "broker", machine / "units"
sys.exit(main())
"""
"""The program as it is installed, with folders of this machine in place of the system's."""


def test_the_documented_way_to_the_first_settled_round(tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    (tmp_path / "conf.d").mkdir()  # as Debian's Mosquitto has it
    install, init, then = (commands_below(FIRST, number) for number in (1, 2, 3))
    assert install[0][:3] == ["sudo", "apt", "install"]
    assert init == [["sudo", "shoe-controller", "init"]]
    own = ("--journal", str(tmp_path / "t1.journal"), "--anchor", str(tmp_path / "t1.anchor"))
    talk = Conversation(str(tmp_path), "init", *own, program=(sys.executable, "-c", ELSEWHERE))
    for question, said in answers():
        talk.answer(question, said)
    talk.expect("Shoe 1, round 1: ")
    talk.expect("Settled: 100 on base.player: ")
    talk.expect("That round was dealt, stored and settled.")
    talk.answer("Let the doctor look?", "n")
    assert talk.end() == 0, talk.said
    printed = talk.said.replace("\r\n", "\n").replace(str(etc), "/etc/shoe-controller")
    assert "Next:\n" + "".join(f"  {' '.join(words)}\n" for words in then) in printed
    config = for_running(load_config(etc / "table.toml"))
    assert [each.id for each in config.people] == list(PINS)
    assert config.shoe.address == "socket://127.0.0.1:4001"
    assert (tmp_path / "broker" / "access").exists()
