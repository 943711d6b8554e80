#!/bin/sh
# Runs every fuzz test of every module for a time each, and ends with the first that finds something.
#
#	tools/fuzz.sh TIME
#
# GO is the go command. Before Go 1.27 a fuzz test may fail at the end of its time with "context deadline exceeded" and
# no input (golang/go#75804), on a busy machine above all: such a one is run again.
set -eu
cd "$(dirname "$0")/.."
time=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
trap 'exit 1' HUP INT TERM
# run DIRECTORY NAME: runs one fuzz test, in the module of its directory.
run() {
	code=0
	(cd "$1" && ${GO:-go} test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 100x .) >"$out" 2>&1 || code=$?
	cat "$out"
	return "$code"
}
# ended: the test has failed only since its time was over.
ended() {
	grep -q '^ *context deadline exceeded$' "$out" && ! grep -q 'Failing input' "$out"
}
files=$(find . -name '*_test.go' | sort)
for file in $files; do
	for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		attempt=1
		until run "$(dirname "$file")" "$name"; do
			if ! ended || [ "$attempt" -eq 3 ]; then
				exit 1
			fi
			attempt=$((attempt + 1))
			echo "$name has found nothing, and its time was over (golang/go#75804): again"
		done
	done
done
