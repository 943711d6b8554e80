#!/bin/sh
# Measures what a fleet's queue costs: the processor time of simrun run, and of one server and one worker with the same search on the
# same machine, in turns. It fails if the least of each differ by more than 3 %: other programs on the machine only add to a time.
#
#	tools/fleet-overhead.sh [TURNS]
#
# GO is the go command; RUNS is the number of schedules.
set -eu
turns=${1:-5}
runs=${RUNS:-200000}
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
(cd fleet && ${GO:-go} test -c -o "$dir/simrun" .)
export LOCKPICK_TEST_AS_SIMRUN=1
search="gc-pause --lock setpx-fenced --runs $runs --no-shrink --stable"
cat >"$dir/alone" <<EOF
rm -rf $dir/one
$dir/simrun run $search --jobs 2 --out $dir/one >/dev/null
EOF
cat >"$dir/fleet" <<EOF
rm -rf $dir/two $dir/queue $dir/bucket
$dir/simrun fleet serve $search --out $dir/two --store $dir/queue --bucket $dir/bucket --listen 127.0.0.1:24222 >/dev/null 2>&1 &
until (: >/dev/tcp/127.0.0.1/24222) 2>/dev/null; do sleep 0.2; done
sleep 1
$dir/simrun fleet work --nats nats://127.0.0.1:24222 --jobs 2 2>/dev/null
wait
EOF
# spent SCRIPT: the processor time of a script and all that it has waited for, in hundredths of a second.
spent() {
	bash -c "TIMEFORMAT='%U %S'; time bash '$1' 2>/dev/null" 2>&1 | tail -n 1 | awk '{ printf "%d\n", 100 * ($1 + $2) }'
}
least() { sort -n | head -n 1; }
n=0
while [ "$n" -lt "$turns" ]; do
	n=$((n + 1))
	spent "$dir/alone" >>"$dir/alone.times"
	spent "$dir/fleet" >>"$dir/fleet.times"
	diff -r "$dir/one" "$dir/two"
	echo "turn $n: $(tail -n 1 "$dir/alone.times") and $(tail -n 1 "$dir/fleet.times") hundredths of a second of processor time"
done
one=$(least <"$dir/alone.times")
two=$(least <"$dir/fleet.times")
awk -v one="$one" -v two="$two" -v runs="$runs" 'BEGIN {
	share = 100 * (two - one) / one
	printf "%d schedules: run %.2f s, fleet %.2f s of processor time (the least of each): %+.1f %%\n", runs, one / 100, two / 100, share
	exit share > 3
}'
