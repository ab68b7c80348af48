#!/bin/bash
# Runs on the emulated arm64 machine, as root, under its own systemd and kernel: the package, a table, and a shoe that is
# plugged into USB (over USB/IP), pulled out and plugged in again. arm64_trial.sh PACKAGE
. "$(dirname "$0")/steps.sh"
SLOWER=6
NAME=/dev/shoe/native-EMU-0001
plug_in() { usbip --tcp-port 3240 attach --remote 127.0.0.1 --busid 1-1; }
is_gone() { [ ! -e "$NAME" ]; }
connected() { shoe-controller status "$CONFIG" | grep -q "connected, with its key"; }

step "install $(basename "$1") on $(uname -m), Linux $(uname -r), systemd $(systemctl --version | sed -n '1s/.*(\(.*\))/\1/p')"
dpkg -i "$1"
step "  $(dpkg-query --show shoe-controller), $(shoe-controller hand 9H 4D KS 2C | head -1)"
lsmod | grep -q '^cdc_acm ' || fail "the driver of serial shoes is not loaded after the installation"

step "init"
printf '264079\n480612\n773501\n' | shoe-controller init --site north --table t1 --port "$NAME" \
    --dealer "anita=Anita Rai" --supervisor rana=Rana --supervisor shah=Shah
let_emulator_deal
systemctl restart mosquitto
wait_for 30 "the broker" systemctl is-active mosquitto

step "the service starts without a shoe"
start_board
systemctl enable --now shoe-controller
[ "$(property ActiveState)" = active ] || fail "it is not active"

step "a shoe is plugged in: it gets its name, and the table, in its sandbox, takes it up"
modprobe vhci_hcd
start_shoe usbip:127.0.0.1:3240 2
wait_for 60 "the shoe to be plugged in" plug_in
wait_for 30 "the shoe's name" test -e "$NAME"
[ "$(stat -L -c '%G %a' "$NAME")" = "shoe 660" ] || fail "group or mode of $NAME"
[ "$(property DevicePolicy)" = closed ] || fail "the service may open any device"
wait_for 60 "two results" more_results_than 1
nothing_is_lost "the first rounds"

step "unplugged and plugged in again"
usbip detach --port 0
wait_for 30 "the name to go" is_gone
before=$(results)
wait_for 60 "the shoe to be plugged in" plug_in
wait_for 30 "the table to have it again" connected
wait_for 60 "another result" more_results_than "$before"
nothing_is_lost "a pulled cable"

step "boards and console serve their pages"
systemctl start shoe-board shoe-console
for port in 8080 8081; do
    wait_for 60 "a page at port $port" python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/', timeout=9)"
done

step "the journal verifies, and the doctor is content"
shoe-controller journal verify "$JOURNAL"
findings >/var/tmp/doctor.json || { cat /var/tmp/doctor.json; fail "the doctor found something"; }
shoe-controller status "$CONFIG"

step "passed"
