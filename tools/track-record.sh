#!/bin/sh
# Counts in how many of SEEDS seeds each test of the track record passes, and fails unless that
# is in nineteen of twenty for a test that must find a failure, and in all for one that must
# find none after its repair.
#
#	tools/track-record.sh SEEDS DIRECTORY...
#
# GO is the go command.
set -eu
seeds=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
for dir in "$@"; do
	echo "$dir"
	(cd "$dir" && ${GO:-go} test -c -o "$work/record.test" .)
	for seed in $(seq "$seeds"); do
		# Which tests pass is read from the output: a binary that dies says less.
		(cd "$dir" && "$work/record.test" -test.v -test.run '^TestTrackRecord$' -simrun.seed="$seed" || true) >"$work/output" 2>&1
		sed -n 's/^ *--- \(PASS\|FAIL\): \([^ ]*\) .*/\1 \2/p' "$work/output"
		echo "END $seed"
	done >"$work/results"
	missed=0
	if grep -qE '(Expect|Explore)\(' "$dir"/*_test.go; then
		missed=$((seeds / 20))
	fi
	awk -v seeds="$seeds" -v missed="$missed" -v all=TestTrackRecord '
		$1 != "END" { ended[$2] = $1; names[$2] = 1; next }
		{
			names[all] = 1
			if (!(all in ended)) ended[all] = "FAIL"
			for (name in ended) {
				# A test fails by itself if no test below it does.
				own = ended[name] == "FAIL"
				for (below in ended) if (ended[below] == "FAIL" && index(below, name "/") == 1) own = 0
				if (own) { failures[name]++; at[name] = at[name] " " $2 }
			}
			split("", ended)
		}
		END {
			for (name in names) {
				allowed = name ~ /\/good(\/|$)/ ? 0 : missed
				printf "%7d of %d %s%s\n", seeds - failures[name], seeds, name, failures[name] ? ", but not with" at[name] : ""
				if (failures[name] > allowed) { printf "        too few: %s\n", name; bad = 1 }
			}
			exit bad
		}' "$work/results" || failed=1
done
exit $failed
