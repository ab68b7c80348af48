#!/bin/bash
# Runs inside a container of a clean Debian, as root, under its own systemd: a person who has the package and docs/install.md
# gets to the first settled round and to a second table, word for word.
# first_hour_trial.sh PACKAGE.deb
. "$(dirname "$0")/steps.sh"

step "as docs/install.md says, word for word"
cd "$HERE"
python3 -m tests.deploy.first_hour "$1" || fail "the page leads elsewhere"
step "passed"
