#!/bin/bash
# Runs inside a container of a clean Debian, as root, under its own systemd: from the package to a running table, through
# everything that happens to a table in its life. Each step says what it is; the last line is the verdict.
set -eu
export LC_ALL=C.UTF-8
CONFIG=/etc/shoe-controller/table.toml
JOURNAL=/var/lib/shoe-controller/t1.journal
step() { echo "trial: $*"; }
fail() {
    echo "trial: FAILED: $*"
    systemctl status --no-pager --lines=30 shoe-controller mosquitto || true
    exit 1
}
# wait SECONDS WHAT COMMAND…: until the command succeeds.
wait_for() {
    local seconds=$1 what=$2
    shift 2
    for _ in $(seq $((seconds * 5))); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.2
    done
    fail "waited $seconds s for $what"
}
property() { systemctl show --property="$1" --value shoe-controller; }
results() { shoe-controller journal export "$JOURNAL" 2>/dev/null | grep -c '"round_result"' || true; }
more_results_than() { [ "$(results)" -gt "$1" ]; }
restarted_since() { [ "$(property NRestarts)" -gt "$1" ] && [ "$(property ActiveState)" = active ]; }
whole() { shoe-controller journal verify "$JOURNAL" >/tmp/verify.txt 2>&1 || { cat /tmp/verify.txt; fail "the journal is not whole after $*"; }; }
findings() { shoe-controller doctor "$CONFIG" --json --skip clock --skip disk-space --skip disk-speed --skip disk-kind; }

step "install $(basename "$1")"
dpkg -i "$1"

step "init"
printf '264079\n480612\n773501\n' | shoe-controller init --site north --table t1 --port socket://127.0.0.1:4001 \
    --dealer "anita=Anita Rai" --supervisor rana=Rana --supervisor shah=Shah
[ "$(stat -c '%U:%G %a' /etc/shoe-controller/shoe.key)" = "root:shoe-controller 640" ] || fail "owner or mode of shoe.key"
[ "$(stat -c '%U:%G %a' /etc/mosquitto/shoe-controller/broker.key)" = "root:mosquitto 640" ] || fail "owner or mode of broker.key"
systemctl restart mosquitto
wait_for 10 "the broker" systemctl is-active mosquitto

# A disk of its own for the journal, small enough to be filled.
mount -t tmpfs -o size=32m,mode=750,uid="$(id -u shoe-controller)",gid="$(id -g shoe-controller)" journal /var/lib/shoe-controller

step "the service starts without a shoe"
systemctl enable --now shoe-controller
[ "$(property ActiveState)" = active ] || fail "it is not active"

step "a shoe is plugged in and dealt"
systemd-run --quiet --unit=emulator shoe-emulator run --headless --port tcp:127.0.0.1:4001 --key /etc/shoe-controller/shoe.key --speed 8 --seed 5
wait_for 60 "two results" more_results_than 1
findings >/tmp/doctor.json || { cat /tmp/doctor.json; fail "the doctor found something"; }
shoe-controller status "$CONFIG"

step "a board gets results over TLS, as the access list allows"
mosquitto_sub -h 127.0.0.1 -p 8883 --cafile /etc/shoe-controller/ca.pem -u board -P "$(cat /etc/shoe-controller/users/board.password)" \
    -V 5 -q 1 -t shoe/v1/north/t1/event/outcome -C 1 -W 60 | grep -q round_result || fail "no result came"

step "boards and console serve their pages, each as a user of its own"
systemctl enable --now shoe-board shoe-console
for port in 8080 8081; do
    wait_for 20 "a page at port $port" python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/', timeout=2)"
done
for service in shoe-board shoe-console; do
    pid=$(systemctl show --property=MainPID --value "$service")
    [ "$(ps -o user:20= -p "$pid" 2>/dev/null || stat -c %U "/proc/$pid")" = "$service" ] || fail "$service runs as another user"
done

step "killed"
before=$(property NRestarts)
systemctl kill --signal=KILL shoe-controller
wait_for 20 "a new start" restarted_since "$before"
wait_for 60 "another result" more_results_than "$(results)"
whole "a kill"

step "hung: the watchdog ends it"
before=$(property NRestarts)
systemctl kill --signal=STOP shoe-controller
wait_for 60 "a new start" restarted_since "$before"
wait_for 60 "another result" more_results_than "$(results)"
whole "a hang"

step "the disk is full: the table stands and says so, and goes on when there is room"
dd if=/dev/zero of=/var/lib/shoe-controller/filler bs=64k status=none 2>/dev/null || true
cannot_store() { shoe-controller status "$CONFIG" | grep -q "CANNOT BE WRITTEN TO"; }
wait_for 60 "the table to notice" cannot_store
rm /var/lib/shoe-controller/filler
wait_for 90 "another result" more_results_than "$(results)"
whole "a full disk"

step "upgraded in mid-shoe"
before=$(results)
systemctl show --property=ExecMainStartTimestampMonotonic --value shoe-controller >/tmp/started
sum=$(sha256sum "$CONFIG")
dpkg -i "$2"
[ "$(systemctl show --property=ExecMainStartTimestampMonotonic --value shoe-controller)" != "$(cat /tmp/started)" ] || fail "the old version still runs"
[ "$sum" = "$(sha256sum "$CONFIG")" ] || fail "the configuration was changed"
wait_for 60 "another result" more_results_than "$before"
whole "an upgrade"

step "the broker restarts"
systemctl restart mosquitto
wait_for 60 "another result" more_results_than "$(results)"
wait_for 30 "a status" shoe-controller status "$CONFIG"

step "a bad configuration stops the service instead of starting it for ever"
cp "$CONFIG" /tmp/good.toml
echo 'nonsense = 1' >>"$CONFIG"
before=$(property NRestarts)
systemctl restart shoe-controller || true
sleep 6
[ "$(property ActiveState)" = failed ] || fail "it is $(property ActiveState)"
cat /tmp/good.toml >"$CONFIG"
systemctl restart shoe-controller
wait_for 60 "another result" more_results_than "$(results)"

step "what is in the log, and nothing secret is"
journalctl -u shoe-controller --no-pager -o cat >/tmp/log.txt
grep -q round_result /tmp/log.txt || fail "nothing in the log"
for secret in 264079 480612 773501 "$(cat /etc/shoe-controller/shoe.key)" "$(cat /etc/shoe-controller/mqtt.password)"; do
    ! grep -qF "$secret" /tmp/log.txt || fail "a secret is in the log"
done

step "removed, and purged"
whole "everything"
dpkg -r shoe-controller
[ -e "$JOURNAL" ] && [ -e "$CONFIG" ] || fail "removing took data away"
dpkg -P shoe-controller | tee /tmp/purge.txt
grep -q "removing /etc/shoe-controller" /tmp/purge.txt || fail "purging does not say what it removes"
[ -e "$JOURNAL" ] || fail "purging took the journal away"
[ ! -e /opt/shoe-controller ] || fail "something is left in /opt"

step "passed"
