#!/bin/bash
# Runs inside a container of a clean Debian, as root, under its own systemd: from the package to a running table, through
# everything that happens to a table in its life. Each step says what it is; the last line is the verdict.
# trial.sh EARLIER.deb LATER.deb
. "$(dirname "$0")/steps.sh"
restarted_since() { [ "$(property NRestarts)" -gt "$1" ] && [ "$(property ActiveState)" = active ]; }

step "install $(basename "$1")"
dpkg -i "$1"

step "init"
printf '264079\n480612\n773501\n' | shoe-controller init --site north --table t1 --port socket://127.0.0.1:4001 \
    --dealer "anita=Anita Rai" --supervisor rana=Rana --supervisor shah=Shah
let_emulator_deal
[ "$(stat -c '%U:%G %a' /etc/shoe-controller/shoe.key)" = "root:shoe-controller 640" ] || fail "owner or mode of shoe.key"
[ "$(stat -c '%U:%G %a' /etc/mosquitto/shoe-controller/broker.key)" = "root:mosquitto 640" ] || fail "owner or mode of broker.key"
systemctl restart mosquitto
wait_for 10 "the broker" systemctl is-active mosquitto

# A disk of its own for the journal, small enough to be filled.
mount -t tmpfs -o size=32m,mode=750,uid="$(id -u shoe-controller)",gid="$(id -g shoe-controller)" journal /var/lib/shoe-controller

step "the service starts without a shoe"
start_board
systemctl enable --now shoe-controller
[ "$(property ActiveState)" = active ] || fail "it is not active"

step "a shoe is plugged in and dealt"
start_shoe tcp:127.0.0.1:4001 8
wait_for 60 "two results" more_results_than 1

step "upgraded in mid-shoe to $(basename "$2")"
before=$(results)
started=$(property ExecMainStartTimestampMonotonic)
sum=$(sha256sum "$CONFIG" /etc/shoe-controller/shoe.key /etc/mosquitto/shoe-controller/*)
shoe-controller status "$CONFIG" --json >/var/tmp/state-before
dpkg -i "$2"
[ "$(property ExecMainStartTimestampMonotonic)" != "$started" ] || fail "the old version still runs"
[ "$sum" = "$(sha256sum "$CONFIG" /etc/shoe-controller/shoe.key /etc/mosquitto/shoe-controller/*)" ] || fail "a file of the house was changed"
wait_for 60 "another result" more_results_than "$before"
wait_for 30 "a status" shoe-controller status "$CONFIG" --json
python3 - /var/tmp/state-before /var/tmp/last-answer <<'END' || fail "the upgrade was not in the middle of a shoe that goes on"
import json, sys
before, after = (json.load(open(name))["state"] for name in sys.argv[1:])
print(f"shoe {before['shoe']}, round {before['round']} before; shoe {after['shoe']}, round {after['round']} after")
sys.exit(not (before["phase"] not in ("no_shoe", "ended") and before["shoe"] == after["shoe"] and before["round"] <= after["round"]))
END
nothing_is_lost "the upgrade"

step "init brings the broker's files up to date"
shoe-controller init --yes
systemctl restart mosquitto
nothing_is_lost "init and a restart of the broker"

step "this release's systemd and udev understand every line"
systemd-analyze verify --man=no shoe-controller.service shoe-controller@t2.service shoe-board.service shoe-console.service shoe-witness.service shoe-pit.service shoe-archive.service >/var/tmp/verify 2>&1 || true
! grep shoe- /var/tmp/verify || fail "systemd complains"
# Older ones cannot say.
if udevadm verify --help >/dev/null 2>&1; then
    udevadm verify /usr/lib/udev/rules.d/60-shoe-controller.rules || fail "udev complains"
fi

step "the doctor is content"
findings >/var/tmp/doctor.json || { cat /var/tmp/doctor.json; fail "the doctor found something"; }
shoe-controller status "$CONFIG"

step "the demonstration and the test round of init, with the installed files"
shoe-controller demo --rounds 1 --speed 20 >/var/tmp/demo || { cat /var/tmp/demo; fail "the demonstration ended badly"; }
grep -q "truth = journal = display: yes" /var/tmp/demo || fail "the demonstration does not say that all was right"
# What is not given is asked for at the terminal; the answers: the rules, no dealer, no supervisor, still, all is written, the round, no doctor.
printf '%s\n' '' '' '' y '' '' n | script -qec "shoe-controller init /var/tmp/new --site north --table new --port socket://127.0.0.1:4001 \
    --wire native --title new --currency '' --no-broker --base-game commission --layout nepal_super_baccarat --offer base --decks 8 --seats 1,2 \
    --min 100 --max 10000 --journal /var/tmp/new/new.journal --anchor /var/tmp/new/new.anchor" /var/tmp/new-table >/dev/null
grep -q "That round was dealt, stored and settled." /var/tmp/new-table || { cat /var/tmp/new-table; fail "no test round was dealt"; }

step "a board gets results over TLS, as the access list allows"
mosquitto_sub -h 127.0.0.1 -p 8883 --cafile /etc/shoe-controller/ca.pem -u board -P "$(cat /etc/shoe-controller/users/board.password)" \
    -V 5 -q 1 -t shoe/v1/north/t1/event/outcome -C 1 -W 60 | grep -q round_result || fail "no result came"
! mosquitto_sub -h 127.0.0.1 -p 8883 --cafile /etc/shoe-controller/ca.pem -u board -P wrong -t '#' -C 1 -W 5 2>/dev/null || fail "a wrong password is let in"
! mosquitto_sub -h 127.0.0.1 -p 8883 -u board -P "$(cat /etc/shoe-controller/users/board.password)" -t '#' -C 1 -W 5 2>/dev/null || fail "the broker speaks without TLS"

step "boards and console serve their pages, each as a user of its own"
systemctl enable --now shoe-board shoe-console
for port in 8080 8081; do
    wait_for 20 "a page at port $port" python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/', timeout=2)"
done
for service in shoe-board shoe-console; do
    pid=$(systemctl show --property=MainPID --value "$service")
    [ "$(stat -c %U "/proc/$pid")" = "$service" ] || fail "$service runs as another user"
done

step "a witness keeps its file, as a user of its own"
systemctl enable --now shoe-witness
wait_for 20 "a controller in the file of the witness" grep -q '"kind":"controller"' /var/lib/shoe-witness/*.witness
[ "$(stat -c %U "/proc/$(systemctl show --property=MainPID --value shoe-witness)")" = shoe-witness ] || fail "shoe-witness runs as another user"

step "the pit's process keeps its file of alarms, as a user of its own"
systemctl enable --now shoe-pit
wait_for 20 "a start in the file of alarms" grep -q '"kind":"started"' /var/lib/shoe-pit/*.alarms
[ "$(stat -c %U "/proc/$(systemctl show --property=MainPID --value shoe-pit)")" = shoe-pit ] || fail "shoe-pit runs as another user"

step "a new supervisor is taken up by a reload, in mid-shoe"
hash=$(printf '905183\n' | shoe-controller keys pin | grep -o 'scrypt[^"]*')
printf '\n[[people]]\nid = "thapa"\nname = "Thapa"\nrole = "supervisor"\npin = "%s"\n' "$hash" >>"$CONFIG"
pid=$(property MainPID)
systemctl reload shoe-controller
taken_up() { journalctl -u shoe-controller --no-pager -o cat | grep '"reloaded"' | grep -q '"people": 4'; }
wait_for 20 "the table to know four people" taken_up
[ "$(property MainPID)" = "$pid" ] || fail "it was started anew"

step "killed"
before=$(property NRestarts)
kill -KILL "$(property MainPID)"
wait_for 20 "a new start" restarted_since "$before"
wait_for 60 "another result" more_results_than "$(results)"
nothing_is_lost "a kill"

step "hung: the watchdog ends it"
before=$(property NRestarts)
kill -STOP "$(property MainPID)"
wait_for 60 "a new start" restarted_since "$before"
wait_for 60 "another result" more_results_than "$(results)"
nothing_is_lost "a hang"

step "the disk is full: the table stands and says so, and goes on when there is room"
dd if=/dev/zero of=/var/lib/shoe-controller/filler bs=64k status=none 2>/dev/null || true
cannot_store() { shoe-controller status "$CONFIG" | grep -q "CANNOT BE WRITTEN TO"; }
wait_for 60 "the table to notice" cannot_store
rm /var/lib/shoe-controller/filler
wait_for 90 "another result" more_results_than "$(results)"
nothing_is_lost "a full disk"

step "the broker restarts"
systemctl restart mosquitto
wait_for 60 "another result" more_results_than "$(results)"
wait_for 30 "a status" shoe-controller status "$CONFIG"
nothing_is_lost "a restart of the broker"

step "a second table beside the first, with its people and a console of its own"
shoe-controller init --yes --file t2.toml --table t2 --port socket://127.0.0.1:4002 </dev/null
systemctl restart mosquitto
systemctl enable --now shoe-controller@t2 shoe-console@t2
wait_for 20 "the page of the second console" python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8082/', timeout=2)"
[ "$(grep -c '^pin = ' /etc/shoe-controller/t2.toml)" = "$(grep -c '^pin = ' "$CONFIG")" ] || fail "the people of the first table are missing"
second_runs() { shoe-controller status /etc/shoe-controller/t2.toml | grep -q '^t2: running'; }
wait_for 30 "the second table at the broker" second_runs
wait_for 60 "another result of the first" more_results_than "$(results)"
nothing_is_lost "a second table"

step "a bad configuration stops the service instead of starting it for ever"
cp "$CONFIG" /var/tmp/good.toml
echo 'nonsense = 1' >>"$CONFIG"
systemctl restart shoe-controller || true
has_failed() { [ "$(property ActiveState)" = failed ]; }
wait_for 20 "the service to give up" has_failed
before=$(property NRestarts)
# Longer than it would take to start anew.
sleep 4
has_failed || fail "it is $(property ActiveState)"
[ "$(property NRestarts)" = "$before" ] || fail "it was started again"
cat /var/tmp/good.toml >"$CONFIG"
systemctl restart shoe-controller
wait_for 60 "another result" more_results_than "$(results)"

step "what is in the log, and nothing secret is"
journalctl -u shoe-controller --no-pager -o cat >/var/tmp/log.txt
grep -q round_result /var/tmp/log.txt || fail "nothing in the log"
for secret in 264079 480612 773501 "$(cat /etc/shoe-controller/shoe.key)" "$(cat /etc/shoe-controller/mqtt.password)"; do
    ! grep -qF "$secret" /var/tmp/log.txt || fail "a secret is in the log"
done

step "removed, and purged"
nothing_is_lost "everything"
systemctl is-active --quiet shoe-controller@t2 || fail "the second table does not run"
shoe-controller journal verify "$JOURNAL"
dpkg -r shoe-controller
[ -e "$JOURNAL" ] && [ -e "$CONFIG" ] || fail "removing took data away"
! systemctl is-active --quiet shoe-controller@t2 || fail "the second table still runs"
dpkg -P shoe-controller | tee /var/tmp/purge.txt
grep -q "removing /etc/shoe-controller" /var/tmp/purge.txt || fail "purging does not say what it removes"
[ -e "$JOURNAL" ] || fail "purging took the journal away"
[ ! -e /opt/shoe-controller ] || fail "something is left in /opt"

step "passed"
