#!/bin/sh
# Add the batches of a folder to a monitor, write its page, and send alerts that wait.
#
#   nightly.sh STORE FOLDER [PAGE]
#
# Every file is added once, so that it may run again. Exit status 0: all is done; incidents are reported by alerts.
# 1: alerts could not be delivered yet. 2 or 3: the job itself failed, and standard error says why.
set -u
store=$1 folder=$2 page=${3:-}

shiftproof monitor add "$store" "$folder" --once --fail-on none || exit
if [ -n "$page" ]; then
  shiftproof monitor status "$store" --fail-on none --out "$page" > /dev/null || exit
fi
exec shiftproof monitor deliver "$store"
