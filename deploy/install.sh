#!/usr/bin/env bash
# Installs shoe-controller from a checkout, as the Debian package would. Run it as root:
#   sudo deploy/install.sh               install, or upgrade what is there
#   sudo deploy/install.sh --uninstall   remove the program; configurations and journals stay
# Needs Debian's Python (3.11 or 3.13) with venv, and a way to fetch the libraries of dependencies.lock: these versions, and
# of each only the files whose hashes are there.
set -euo pipefail
cd "$(dirname "$0")/.."
PREFIX=/opt/shoe-controller
UNITS=/etc/systemd/system
SERVICES=(shoe-controller.service shoe-controller@.service shoe-board.service shoe-console.service shoe-console@.service shoe-witness.service shoe-pit.service shoe-archive.service)

[ "$(id -u)" -eq 0 ] || { echo "Run it as root: sudo $0 $*" >&2; exit 1; }
running() { [ -d /run/systemd/system ]; }

if [ "${1:-}" = --uninstall ]; then
    if running; then
        systemctl disable --now shoe-controller.service shoe-board.service shoe-console.service shoe-witness.service shoe-pit.service shoe-archive.service shoe-kiosk.service 2>/dev/null || true
        systemctl stop 'shoe-controller@*.service' 'shoe-console@*.service' || true
    fi
    for unit in "${SERVICES[@]}" shoe-kiosk.service; do rm -rf "${UNITS:?}/$unit" "${UNITS:?}/$unit.d"; done
    rm -f /etc/udev/rules.d/60-shoe-controller.rules /etc/sysusers.d/shoe-controller.conf \
        /etc/tmpfiles.d/shoe-controller.conf /etc/modules-load.d/shoe-controller.conf \
        /usr/local/bin/shoe-controller /usr/local/bin/shoe-emulator /usr/local/bin/shoe-conformance
    rm -rf "$PREFIX" /usr/lib/shoe-controller
    ! running || systemctl daemon-reload
    echo "Left in place: /etc/shoe-controller, /var/lib/shoe-controller, /var/lib/shoe-witness and /var/lib/shoe-pit."
    exit 0
elif [ $# -gt 0 ]; then
    echo "Unknown option '$1': leave it out, or use --uninstall." >&2
    exit 2
fi

PYTHON="${PYTHON:-python3}"
version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])') ||
    { echo "$PYTHON does not run. Install Debian's own: apt install python3 python3-venv" >&2; exit 1; }
case $version in
    3.11 | 3.13) ;;
    *)
        echo "$PYTHON is Python $version. deploy/dependencies.lock has libraries for Python 3.11 and 3.13 alone, those of" \
            "Debian 12 and 13. Install on one of these, or name such a Python: PYTHON=/usr/bin/python3.11 $0" >&2
        exit 1
        ;;
esac
"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
    { echo "$PYTHON has no venv: apt install python3-venv" >&2; exit 1; }

# Built beside the old one and then swapped in: an interrupted installation leaves the old one running.
rm -rf "$PREFIX.new"
"$PYTHON" -m venv --copies "$PREFIX.new"
pip=("$PREFIX.new/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps)
"${pip[@]}" --require-hashes --only-binary :all: --requirement deploy/dependencies.lock
# The tools that build the project stay out of what is installed.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"${pip[@]}" --require-hashes --only-binary :all: --target "$tools" --requirement deploy/build.lock
PYTHONPATH="$tools" "${pip[@]}" --no-build-isolation .
# Isolated, or Python would find the checkout's own package.
library=$("$PREFIX.new/bin/python" -I -c 'import shoe_controller.setup as s; print(s.__path__[0])')
install -m 644 docs/table.example.toml "$library/"
# The scripts of an environment contain its path.
sed -i "1s|$PREFIX.new|$PREFIX|" "$PREFIX.new"/bin/shoe-*
rm -rf "$PREFIX.old"
[ ! -e "$PREFIX" ] || mv "$PREFIX" "$PREFIX.old"
mv "$PREFIX.new" "$PREFIX"
rm -rf "$PREFIX.old"
"$PREFIX/bin/python" -m compileall -q "$PREFIX/lib" || true

install -D -m 644 deploy/udev/60-shoe-controller.rules /etc/udev/rules.d/60-shoe-controller.rules
install -D -m 644 deploy/sysusers.d/shoe-controller.conf /etc/sysusers.d/shoe-controller.conf
install -D -m 644 deploy/tmpfiles.d/shoe-controller.conf /etc/tmpfiles.d/shoe-controller.conf
install -D -m 644 deploy/modules-load.d/shoe-controller.conf /etc/modules-load.d/shoe-controller.conf
install -D -m 755 deploy/kiosk/shoe-kiosk /usr/lib/shoe-controller/shoe-kiosk
install -m 644 -t "$UNITS" deploy/systemd/*.service
if [ "$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')" -ge 254 ]; then
    for unit in "${SERVICES[@]}"; do install -D -m 644 deploy/systemd/backoff.conf "$UNITS/$unit.d/backoff.conf"; done
fi
ln -sfn "$PREFIX/bin/shoe-controller" /usr/local/bin/shoe-controller
ln -sfn "$PREFIX/bin/shoe-emulator" /usr/local/bin/shoe-emulator
ln -sfn "$PREFIX/bin/shoe-conformance" /usr/local/bin/shoe-conformance

systemd-sysusers shoe-controller.conf
systemd-tmpfiles --create shoe-controller.conf
if running; then
    systemctl daemon-reload
    systemctl restart systemd-modules-load.service 2>/dev/null || true
    udevadm control --reload 2>/dev/null || true
    udevadm trigger --subsystem-match=tty --subsystem-match=usb 2>/dev/null || true
    systemctl try-restart 'shoe-controller.service' 'shoe-controller@*.service' 'shoe-board.service' \
        'shoe-console.service' 'shoe-console@*.service' 'shoe-witness.service' 'shoe-pit.service' 'shoe-archive.service' || true
fi
echo "shoe-controller is installed. Next: sudo shoe-controller init"
