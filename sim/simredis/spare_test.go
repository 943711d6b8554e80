package simredis

import (
	"fmt"
	"testing"
)

// spoilers are ways for a script to leave something behind that a later one could see.
var spoilers = []string{
	"rawset(_G, 'x', 1)",
	"table.insert(redis, 1)",
	"rawset(string, 'rep', 1)",
	"getfenv(pcall).x = 1",
	"getfenv(pcall).tonumber = nil",
	"getfenv(pcall).redis = {}",
	"getmetatable('').rep = nil",
	"getmetatable('').__index = {}",
	"getmetatable('').x = 1",
	"setmetatable(getmetatable(''), {})",
	"setfenv(getfenv(pcall).tonumber, {})",
	"setfenv(0, {})",
	"error('spoilt')",
}

// TestHarmless: only scripts that cannot change what they share need not be compared.
func TestHarmless(t *testing.T) {
	for script, want := range map[string]bool{
		"return 1": true,
		"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0": true,
		"local t = {1, 2} for i, v in ipairs(t) do redis.call('SET', KEYS[1], v + #t) end":             true,
		"local f = function() return redis.call('GET', KEYS[1]) end return f()":                        true,
		"x = 1":                     false,
		"redis.x = 1":               false,
		"local k = 'x' KEYS[k] = 1": false,
		"local f = function() redis.x = 1 end f()":                                    false,
		"local f = function() return function() table.insert(redis, 1) end end f()()": false,
	} {
		code, err := compile(script, chunk)
		if err != nil {
			t.Fatal(err)
		}
		if got := harmless(code); got != want {
			t.Errorf("%s: harmless: %t, want %t", script, got, want)
		}
	}
	for _, script := range spoilers {
		if code, err := compile(script, chunk); err != nil || harmless(code) {
			t.Errorf("%s: it is harmless (%v)", script, err)
		}
	}
}

// TestInterpretersAreAsNew runs scripts that spoil the interpreter they have:
// the next run must not get it. One whose scripts did not does.
func TestInterpretersAreAsNew(t *testing.T) {
	spare, lent = nil, nil
	eval := func(script string) (used *interpreter, reply string) {
		play(t, Options{}, func(x *player) {
			reply = fmt.Sprint(x.primary().do("EVAL", script, "1", "k", "v"))
			used = x.cluster.Primary().lua
		})
		takeBack()
		return used, reply
	}
	good := "redis.call('SET', KEYS[1], ARGV[1]) return math.random(1000)"
	first, reply := eval(good)
	if again, same := eval(good); again != first || same != reply {
		t.Errorf("an interpreter that was only used was not used again, or answered otherwise: %s, then %s", reply, same)
	}
	for _, script := range spoilers {
		spoilt, _ := eval(script)
		if next, same := eval(good); next == spoilt || same != reply {
			t.Errorf("%s: the next run has the interpreter (%v), and its script answers %s instead of %s", script, next == spoilt, same, reply)
		}
	}
}
