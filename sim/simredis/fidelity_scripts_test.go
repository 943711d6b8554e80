package simredis

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/realredis"
)

// lockScripts are the scripts of the locks, by the names of their files, and
// what they are called with: keys, a bar, arguments.
var lockScripts = map[string]string{
	"acquire_fenced":     "K K | V MILLIS",
	"add_if_absent":      "K | V MILLIS",
	"compare_and_delete": "K | V",
	"compare_and_expire": "K | V MILLIS",

	// Those of Redisson's family that answer no times. What they put into a
	// hash or a sorted set lasts.
	"reentrant_release": "K | MILLIS V COUNT V",
	"reentrant_renew":   "K | MILLIS V",
	"fair_release":      "K K K | MILLIS V COUNT V",
	"semaphore_acquire": "K | V MANY COUNT",
	"semaphore_release": "K | V V",
	"semaphore_used":    "K |",
	"latch_set":         "K | COUNT V",
	"latch_count_down":  "K | V V",
	"latch_count":       "K |",
	"barrier_await":     "K K K | V COUNT COUNT 100000 V",
	"barrier_leave":     "K K K | V COUNT",
	"segment_fill":      "K K | COUNT COUNT",
	"segment_left":      "K K |",
	"segment_take":      "K K K | V MILLIS COUNT",
}

// around are what locks, and those who look at them, do besides.
var around = strings.Split(`GET K
DEL K
SET K V NX PX MILLIS
SET K V NX
SETNX K V
SET K COUNT
HSET K V COUNT
RPUSH K V
GETSET K V
INCR K
PEXPIRE K MILLIS
PERSIST K
LPUSH K V
WATCH K
MULTI
EXEC
UNWATCH`, "\n")

// TestFidelityScripts runs the locks' own scripts, and what goes with them, in
// any order and on two connections.
func TestFidelityScripts(t *testing.T) {
	socket := realredis.Start(t).Socket
	fillings := map[string]*rapid.Generator[string]{
		"K": someKey, "V": rapid.SampledFrom([]string{"x", "y"}),
		"MANY":   rapid.SampledFrom([]string{"1", "2"}),
		"COUNT":  rapid.SampledFrom([]string{"0", "1", "2"}),
		"MILLIS": rapid.SampledFrom([]string{"100000", "200000", "300000", "0", "-1", "x"}),
	}
	var forms []string
	sources := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(lockScripts)) {
		source, err := os.ReadFile(filepath.Join("..", "..", "lock", "redislocks", "scripts", name+".lua"))
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(source)
		forms = append(forms, name+" "+lockScripts[name])
	}
	property := func(rt *rapid.T) {
		var steps []step
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			pool := forms
			if rapid.Bool().Draw(rt, "around") {
				pool = around
			}
			words := strings.Fields(rapid.SampledFrom(pool).Draw(rt, "form"))
			for i, w := range words {
				if g := fillings[w]; g != nil {
					words[i] = g.Draw(rt, w)
				}
			}
			if source, ok := sources[words[0]]; ok {
				keys, arguments, _ := strings.Cut(strings.Join(words[1:], " "), " |")
				count := string(rune('0' + len(strings.Fields(keys))))
				words = append([]string{"EVAL", source, count}, strings.Fields(keys+" "+arguments)...)
			}
			// What is left of a TTL is looked at in no transaction: near is enough.
			steps = append(steps, step{rapid.IntRange(0, 1).Draw(rt, "conn"), words}, step{2, []string{"PTTL", someKey.Draw(rt, "look")}})
		}
		if d := compare(t, socket, steps); d != "" {
			rt.Fatal(d)
		}
	}
	for range rounds() {
		rapid.Check(t, property)
	}
}
