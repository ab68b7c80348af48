"""What an evening brings: trouble, voids, cards face down, whoever comes and goes, other languages, strangers."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Browser

from shoe_controller.baccarat.reasons import SecondCard
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import AlertRaised
from shoe_controller.messages.topics import witness_topic
from shoe_controller.messages.witness import JournalRolledBack, RaisedAlarm, TwoControllers, WitnessMessage
from shoe_controller.mqtt.retained import storing_alert
from shoe_controller.table.alerts import alert_message
from shoe_controller.table.state import Alert
from shoe_controller.web.static_files import LANGUAGES as LANGUAGE_TAGS
from shoe_controller.words.render import ENGLISH
from simulator.emulator import EmulatedShoe
from simulator.scenario import planned
from tests.board.room import BOARD, LANDSCAPE, PORTRAIT, BoardPage, Room, Seen
from tests.board.texts import LANGUAGES
from tests.daemon.clients import Display, Terminal
from tests.daemon.house_file import SITE, TABLE
from tests.daemon.parties import takes_wagers
from tests.daemon.programs import PATIENCE
from tests.web.words import TABLE as WORDS

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOT_LIVE_WITHIN = 10.0
"""Seconds in which a board must say that it is not live."""

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script><b>&lt;"


class Evening:
    """A room whose dealer waits for "no more bets", and draws card by card when the test says so."""

    def __init__(self, room: Room, shoe: EmulatedShoe, display: Display, terminal: Terminal) -> None:
        self.room = room
        self.shoe = shoe
        self.display = display
        self.terminal = terminal

    async def betting(self) -> None:
        """Wagers are open, and the gate is locked until "no more bets".

        Whoever keeps the dealer patient (`PatientDealer`) takes the shoe from him until the gate is locked and then
        gives it back. On a busy machine displays receive the new round before that, and a test that took the shoe in
        between would have it taken away again.
        """
        await self.display.until(lambda: takes_wagers(self.display.state), what="wagers to open")
        await self.shoe.until(
            lambda: self.shoe.emulation.shoe.gate_locked and self.shoe.emulation.dealer_is_on, within=PATIENCE
        )

    async def begin(self) -> None:
        """A round of which the test draws the cards."""
        await self.betting()
        self.shoe.let_dealer(deal=False)
        await self._no_more_bets()
        await self.shoe.until(lambda: not self.shoe.emulation.shoe.gate_locked, within=PATIENCE)

    async def draw(self, cards: int = 1) -> None:
        """Pull cards, each when the table has taken the one before."""
        for _ in range(cards):
            wanted = self._on_table() + 1
            self.shoe.draw()
            await self.display.until(partial(self._has, wanted), what=f"card {wanted}")

    async def a_round(self) -> None:
        """A round that the dealer deals by himself, at once: the gate may be locked again before anybody looks."""
        await self.betting()
        number = self._number()
        await self._no_more_bets()
        await self.display.until(lambda: self._number() > number and self.display.phase == "betting", what="the result")

    async def _no_more_bets(self) -> None:
        assert (await self.terminal.act("no_more_bets")).status == "ok"

    def _on_table(self) -> int:
        return 0 if self.display.state is None else len(self.display.state.cards)

    def _has(self, cards: int) -> bool:
        return self._on_table() == cards

    def _number(self) -> int:
        return 0 if self.display.state is None else self.display.state.round


@asynccontextmanager
async def evening(browser: Browser, folder: Path, procedure: dict[str, str] | None = None) -> AsyncIterator[Evening]:
    by_dealer = {"bets_close": "dealer"} | (procedure or {})
    async with (
        Room(folder, browser, seed=31, shoes=None, procedure=by_dealer) as room,
        room.chain.emulated_shoe() as shoe,
    ):
        display = await room.chain.display()
        made = Evening(room, shoe, display, await room.chain.terminal(display))
        await made.betting()
        yield made


def hands(seen: Seen) -> tuple[list[str], list[str], str, str]:
    return seen.player, seen.banker, seen.player_total, seen.banker_total


# --- trouble ---------------------------------------------------------------------------------------------------------


async def test_trouble_a_reload_in_mid_round_and_a_void(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path) as at:
        board, pit = await at.room.page(), await at.room.page("/pit")
        at.shoe.inject(planned("misread", at_card=at.shoe.emulation.shoe.cards_out + 3))
        await at.begin()
        await at.draw(2)
        seen = await board.until(lambda seen: len(seen.player + seen.banker) == 2, what="two cards")
        assert (seen.next, seen.band) == ("player", ENGLISH.of(SecondCard(hand=Side.PLAYER)))

        at.shoe.draw()
        await at.display.until(lambda: at.display.facts_of(AlertRaised), what="the alert")
        seen = await board.until(lambda seen: seen.band_kind == "trouble", what="the trouble")
        assert seen.band == "One moment please"
        assert seen.player[1] == "hidden", "nobody knows the card"
        assert [fact.alert.kind for fact in at.display.facts_of(AlertRaised)] == [AlertKind.MISREAD]
        happened = ENGLISH.happened(AlertKind.MISREAD)
        assert "misread" not in seen.everything
        assert happened not in seen.everything
        await pit.page.locator(f'.table.stop [data-kind="misread"]:has-text("{happened}")').wait_for()
        assert ENGLISH.to_do(AlertKind.MISREAD) in (await pit.text_of(".alert"))[0]

        await board.page.reload()
        again = await board.until(lambda seen: seen.live, within=5.0, what="the board after a reload")
        assert (hands(again), again.band) == (hands(seen), seen.band)

        assert (await at.terminal.supervisor("void_round", reason="misread")).status == "ok"
        seen = await board.until(lambda seen: seen.band_kind == "void", what="the void")
        assert seen.band == "Round 1 is void"
        assert hands(seen) == ([], [], "", "")
        await pit.page.locator(".table.stop").wait_for(state="detached")

        # What a player disputes is for the pit, and not for the board.
        assert (await at.terminal.supervisor("open_dispute", reason="says it was a 9", seat="1")).status == "ok"
        await pit.page.locator('.table.note [data-dispute="1"]:has-text("says it was a 9")').wait_for()
        assert (await at.terminal.supervisor("close_dispute", reason="it was a 4", dispute=1)).status == "ok"
        await pit.page.locator(".table.note").wait_for(state="detached")
        assert "says it was a 9" not in (await board.until(lambda seen: seen.live, what="the board")).everything
        assert board.complaints == pit.complaints == []


async def test_a_correction_and_a_result_that_is_taken_back_are_seen(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path) as at:
        board = await at.room.page()
        await at.begin()
        await at.draw(2)
        before = await board.until(lambda seen: len(seen.player + seen.banker) == 2, what="two cards")
        corrected = "7S" if before.player[0] != "7S" else "6H"
        answer = await at.terminal.supervisor("correct_card", reason="seen", number=1, card=corrected)
        assert answer.status == "ok"
        seen = await board.until(lambda seen: seen.player == [corrected], what="the right card")
        assert (seen.player_total, seen.banker) == (corrected[0], before.banker)

        at.shoe.let_dealer(deal=True)
        result = await board.until(lambda seen: seen.counts and sum(seen.counts.values()) > 0, what="the result")
        assert len(result.roads["bead_plate"]["cells"]) == 1
        await at.betting()
        assert (await at.terminal.supervisor("undo_last_result", reason="seen")).status == "ok"
        assert at.display.state is not None
        proposal = at.display.state.proposal
        assert proposal is not None
        answer = await at.terminal.supervisor("approve", person="shah", proposal=proposal.proposal)
        assert answer.status == "ok"
        seen = await board.until(lambda seen: not seen.roads["bead_plate"]["cells"], what="the result to be gone")
        assert (set(seen.counts.values()), seen.band, seen.wagers) == ({0}, "One moment please", [])
        assert board.complaints == []


async def test_cards_lie_face_down_until_they_are_shown(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path, procedure={"reveal": "at_result"}) as at:
        board = await at.room.page()
        await at.begin()
        await at.draw(4)
        seen = await board.until(lambda seen: len(seen.player + seen.banker) == 4, what="four cards")
        assert set(seen.player + seen.banker) == {"hidden"}
        assert (seen.player_total, seen.banker_total, seen.band) == ("", "", "Cards are face down")
        at.shoe.let_dealer(deal=True)
        seen = await board.until(lambda seen: seen.band_kind.startswith("result"), what="the result")
        assert "hidden" not in seen.player + seen.banker
        assert seen.player_drawn == seen.player


# --- not live --------------------------------------------------------------------------------------------------------


async def test_whoever_goes_away_the_board_says_so_and_recovers_by_itself(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path) as at:
        board, pit = await at.room.page(), await at.room.page("/pit")
        await at.a_round()
        await at.begin()
        await at.draw(3)
        before = await board.until(lambda seen: len(seen.player + seen.banker) == 3, what="three cards")

        await at.room.chain.broker.kill()
        seen = await board.until(lambda seen: not seen.live, NOT_LIVE_WITHIN, what="the broker to be missed")
        assert "may be old" in seen.not_live
        assert hands(seen) == hands(before), "the last that is known stays"
        await pit.page.locator("#trouble:visible").wait_for()
        await at.room.chain.broker.start()
        await at.display.is_connected()
        await at.draw()
        after = await board.until(
            lambda seen: seen.live and len(seen.player + seen.banker) == 4, what="the fourth card"
        )
        assert after.player == before.player[:2]

        await at.room.chain.kill_daemon()
        seen = await board.until(lambda seen: not seen.live, NOT_LIVE_WITHIN, what="the daemon to be missed")
        await pit.page.locator(f'.table.off[data-table="{TABLE}"]').wait_for()
        await at.room.chain.start_daemon()
        seen = await board.until(lambda seen: seen.live, what="the daemon to be back")
        assert hands(seen) == hands(after)

        await at.room.board.kill()
        await board.until(lambda seen: not seen.live, NOT_LIVE_WITHIN, what="the board itself to be missed")
        await at.room.start_board()
        seen = await board.until(lambda seen: seen.live, what="the board to be back")
        assert (hands(seen), seen.counts) == (hands(after), after.counts)


async def test_a_broker_that_hangs_is_missed_within_ten_seconds(browser: Browser, tmp_path: Path) -> None:
    async with Room(tmp_path, browser, mqtt={"keep_alive": 60}) as room:
        board = await room.page()
        await board.until(lambda seen: seen.live, what="the board to be live")
        process = room.chain.broker._process  # noqa: SLF001 - only its process can be made to hang
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        try:
            await board.until(lambda seen: not seen.live, NOT_LIVE_WITHIN, what="the broker to be missed")
        finally:
            process.send_signal(signal.SIGCONT)
        await board.until(lambda seen: seen.live, what="the broker to be back")


async def test_a_board_that_is_switched_on_late_has_all_of_it_within_a_second(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path) as at:
        early = await at.room.page()
        for _ in range(3):
            await at.a_round()
        knew = await early.until(lambda seen: seen.band_round == "Round 3", what="the third result")
        await at.room.board.terminate()
        await at.room.start_board()
        late = await at.room.page()
        started = asyncio.get_running_loop().time()
        seen = await late.until(
            lambda seen: seen.live and seen.wagers == knew.wagers and seen.band_round == "Round 3", what="everything"
        )
        assert asyncio.get_running_loop().time() - started < 5.0, "a second, on a machine that does other things too"
        assert (hands(seen), seen.roads, seen.counts) == (hands(knew), knew.roads, knew.counts)


# --- languages, sizes, strangers -------------------------------------------------------------------------------------

OVERLAPS = """() => {
  const found = [];
  const ids = ["header", "#player", "#banker", "#prices", "#band", "#counts", "#bead_plate", "#big_road"];
  const parts = [...ids, "#big_eye", "#small", "#cockroach"].map((id) => {
    const { left, top, right, bottom } = document.querySelector(id).getBoundingClientRect();
    return { id, left, top, right, bottom };
  });
  for (const one of parts) {
    const inside = one.left > -1 && one.top > -1 && one.right < innerWidth + 1 && one.bottom < innerHeight + 1;
    if (!inside) found.push(`${one.id} is outside`);
    for (const other of parts) {
      const beside = one.right < other.left + 1 || other.right < one.left + 1;
      const above = one.bottom < other.top + 1 || other.bottom < one.top + 1;
      if (one.id < other.id && !beside && !above) found.push(`${one.id} is over ${other.id}`);
    }
  }
  for (const text of document.querySelectorAll("h1, h2, dt, dd, .total, #band p, #base div > *, #side .pays")) {
    if (text.clientWidth && text.scrollWidth > text.clientWidth + 1) found.push(`${text.textContent} is cut`);
  }
  const box = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  for (const line of document.querySelectorAll("#prices .lines > span")) {
    if (box(line.lastChild).left < box(line.firstChild).right + 3) found.push(`${line.textContent} runs together`);
  }
  const side = document.querySelector("#side");
  if (side.scrollHeight > side.clientHeight + 1) found.push("the side wagers are cut");
  return found;
}"""


async def test_boards_of_different_languages_and_sizes_side_by_side(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path) as at:
        await at.a_round()
        pages = {
            (language, look, size): await at.room.page(f"{BOARD}?lang={language}&look={look}", size)
            for language, look, size in (
                ("en", "dark", LANDSCAPE),
                ("zh-hant", "light", PORTRAIT),
                ("zh-hans", "dark", LANDSCAPE),
                ("en", "light", PORTRAIT),
            )
        }
        letters = {"en": "BPT", "zh-hant": "莊閒和", "zh-hans": "庄闲和"}
        bets = {"en": "Place your bets", "zh-hant": "請下注", "zh-hans": "请下注"}
        for (language, _look, size), page in pages.items():
            seen = await page.until(lambda seen: seen.band_kind.startswith("result"), what="the result")
            (bead,) = seen.roads["bead_plate"]["cells"]
            assert bead["text"] == dict(zip("BPT", letters[language], strict=True))[bead["winner"]]
            assert seen.band_next == bets[language]
            assert await page.page.evaluate(OVERLAPS) == [], (language, size)
        await at.begin()
        await at.draw()
        for page in pages.values():
            seen = await page.until(lambda seen: len(seen.player) == 1, what="the first card")
            assert not seen.band_kind, "the result yields at once"
            assert page.complaints == []


async def test_text_that_is_full_of_markup_is_text(browser: Browser, tmp_path: Path) -> None:
    async with Room(tmp_path, browser) as room:
        display = await room.chain.display()
        await display.until(lambda: display.info and display.state and display.status and display.roads)
        assert display.info is not None
        assert display.state is not None
        assert display.status is not None
        names = msgspec.structs.replace(display.info.rules.offered[0].names, en=MARKUP)
        offered = tuple(msgspec.structs.replace(wager, names=names) for wager in display.info.rules.offered)
        rules = msgspec.structs.replace(display.info.rules, currency=MARKUP, offered=offered)
        info = msgspec.structs.replace(display.info, title=MARKUP, headline=MARKUP, table="t2", rules=rules)
        trouble = storing_alert(MARKUP)
        state = msgspec.structs.replace(display.state, alerts=(msgspec.structs.replace(trouble, number=1),))
        status = msgspec.structs.replace(display.status, version=MARKUP, publishing=MARKUP)
        for below, message in (("status", status), ("info", info), ("state", state)):
            display.publish(room.topic(below, "t2"), msgspec.json.encode(message), retain=True)
        board, pit = await room.page("/table/t2"), await room.page("/pit")
        seen = await board.until(lambda seen: seen.headline == MARKUP, what="the headline")
        assert seen.title == MARKUP
        assert MARKUP in seen.everything.replace(seen.title, "", 1).replace(seen.headline, "", 1), "a wager's name"
        await pit.page.locator('[data-table="t2"] .alert small').first.wait_for()
        assert (await pit.text_of('[data-table="t2"] .alert small'))[0] == MARKUP
        for page in (board, pit):
            assert await page.page.locator("img, b b, body script").count() == 0
            assert page.complaints == []


async def test_the_pit_has_all_tables_and_leads_to_their_boards(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path) as at:
        await at.a_round()
        await at.a_round()
        await at.display.until(lambda: at.display.roads is not None and at.display.roads.counts.rounds == 2)
        for number in range(2, 6):
            for below in ("status", "info", "state", "roads"):
                payload = at.display.retained[at.room.topic(below)]
                if below == "status" and number == 4:
                    payload = payload.replace(b'"online":true', b'"online":false')
                at.display.publish(at.room.topic(below, f"t{number}"), payload, retain=True)
        pit = await at.room.page("/pit")
        await pit.page.locator(".table").nth(4).wait_for()
        await pit.page.locator('.table.off[data-table="t4"]').wait_for()
        order = await pit.page.locator(".table").evaluate_all("all => all.map((table) => table.dataset.table)")
        assert order == ["t4", "t2", "t3", "t5", TABLE]
        assert await pit.text_of("#summary") == ["5 tables · 1 needs attention"]
        last = None if at.display.state is None else at.display.state.last_outcome
        assert last is not None
        tile = pit.page.locator(f'[data-table="{TABLE}"]')
        assert f"{last.player.total} : {last.banker.total}" in await tile.inner_text()
        assert "rounds an hour" in await tile.inner_text()
        assert "Shoe 1 · Round 3" in await tile.inner_text()
        await tile.click()
        await pit.page.locator("#bead_plate").wait_for(state="attached")
        seen = await BoardPage(pit.page).until(lambda seen: seen.title == "Baccarat 3", what="the board")
        assert seen.counts["banker"] + seen.counts["player"] + seen.counts["tie"] == 2


async def test_the_pit_shows_the_alarms_of_a_witness_in_every_language_until_they_are_acknowledged(
    browser: Browser,
    tmp_path: Path,
) -> None:
    async with Room(tmp_path, browser) as room:
        display = await room.chain.display()
        pits = {tag: await room.page(f"/pit?lang={language}", (1280, 720)) for language, tag in LANGUAGE_TAGS.items()}
        for pit in pits.values():
            await pit.page.locator(f'[data-table="{TABLE}"]').wait_for()
            assert await pit.page.locator("[data-witness]").count() == 0
        set_back = RaisedAlarm(line=17, time=1, alarm=JournalRolledBack(journal="4f2a", number=40, known=50))
        doubled = RaisedAlarm(line=18, time=2, alarm=TwoControllers(start="a", other="b"))
        known = WitnessMessage(
            table=TABLE, journal="4f2a", head="", checkpoint=3, alarms=(set_back, doubled), line="18:00"
        )
        topic = witness_topic(SITE, "witness", TABLE)
        display.publish(topic, msgspec.json.encode(known), retain=True)
        for tag, pit in pits.items():
            tile = pit.page.locator(f'.table.stop[data-table="{TABLE}"]')
            await tile.locator("[data-witness]").nth(1).wait_for()
            said = await pit.text_of("[data-witness]")
            words, own = WORDS[tag]["witness_alarms"], LANGUAGES[tag]
            assert [text.splitlines() for text in said] == [
                [
                    f"{own['witness']}: {words['journal_rolled_back'].format(number=40, known=50)}",
                    own["witness_line"].format(n=17),
                ],
                [f"{own['witness']}: {words['two_controllers']}", own["witness_line"].format(n=18)],
            ]

        # One is acknowledged, then the other.
        for alarms in ((doubled,), ()):
            remaining = msgspec.structs.replace(known, alarms=alarms)
            display.publish(topic, msgspec.json.encode(remaining), retain=True)
            for pit in pits.values():
                await pit.page.locator('[data-witness="journal_rolled_back"]').wait_for(state="detached")
                await pit.page.locator(f"[data-witness] >> nth={len(alarms)}").wait_for(state="detached")
                assert await pit.page.locator("[data-witness]").count() == len(alarms)
        for pit in pits.values():
            await pit.page.locator(".table.stop").wait_for(state="detached")
            assert pit.complaints == []


async def test_two_hundred_tables_and_the_one_that_needs_somebody_comes_first(browser: Browser, tmp_path: Path) -> None:
    async with evening(browser, tmp_path) as at:
        retained = {below: at.display.retained[at.room.topic(below)] for below in ("status", "info", "state")}
        for number in range(2, 201):
            for below, payload in retained.items():
                at.display.publish(at.room.topic(below, f"t{number}"), payload, retain=True)
        pit = await at.room.page("/pit?lang=zh-hant")
        await pit.page.locator(".table").nth(199).wait_for(state="attached")
        assert await pit.text_of("#summary") == [f"200 張賭枱 · {LANGUAGES['zh-Hant']['all_well']}"]
        assert at.display.state is not None
        alert = alert_message(Alert(number=1, kind=AlertKind.LID_OPENED, detail=None, seq=1))
        state = msgspec.structs.replace(at.display.state, alerts=(alert,), stopped=True)
        at.display.publish(at.room.topic("state", "t150"), msgspec.json.encode(state), retain=True)
        await pit.page.locator('.table.stop[data-table="t150"]:first-child').wait_for()
        (said,) = await pit.text_of(".alert")
        words = WORDS["zh-Hant"]
        assert words["alerts"][alert.kind]["happened"] in said
        assert words["alerts"][alert.kind]["to_do"] in said
        assert all(words["acts"][act] in said for act in alert.ended_by)
        assert pit.complaints == []


async def test_a_shoe_without_a_key_is_marked(browser: Browser, tmp_path: Path) -> None:
    async with Room(tmp_path, browser, secure=False) as room:
        await room.chain.start_emulator()
        board = await room.page()
        await board.until(lambda seen: seen.unverified, what="the mark")
