#!/bin/sh
# Tests one module that is not the main one: an example, an adapter, a row of the track record. What it prints comes
# at the end in one piece, so that several may run beside each other.
#
#	tools/example.sh DIR/go.mod [FLAG...]
#
# GO is the go command; flags are go test's, except for the track record, whose findings need all schedules. With
# TRACK_RECORD=skip that is left out.
set -eu
dir=$(dirname "$1")
shift
go=${GO:-go}

# record: the findings that are known, in the packages that have any.
record() {
	files=$(grep -rl --include='*_test.go' '^func TestTrackRecord\b' .) || return 0
	[ "${TRACK_RECORD:-}" != skip ] || return 0
	$go test -timeout 30m -run '^TestTrackRecord$' $(for file in $files; do dirname "$file"; done | sort -u)
}

if out=$({ cd "$dir" && $go vet ./... && $go test "$@" -skip '^TestTrackRecord$' ./... && record; } 2>&1); then
	printf '%s\n%s\n' "$dir" "$out"
else
	printf '%s FAILED\n%s\n' "$dir" "$out"
	exit 1
fi
