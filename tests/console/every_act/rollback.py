"""An older journal that was put in place, and two supervisors who accept it on the console."""

from playwright.async_api import expect

from shoe_controller.messages.alerts import AlertKind
from tests.console.every_act.trial import Evening, Trial
from tests.daemon.test_rollback import copies, put_back


async def accept_rollback(trial: Trial) -> None:
    at = trial.at
    await trial.come_in()
    await at.draw(2)
    await at.phase("betting")
    await at.chain.stop_daemon()
    await expect(trial.desk.at("seat-1")).to_be_disabled()
    older = copies(at.chain)
    await at.chain.start_daemon()
    await expect(trial.desk.at("seat-1")).to_be_enabled()
    await trial.bet("1", base_player="50")
    await at.chain.kill_daemon()
    put_back(at.chain, older)
    at.display.forget()  # the numbers of its events go on from those of the copy
    trial.begin("accept_rollback")
    await at.chain.start_daemon()

    def stands() -> bool:
        alerts = () if at.display.state is None else at.display.state.alerts
        return any(alert.kind is AlertKind.JOURNAL_ROLLED_BACK for alert in alerts)

    await at.display.until(stands, what="the alert")
    await trial.reads(".alert h3")
    await trial.supervise("accept_rollback")
    await trial.second_supervisor_approves()
    await at.display.until(lambda: not stands(), what="the alert's end")


ROLLED_BACK = Evening({"accept_rollback": accept_rollback})
