#!/bin/sh
# Runs the tests that call slowtest.SkipIfShort, which `go test -short` and so `make test` leaves out, with
# the small searches of -short.
# It fails if one of their packages has no such test, or if the call is not in a test function itself: a
# helper's would leave its tests out.
#
#	tools/slow-tests.sh [FLAG...]
#
# GO is the go command; flags are go test's.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
trap 'exit 1' HUP INT TERM
code=0
# slow MODULE [FLAG...]: those of one module.
slow() {
	cd "$1"
	shift
	nested=$(find . -mindepth 2 -name go.mod | sed 's,/go.mod$,/,' | tr '\n' ' ')
	files=$(grep -rl --include='*_test.go' 'slowtest\.SkipIfShort(t)' . | awk -v nested="$nested" '
		BEGIN { n = split(nested, dirs, " ") }
		{ for (i = 1; i <= n; i++) if (index($0, dirs[i]) == 1) next; print }')
	names=$(awk '
		/^func / { name = ""; if (/^func Test/) { sub(/\(.*/, "", $2); name = $2 } }
		/slowtest\.SkipIfShort\(t\)/ && !name { print FILENAME ":" FNR ": not in a test function" > "/dev/stderr"; exit 1 }
		/slowtest\.SkipIfShort\(t\)/ { print name }' $files) || exit 1
	names=$(printf '%s\n' "$names" | sort -u | paste -sd '|' -)
	LOCKPICK_SLOW=1 GOGC=400 ${GO:-go} test -short -timeout 40m "$@" -run "^($names)\$" $(for file in $files; do dirname "$file"; done | sort -u)
}
for module in . etcd lab real zookeeper mysql postgres kube s3; do
	(slow "$module" "$@") >"$out" 2>&1 || code=$?
	cat "$out"
	if [ "$code" -eq 0 ] && grep -q 'no tests to run' "$out"; then
		echo "a package of module $module has none of the slow tests"
		exit 1
	fi
done
exit "$code"
