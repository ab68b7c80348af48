#!/bin/bash
# Runs inside a container of a clean Debian without any network: an ordinary user, who has the wheels of a release and pipx
# or uv, starts the demonstration and the emulated shoe.
. "$(dirname "$0")/steps.sh"
WHEELS=/srv/wheels
VISITOR=/home/visitor
PIPX=(pipx run --pip-args="--no-index --find-links=$WHEELS" --spec shoe-controller)
UVX=(uvx --no-index --find-links "$WHEELS" --from shoe-controller)

as_visitor() { runuser -u visitor -- env -C "$VISITOR" "HOME=$VISITOR" PATH=/usr/local/bin:/usr/bin:/bin "$@"; }
has() { grep -q "$1" "$2"; }

# demonstration NAME WORDS…: started by these words, to the end of three rounds, in under a minute.
demonstration() {
    local log=/var/tmp/demo-$1 began=$SECONDS took
    shift
    as_visitor "$@" shoe-controller demo --rounds 3 --speed 20 >"$log" 2>&1 || { cat "$log"; fail "the demonstration failed"; }
    has 'truth = journal = display: yes' "$log" || { cat "$log"; fail "the demonstration does not say yes"; }
    has 'board     http://' "$log" || { cat "$log"; fail "the demonstration has no pages"; }
    took=$((SECONDS - began))
    step "  $(grep -o '[0-9]* rounds settled' "$log" | tail -1) and reported in $took s"
    [ "$took" -lt 60 ] || fail "that is more than a minute"
}

# shoe NAME WORDS…: the emulated shoe offers its port, and ends when it is told to.
shoe() {
    local unit=shoe-by-$1
    shift
    systemd-run --quiet --unit="$unit" -p User=visitor -p "WorkingDirectory=$VISITOR" -E "HOME=$VISITOR" \
        -E PATH=/usr/local/bin:/usr/bin:/bin "$(command -v "$1")" "${@:2}" \
        shoe-emulator run --headless --insecure --port "pty:$VISITOR/$unit"
    wait_for 60 "the port of the emulated shoe" test -e "$VISITOR/$unit"
    systemctl stop "$unit"
}

step "there is no network, and no broker in the way"
[ "$(ls /sys/class/net)" = lo ] || fail "there is a network"
systemctl stop mosquitto
useradd --create-home visitor

step "$(python3 --version), pipx $(pipx --version 2>/dev/null): the demonstration, with the broker that is there"
demonstration pipx "${PIPX[@]}"
step "the emulated shoe"
shoe pipx "${PIPX[@]}"

step "$(uvx --version): the demonstration, on a machine without a broker"
mv /usr/sbin/mosquitto /root/
demonstration uvx "${UVX[@]}"
step "the emulated shoe"
shoe uvx "${UVX[@]}"

step "every file that init and shoe-conformance read is in the wheel"
as_visitor "${UVX[@]}" shoe-controller init "$VISITOR/house" --site north --table t1 --port /dev/null --no-broker \
    --currency '' --title T --wire native --base-game commission --decks 8 --layout nepal_super_baccarat --offer base \
    --seats 1 --min 2 --max 100 --journal "$VISITOR/t1.journal" --supervisor rana=Rana --supervisor shah=Shah \
    < <(printf '480612\n773501\n') >/var/tmp/init 2>&1 || { cat /var/tmp/init; fail "init failed"; }
as_visitor "${UVX[@]}" shoe-controller config check "$VISITOR/house/table.toml" || fail "what init wrote is refused"
as_visitor "${UVX[@]}" shoe-controller catalogue >/dev/null || fail "there is no catalogue"
as_visitor "${UVX[@]}" shoe-conformance socket://127.0.0.1:9 --insecure --nobody >/var/tmp/conformance 2>&1 && fail "it tried no shoe"
has '127.0.0.1:9' /var/tmp/conformance || { cat /var/tmp/conformance; fail "shoe-conformance does not get as far as its port"; }
step "passed"
