#!/bin/sh
# Tests one module that is not the main one: an example, an adapter, a row of the track record. What it prints comes
# at the end in one piece, so that several may run beside each other.
#
#	tools/example.sh DIR/go.mod [FLAG...]
#
# GO is the go command; flags are go test's, except for the track record, whose findings need all schedules.
set -eu
dir=$(dirname "$1")
shift
go=${GO:-go}
if out=$(cd "$dir" && {
	$go vet ./... &&
		$go test "$@" -skip '^TestTrackRecord$' ./... &&
		$go test -run '^TestTrackRecord$' ./...
} 2>&1); then
	printf '%s\n%s\n' "$dir" "$out"
else
	printf '%s FAILED\n%s\n' "$dir" "$out"
	exit 1
fi
