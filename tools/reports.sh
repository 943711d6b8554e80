#!/bin/sh
# Runs the reports of docs/reports: each is a module with a test that must fail, since it shows a failure of a library, and
# must pass with the version that repaired it, if there is one. A test that is skipped, or fails for another reason, is an
# error.
#
#	tools/reports.sh [DIR...]
#
# GO is the go command. CI makes a missing server a failure of the test.
set -eu
go=${GO:-go}
export CI=1 GOWORK=off
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
wrong=0

# says NAME WHAT prints what a report has come to; says_log does so with the output.
says() { printf '%-28s %s\n' "$1" "$2"; }
bad() {
	wrong=1
	says "$1" "$2"
	sed 's/^/    /' "$work/log"
}

[ $# -gt 0 ] || set -- docs/reports/*/
for dir; do
	name=$(basename "$dir")
	property=$(sed -n 's/.*t\.Errorf\{0,1\}("\([a-z-]*\): .*/\1/p' "$dir/x_test.go" | head -1)
	rm -rf "$work/module" && mkdir "$work/module"
	cp "$dir"/x_test.go "$dir"/go.mod "$dir"/go.sum "$work/module"
	if ! (cd "$work/module" && $go vet .) >"$work/log" 2>&1; then
		bad "$name" "go vet has remarks"
		continue
	fi
	if (cd "$work/module" && $go test -count=1 .) >"$work/log" 2>&1; then
		bad "$name" "passes, but should fail"
		continue
	fi
	if ! grep -q ": $property: " "$work/log"; then
		bad "$name" "fails, but not because of $property"
		continue
	fi
	repaired=$(sed -n 's/^\/\/\tgo get \(.*\) && go mod tidy.*/\1/p' "$dir/x_test.go")
	if [ -z "$repaired" ]; then
		says "$name" "fails, as it should"
		continue
	fi
	# shellcheck disable=SC2086 # several modules are several words
	if ! (cd "$work/module" && $go get $repaired && $go mod tidy && $go test -count=1 .) >"$work/log" 2>&1; then
		bad "$name" "fails, but should pass with $repaired"
		continue
	fi
	says "$name" "fails, as it should, and passes with $repaired"
done
exit $wrong
