#!/usr/bin/env bash
# Runs every test ROUNDS times beside two busy loops, each time also with a doorbell that comes at
# once; stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-50}
busy=()
for _ in 1 2; do
    (while :; do :; done) &
    busy+=($!)
done
trap 'kill "${busy[@]}" 2>/dev/null || true' EXIT

run() {
    if ! cargo test --quiet --locked --tests "$@" >tests/soak.log 2>&1; then
        cat tests/soak.log
        exit 1
    fi
}

for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds"
    run --workspace
    NIOSELECT_DOORBELL=eager run --package nioselect
done
rm -f tests/soak.log
echo "$rounds rounds without a failure"
