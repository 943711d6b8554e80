package simredis

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// counted is a script with commands that fail, that are refused, that scripts call and that transactions queue.
const counted = `
	SET k v
	GET k
	get k
	GET
	LPUSH k a
	NOSUCH k
	CLIENT SETNAME a
	CLIENT NOSUCH
	EVAL |redis.call('set', KEYS[1], 1) return redis.pcall('lpush', KEYS[1], 1)| 1 k
	EVAL |redis.call('nosuch')| 0
	EVAL |return redis.pcall('get')| 0
	EVAL |redis.call('lpush', KEYS[1], 1)| 1 k
	EVAL_RO |return redis.call('set', KEYS[1], 1)| 1 k
	EVAL |return redis.call('multi')| 0
	EVALSHA x 0
	MULTI
	INCR k
	GET
	LPUSH k 1
	EXEC
	MULTI
	INCR k
	LPUSH k 1
	EXEC
	DISCARD
	INFO replication
	EXPIRE k 1 FOO
	AUTH a
	SUBSCRIBE a
	GET k
	UNSUBSCRIBE`

// TestCommandCounts compares the counts of INFO commandstats with a real server's.
func TestCommandCounts(t *testing.T) {
	counts := func(w *wire) []string {
		for _, s := range parseSteps(counted) {
			w.do(s.words...)
		}
		var lines []string
		times := regexp.MustCompile(`usec=\d+,usec_per_call=[\d.]+,`)
		for line := range strings.Lines(times.ReplaceAllString(w.do("INFO", "commandstats"), "")) {
			if strings.HasPrefix(line, "cmdstat_") && !strings.HasPrefix(line, "cmdstat_config") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		slices.Sort(lines)
		return lines
	}
	real := dialReal(t, realredis.Start(t).Socket)
	real.do("CONFIG", "RESETSTAT")
	want := counts(real)
	var got []string
	play(t, Options{}, func(x *player) {
		got = counts(x.primary())
		if info := x.primary().do("INFO"); strings.Contains(info, "cmdstat") {
			t.Errorf("INFO without a section has those of commands: %s", info)
		}
	})
	if !slices.Equal(got, want) {
		t.Errorf("the counts are\n%s\nand Redis's\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
