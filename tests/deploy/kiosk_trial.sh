#!/bin/bash
# The kiosk on a machine that boots: Chromium starts under the unit, draws the page, and keeps its own sandbox. Run inside.
. "$(dirname "$0")/steps.sh"
trap 'journalctl --boot --no-pager --unit=shoe-kiosk | tail -40' EXIT
PAGE_LOG=/var/tmp/page

frames() { grep -o 'frames=[0-9]*' "$PAGE_LOG" | tail -1 | cut -d= -f2; }
draws() { [ "$(frames)" -gt "$1" ]; }
kind() { tr '\0' ' ' <"/proc/$1/cmdline" | grep -o -- '--type=[a-z-]*' || true; }
field() { sed -n "s/^$2:\t*//p" "/proc/$1/status"; }

systemd-sysusers
systemd-run --quiet --unit=page -p WorkingDirectory=/root/page -p "StandardError=append:$PAGE_LOG" \
    python3 -m http.server 8080 --bind 127.0.0.1

step "the kiosk starts, and its page draws"
systemctl start shoe-kiosk
wait_for 120 "a page that draws" draws 60
step "  $(frames) frames so far, $(grep -o 'size=[0-9x]*' "$PAGE_LOG" | tail -1)"

step "the browser has no rights, and its pages are in namespaces and a root of their own"
renderers=0
for process in $(pgrep -u shoe-kiosk -f '/chromium|/cage'); do
    [ "$(field "$process" NoNewPrivs)" = 1 ] && [ "$(field "$process" Seccomp)" = 2 ] || fail "process $process is open"
    ! tr '\0' '\n' <"/proc/$process/cmdline" | grep -qx -- '--no-sandbox' || fail "the browser's own sandbox is off"
    [ "$(kind "$process")" = --type=renderer ] || continue
    renderers=$((renderers + 1))
    for namespace in user pid net; do
        [ "$(readlink "/proc/$process/ns/$namespace")" != "$(readlink "/proc/1/ns/$namespace")" ] ||
            fail "a page is in the machine's own $namespace namespace"
    done
    [ "$(readlink "/proc/$process/root")" != / ] || fail "a page sees the files of the machine"
done
[ "$renderers" -gt 0 ] || fail "no page is drawn by a process of its own"
step "  $renderers pages; $(cut -d: -f3 "/proc/$(pgrep -u shoe-kiosk -x cage)/cgroup")"

step "it ends when it is stopped"
systemctl stop shoe-kiosk
wait_for 20 "the browser's end" sh -c '! pgrep -u shoe-kiosk -f "/chromium|/cage"'
trap - EXIT
step "passed"
