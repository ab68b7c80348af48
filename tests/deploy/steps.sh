# What all trials have in common; read by them, inside the container or guest. Each step says what it is.
set -eu
export LC_ALL=C.UTF-8
CONFIG=/etc/shoe-controller/table.toml
JOURNAL=/var/lib/shoe-controller/t1.journal
TRUTH=/var/tmp/truth
HEARD=/var/tmp/heard
HERE=$(dirname "$0")

step() { echo "trial: $*"; }
fail() {
    echo "trial: FAILED: $*"
    systemctl status --no-pager --lines=30 shoe-controller mosquitto || true
    exit 1
}
# wait_for SECONDS WHAT COMMAND…: until the command succeeds. An emulated processor is given more time.
wait_for() {
    local what=$2 until=$((SECONDS + $1 * ${SLOWER:-1}))
    shift 2
    until "$@" >/var/tmp/last-answer 2>&1; do
        if [ "$SECONDS" -ge "$until" ]; then
            cat /var/tmp/last-answer
            fail "waited in vain for $what"
        fi
        sleep 0.2
    done
}
property() { systemctl show --property="$1" --value shoe-controller; }
results() { shoe-controller journal export "$JOURNAL" 2>/dev/null | grep -c '"round_result"' || true; }
more_results_than() { [ "$(results)" -gt "$1" ]; }
# The public keys of the journals are taken away first, as the doctor asks. Hashes of PINs that an earlier version made do
# not say how many digits they are of, which the doctor reports of supervisors.
findings() { find /var/lib/shoe-controller -name '*.public' -exec mv -t /var/tmp {} +; shoe-controller doctor "$CONFIG" --json --skip people --skip clock --skip disk-space --skip disk-speed --skip disk-kind; }

# The journal is whole, holds every card that left the emulated shoe, and a board has heard all that it holds.
compare() {
    local library
    library=$(find /opt/shoe-controller/lib -maxdepth 3 -type d -name shoe_controller)
    PYTHONPATH="$HERE:$(dirname "$library")" PYTHONDONTWRITEBYTECODE=1 \
        python3 -m tests.deploy.nothing_lost "$JOURNAL" "$TRUTH" "$HEARD"
}
nothing_is_lost() {
    wait_for 60 "truth, journal and board to agree after $*" compare
    step "  $(tail -1 /var/tmp/last-answer), after $*"
}

start_board() {
    systemd-run --quiet --unit=listener -p Restart=always -p RestartSec=1 -p "StandardOutput=append:$HEARD" \
        stdbuf -oL mosquitto_sub -h 127.0.0.1 -p 8883 --cafile /etc/shoe-controller/ca.pem \
        -u board -P "$(cat /etc/shoe-controller/users/board.password)" \
        -i listener -V 5 -c -x 86400 -q 1 -t 'shoe/v1/north/t1/event/#' -F '%t %p'
}
# Nobody signs in here, says "no more bets" or counts what is left: the emulator alone deals.
let_emulator_deal() {
    sed -i -e 's/^bets_close = "dealer"/bets_close = "first_card"/' -e 's/^remainder = "counted"/remainder = "not_counted"/' \
        -e 's/^dealer_signs_in = true/dealer_signs_in = false/' -e 's/^new_dealer_burns = true/new_dealer_burns = false/' "$CONFIG"
}
# start_shoe PORT SPEED
start_shoe() {
    systemd-run --quiet --unit=emulator -p "StandardOutput=append:/var/tmp/emulator" shoe-emulator run --headless \
        --port "$1" --key /etc/shoe-controller/shoe.key --speed "$2" --seed 5 --truth "$TRUTH"
}
