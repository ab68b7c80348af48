#!/bin/bash
# Runs inside a container of a clean Debian, as root, under its own systemd: deploy/install.sh from a checkout, an upgrade
# that fails half way, one that does not, and the removal.
. "$(dirname "$0")/steps.sh"
export PIP_NO_INDEX=1
installs() { PIP_FIND_LINKS=/root/libraries "$HERE/$1/deploy/install.sh"; }
house() { find /etc/shoe-controller /etc/mosquitto/shoe-controller /etc/mosquitto/conf.d -type f -exec sha256sum {} + | sort; }

step "install from the earlier checkout"
installs earlier

step "init, and a shoe is dealt"
printf '264079\n480612\n773501\n' | shoe-controller init --site north --table t1 --port socket://127.0.0.1:4001 \
    --dealer "anita=Anita Rai" --supervisor rana=Rana --supervisor shah=Shah
let_emulator_deal
systemctl restart mosquitto
wait_for 10 "the broker" systemctl is-active mosquitto
start_board
systemctl enable --now shoe-controller
start_shoe tcp:127.0.0.1:4001 8
wait_for 60 "two results" more_results_than 1

step "an upgrade that cannot fetch its libraries leaves everything as it was"
house >/var/tmp/house
started=$(property ExecMainStartTimestampMonotonic)
! PIP_FIND_LINKS=/nowhere "$HERE/later/deploy/install.sh" >/var/tmp/failed 2>&1 || fail "it says that it went well"
[ "$(property ExecMainStartTimestampMonotonic)" = "$started" ] || fail "the table was restarted"
wait_for 60 "another result" more_results_than "$(results)"

step "upgraded in mid-shoe from the later checkout, over the first"
touch /opt/shoe-controller/left-over
before=$(results)
installs later
[ "$(property ExecMainStartTimestampMonotonic)" != "$started" ] || fail "the old version still runs"
[ ! -e /opt/shoe-controller/left-over ] && [ ! -e /opt/shoe-controller.old ] && [ ! -e /opt/shoe-controller.new ] || fail "something of the old version is left"
house | diff /var/tmp/house - || fail "a file of the house was changed"
systemctl is-enabled --quiet shoe-controller || fail "the service does not start with the machine any more"
wait_for 60 "another result" more_results_than "$before"
nothing_is_lost "the upgrade"

step "init brings the broker's files up to date"
shoe-controller init --yes </dev/null
systemctl restart mosquitto
house >/var/tmp/house
nothing_is_lost "init and a restart of the broker"
findings >/var/tmp/doctor.json || { cat /var/tmp/doctor.json; fail "the doctor found something"; }

step "a second init changes nothing"
shoe-controller init --yes </dev/null
house | diff /var/tmp/house - || fail "a file of the house was changed"

step "removed"
sum=$(sha256sum /etc/shoe-controller/table.toml)
"$HERE/later/deploy/install.sh" --uninstall
[ "$(property ActiveState)" != active ] || fail "the table still runs"
[ "$sum" = "$(sha256sum /etc/shoe-controller/table.toml)" ] && [ -s "$JOURNAL" ] || fail "removing took data away"
for left in /opt/shoe-controller /usr/local/bin/shoe-controller /usr/lib/shoe-controller /etc/udev/rules.d/60-shoe-controller.rules; do
    [ ! -e "$left" ] || fail "$left is left"
done

step "passed"
