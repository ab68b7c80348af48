"""The access list by itself: rules, names in filters, and what Mosquitto's file may say."""

import pytest

from simulator.broker.access import AccessFileError, AccessList, ClientIdentity, Rule, Users

TABLE = ClientIdentity("table", "table-7")
NOBODY = ClientIdentity("", "x")


def test_what_no_rule_allows_is_forbidden() -> None:
    access = AccessList([Rule("events/#", user="table", read=False), Rule("commands", write=False)])
    assert access.may_write(TABLE, "events/card")
    assert not access.may_read(TABLE, "events/card")
    assert not access.may_write(NOBODY, "events/card")
    assert access.may_read(NOBODY, "commands")
    assert not access.may_write(NOBODY, "commands")
    assert not access.may_read(TABLE, "elsewhere")


def test_no_rules_forbid_everything_and_no_list_nothing() -> None:
    assert not AccessList([]).may_read(TABLE, "a")
    everything = AccessList(None)
    for topic in ("a", "$SYS/x", "/"):
        assert everything.may_read(NOBODY, topic)
        assert everything.may_write(NOBODY, topic)
    assert everything.may_subscribe(NOBODY, "#")


def test_a_prohibition_wins_over_a_permission_of_the_same_kind() -> None:
    forbidding = Rule("shared/private", user="table", read=False, write=False)
    access = AccessList([Rule("shared/#", user="table"), forbidding, Rule("#")])
    assert access.may_read(TABLE, "shared/open")
    assert not access.may_read(TABLE, "shared/private")
    assert not access.may_write(TABLE, "shared/private")
    assert access.may_read(NOBODY, "shared/private")


@pytest.mark.parametrize("topic", ["own/table/table-7", "own/table/table-7/x/y"])
def test_names_are_filled_in(topic: str) -> None:
    access = AccessList([Rule("own/%u/%c/#")])
    assert access.may_write(TABLE, topic)
    assert not access.may_write(ClientIdentity("table", "table-8"), topic)
    assert not access.may_write(ClientIdentity("other", "table-7"), topic)


@pytest.mark.parametrize("name", ["+", "#", "table/table-7", "a+b", ""])
def test_a_name_that_would_bend_a_filter_opens_nothing(name: str) -> None:
    access = AccessList([Rule("own/%u/#"), Rule("client/%c")])
    for topic in ("own/table/x", "own/#", f"own/{name}/x"):
        assert not access.may_read(ClientIdentity(name, "x"), topic)
    assert not access.may_read(ClientIdentity("x", name), "client/table-7")


def test_a_list_either_refuses_subscriptions_or_grants_them_all() -> None:
    rules = [Rule("events/+", user="table", write=False), Rule("write/#", read=False)]
    refusing, silent = AccessList(rules), AccessList(rules, refuse_subscriptions=False)
    for topic_filter, allowed in {"events/+": True, "events/card": True, "events/#": False, "write/x": False}.items():
        assert refusing.may_subscribe(TABLE, topic_filter) is allowed
        assert silent.may_subscribe(TABLE, topic_filter)


def test_mosquittos_file() -> None:
    access = AccessList.from_mosquitto(
        "# a comment\n\ntopic read public/#\nuser the table\ntopic with spaces/#\ntopic deny  with spaces/x\n"
        "pattern write own/%u\n"
    )
    table = ClientIdentity("the table", "1")
    assert access.may_read(NOBODY, "public/x")
    assert not access.may_read(table, "public/x")
    assert access.may_write(table, "with spaces/y")
    assert not access.may_write(table, "with spaces/x")
    assert access.may_write(table, "own/the table")
    assert not access.may_read(table, "own/the table")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("topic", 1),
        ("\nuser", 2),
        ("user x\ntopics a", 2),
        ("topic a/#/b", 1),
        ("topic read a#", 1),
        ("user x\ntopic read own/%u", 2),
        ("\n\npattern", 3),
    ],
)
def test_a_bad_line_is_named(text: str, line: int) -> None:
    with pytest.raises(AccessFileError, match=f"line {line}: "):
        AccessList.from_mosquitto(text)


def test_users() -> None:
    assert Users(None).admits(None, None)
    users = Users({"table": "pässwörd", "open": ""})
    assert users.admits("table", "pässwörd".encode())
    assert users.admits("open", b"")
    for user, password in ((None, None), ("table", None), ("table", b""), (None, "pässwörd".encode()), ("x", b"")):
        assert not users.admits(user, password)
