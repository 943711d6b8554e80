package builtin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/postgres/builtin"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// explored searches a lock behind a pooler.
func explored(t *testing.T, id, mode string, opts ...locktest.Option) locktest.Report {
	t.Helper()
	l, err := scenarios.Registry(builtin.Locks()).Lock(id)
	if err != nil {
		t.Fatal(err)
	}
	opts = append(opts, locktest.On(l.Store), locktest.Param("pooler", mode))
	if mode == "transaction" { // in the other mode each client has one
		opts = append(opts, locktest.Param("pooler-connections", "2"))
	}
	if l.Reading.Ownership != nil {
		opts = append(opts, locktest.Ownership(l.Reading.Ownership))
	}
	return locktest.ExploreSubject(t, l.Subject, opts...)
}

// TestBehindPooler: a session's lock is right behind a pooler in session mode, and those that end with their
// transaction, or need none, behind one in transaction mode, whatever happens to the pooler.
func TestBehindPooler(t *testing.T) {
	slowtest.SkipIfShort(t)
	for id, mode := range map[string]string{ // unordered: each by itself
		"pg-advisory": "session", "pg-advisory-xact": "transaction", "pg-row": "transaction", "pg-lease": "transaction", "pg-notify": "transaction",
		"pg-pessimistic": "transaction", "pg-optimistic": "transaction", "pg-skip-locked": "transaction",
	} {
		t.Run(id, func(t *testing.T) {
			r := explored(t, id, mode, locktest.Only("contention", "holder-crash", "cancel", "late-request", "node-restart"), locktest.Runs(40))
			for _, f := range r.Findings {
				if !f.Limit {
					wrong, steps := render.Brief(f.Trace)
					t.Errorf("%s under %s:\n%s", f.Property, f.Scenario, strings.Join(slices.Concat(wrong, steps), "\n"))
				}
			}
		})
	}
}

// TestSessionGivenAway: an advisory lock of a session is that of many behind a pooler in transaction mode. When a
// client is killed, the next one gets its session with the lock.
func TestSessionGivenAway(t *testing.T) {
	slowtest.SkipIfShort(t)
	r := explored(t, "pg-advisory", "transaction", locktest.Only("contention", "holder-crash"), locktest.Properties(checker.MutualExclusion), locktest.Runs(100))
	for _, result := range r.Results {
		if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Scenario == result.Scenario && !f.Limit }) {
			t.Errorf("%v", result)
		}
	}
}

// kinds are faults of locks that were reported, each with a scenario and the property that it violates.
var kinds = []struct{ lock, scenario, property string }{
	{"pg-lease-excluded", "late-request", checker.MutualExclusion},
	{"pg-advisory-pooler", "contention", checker.MutualExclusion},
	{"pg-advisory-cancelled", "cancel", checker.Progress},
	{"pg-advisory-pooled", "contention", checker.MutualExclusion},
	{"pg-advisory-conn-returned", "contention", checker.Progress},
	{"pg-lease-upsert", "gc-pause", checker.MutualExclusion},
	{"pg-election-excluded", "gc-pause", checker.MutualExclusion},
	{"pg-skip-locked-unlocked", "contention", checker.Linearizable},
}

// TestKinds: a search finds each of them.
func TestKinds(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, k := range kinds {
		t.Run(k.lock, func(t *testing.T) {
			l, err := scenarios.Registry(builtin.Locks()).Lock(k.lock)
			if err != nil {
				t.Fatal(err)
			}
			opts := []locktest.Option{locktest.On(l.Store), locktest.Only(k.scenario), locktest.Properties(k.property), locktest.Runs(200), locktest.Threads(max(l.Needs.Threads, 1))}
			if l.Reading.Ownership != nil {
				opts = append(opts, locktest.Ownership(l.Reading.Ownership))
			}
			for _, s := range l.Needs.Settings {
				opts = append(opts, locktest.Param(s.Name, setting(l, s)))
			}
			r := locktest.ExploreSubject(t, l.Subject, opts...)
			if len(r.Findings) != 1 || r.Findings[0].Limit {
				t.Errorf("%d findings, %v", len(r.Findings), r.Results[0])
			}
		})
	}
}

// setting returns the text of a setting's value.
func setting(l cell.Lock, s cell.OwnSetting) string {
	shape := l.Store.Shape()
	i := slices.IndexFunc(shape, func(d stage.Setting) bool { return d.Name == s.Name })
	return shape[i].Text(s.Value)
}
