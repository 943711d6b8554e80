package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/arms"
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs"
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// TestMain serves the processes of tries: they are this test binary.
func TestMain(m *testing.M) {
	if did, err := trial.Main(os.Args[1:], bugs.All(), arms.All()); did || err != nil {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// bug returns the bug with an ID.
func bug(t *testing.T, id string) *trial.Bug {
	t.Helper()
	for _, b := range bugs.All() {
		if b.ID == id {
			return b
		}
	}
	t.Fatalf("there is no bug %q", id)
	return nil
}

// TestBugs: there are enough, over enough stores, and each is complete and has a name of its own.
func TestBugs(t *testing.T) {
	stores, seen := map[string]int{}, map[string]bool{}
	for _, b := range bugs.All() {
		if err := b.Check(); err != nil {
			t.Error(err)
		}
		if seen[b.ID] {
			t.Errorf("two bugs are called %s", b.ID)
		}
		seen[b.ID] = true
		store, _, _ := strings.Cut(b.ID, "-")
		stores[store]++
		switch {
		case b.Module != "":
			for _, name := range []string{"go.mod", "good.mod", "main.go"} {
				if _, err := os.Stat(filepath.Join(b.Module, name)); err != nil {
					t.Error(err)
				}
			}
		case b.Bad.Store.ID() != store:
			t.Errorf("%s is over %s", b.ID, b.Bad.Store.ID())
		case b.Bad.ID == b.Good.ID:
			t.Errorf("%s: both versions are %s", b.ID, b.Bad.ID)
		}
	}
	if len(seen) < 24 || len(stores) < 5 {
		t.Errorf("there are %d bugs over %v, want 24 over five stores", len(seen), stores)
	}
}

// try makes a try.
func try(t *testing.T, a trial.Arm, id, version string, limit time.Duration, replays int) *trial.Outcome {
	t.Helper()
	o, err := trial.Try(t.Context(), a, trial.NewJob(bug(t, id), version, 1, bugs.All()), limit, replays)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %s, %s: found %t in %.1f s, %d %s, %s: %s", a.ID(), id, version, o.Found, o.Seconds, o.Tried, o.Unit, o.Where, o.Sentence)
	return o
}

// TestLockpick: it finds a bug, which each replay shows, and nothing in the sound lock.
func TestLockpick(t *testing.T) {
	o := try(t, arms.Short(), "redis-two-step-release", trial.Bad, time.Minute, 3)
	if !o.Found || o.Shown != 3 || o.Where == "" || o.Sentence == "" {
		t.Errorf("%+v", o)
	}
	if o := try(t, arms.Short(), "redis-two-step-release", trial.Good, 20*time.Second, 0); o.Found || o.Tried == 0 {
		t.Errorf("the sound lock: %+v", o)
	}
}

// TestStress: each arm on a real server finds that DEL removes another's lock, in a bounded time, and nothing in the sound lock.
// Real servers decide when: on a machine without time it may be not found, which is logged.
func TestStress(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED, NOT PASSED: -short: tries on a real server take a minute")
	}
	realredis.Need(t)
	for _, a := range []trial.Arm{arms.Proxy(), arms.Chaos(), arms.Requests()} {
		o := try(t, a, "redis-del", trial.Bad, time.Minute, 0)
		switch {
		case o.Found && !strings.Contains(o.Sentence, "removed the lock of"):
			t.Errorf("%s: it is another bug: %s", a.ID(), o.Sentence)
		case !o.Found && o.Tried < 20:
			t.Errorf("%s: the clients acquired the lock %d times in a minute", a.ID(), o.Tried)
		case !o.Found:
			t.Logf("%s: not found in a minute, in %d acquisitions", a.ID(), o.Tried)
		}
		if o := try(t, a, "redis-del", trial.Good, 10*time.Second, 0); o.Found {
			t.Errorf("%s: the sound lock: %s", a.ID(), o.Sentence)
		}
	}
}
