#!/bin/sh
# Makes the reports that docs/reports/README.md lists, and runs them: each is a module with a test that must fail, since it
# shows a failure of a library, and must pass with the version that repaired it, if there is one. A test that is skipped, or
# fails for another reason, is an error.
#
#	tools/reports.sh [NAME...]
#
# The reports are written to REPORTS_DIR (bin/reports). Each is exported from the trace that its track record's test finds.
# GO is the go command. CI makes a missing server a failure of the test.
set -eu
go=${GO:-go}
export CI=1 GOWORK=off
out=${REPORTS_DIR:-bin/reports}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
(cd lab && $go build -ldflags='-X testing.testBinary=1' -o "$work/simrun" ./cmd/simrun)
simrun=$work/simrun
trap 'rm -rf "$work"' EXIT INT TERM
wrong=0

# says NAME WHAT prints the result of a report; bad does so with the output.
says() { printf '%-28s %s\n' "$1" "$2"; }
bad() {
	wrong=1
	says "$1" "$2"
	sed 's/^/    /' "$work/log"
}

# report NAME DIRECTORY TEST TRACE [REPAIRED] makes a report from the trace of a test in a directory of examples, and runs it. Not every
# trace can be shown on real servers, where time is not simulated: another seed finds another trace.
report() {
	name=$1 dir=examples/$2 test=$3 trace=$4 repaired=${5:-}
	for seed in 1 2 3 4 5; do
		rm -rf "$work/traces" "$work/module" "${out:?}/$name"
		if ! (cd "$dir" && $go test -count=1 -run "$test" . -simrun.out="$work/traces" -simrun.seed=$seed) >"$work/log" 2>&1; then
			bad "$name" "the track record's test fails"
			return
		fi
		found=$(find "$work/traces" -name "$trace" | head -1)
		if [ -z "$found" ]; then
			find "$work/traces" -type f >"$work/log"
			bad "$name" "no trace $trace was found"
			return
		fi
		if (cd "$dir" && "$simrun" export --go-test --out="$out/$name" ${repaired:+--repaired="$repaired"} "$found") >"$work/log" 2>&1; then
			check
			return
		fi
	done
	bad "$name" "none of five traces can be exported"
}

# check runs the report in a copy of its module, as it is and repaired.
check() {
	property=$(sed -n 's/.*t\.Errorf\{0,1\}("\([a-z-]*\): .*/\1/p' "$out/$name/x_test.go" | head -1)
	mkdir "$work/module"
	cp "$out/$name"/x_test.go "$out/$name"/go.mod "$out/$name"/go.sum "$work/module"
	cd "$work/module"
	if ! $go vet . >"$work/log" 2>&1; then
		bad "$name" "go vet has remarks"
	elif $go test -count=1 . >"$work/log" 2>&1; then
		bad "$name" "passes, but should fail"
	elif ! grep -q ": $property: " "$work/log"; then
		bad "$name" "fails, but not because of $property"
	elif [ -z "$repaired" ]; then
		says "$name" "fails, as it should"
	# shellcheck disable=SC2046 # several modules are several words
	elif ! { $go get $(echo "$repaired" | tr , ' ') && $go mod tidy && $go test -count=1 .; } >"$work/log" 2>&1; then
		bad "$name" "fails, but should pass with $repaired"
	else
		says "$name" "fails, as it should, and passes with $repaired"
	fi
	cd "$OLDPWD"
}

made=0
while read -r name rest; do
	case " ${*:-$name} " in
	*" $name "*) ;;
	*) continue ;;
	esac
	made=$((made + 1))
	# shellcheck disable=SC2086 # the columns of the table
	report "$name" $rest </dev/null
done <<'TABLE'
redislock-v0.9.3 trackrecord/redislock-v0.9.3 ^TestTrackRecord$ lost-reply_no-orphan.json github.com/bsm/redislock@v0.9.4
redsync-v4.0.3-unlock trackrecord/redsync-v4.0.3 ^TestTrackRecord$ gc-pause_truthful-release.json github.com/go-redsync/redsync/v4@v4.0.4
redsync-v4.0.3-extend trackrecord/redsync-v4.0.3 ^TestTrackRecord$ gc-pause_truthful-extend.json github.com/go-redsync/redsync/v4@v4.0.4
redsync-v4.18.1 adoption ^TestTrackRecord$/^redsync$ cancel_no-orphan.json
redislock-v0.10.0 adoption ^TestTrackRecord$/^redislock$ late-reply_truthful-acquire.json
redislock-v0.10.0-refresh adoption ^TestTrackRecord$/^refresh_of_redislock$ late-reply_truthful-extend.json
etcd-v3.6.16-lost-answer trackrecord/etcd-v3.6.16 ^TestTrackRecord$ lost-reply_no-orphan.json go.etcd.io/etcd/client/v3@v3.5.35,go.etcd.io/etcd/api/v3@v3.5.35,go.etcd.io/etcd/client/pkg/v3@v3.5.35
go-redis-v9.7.3 trackrecord/go-redis-v9.7.3 ^TestTrackRecord$ contention_progress.json github.com/redis/go-redis/v9@v9.8.0
go-redis-v9.17.3 trackrecord/go-redis-v9.17.3 ^TestTrackRecord$ failover-loss_progress.json github.com/redis/go-redis/v9@v9.18.0
go-redis-v9.23.0 trackrecord/go-redis-v9.23.0 ^TestTrackRecord$ failover-loss_progress.json
go-zookeeper-v1.0.4 adoption ^TestTrackRecord$/^orphan$ lost-reply_no-orphan.json
TABLE
if [ "$made" = 0 ]; then
	echo "tools/reports.sh: no report is called $*; docs/reports/README.md lists them" >&2
	exit 2
fi
exit $wrong
