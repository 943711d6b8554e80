package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// saidAt is what the account of an actor says of a moment, the end of all that happens then.
func saidAt(t *testing.T, p *picture.Picture, actor string, at time.Duration) string {
	t.Helper()
	for _, a := range (accounts{p}).all() {
		if a.name != actor {
			continue
		}
		var parts []string
		for _, turn := range a.turns {
			if turn.at.At > at {
				break
			}
			parts = nil
			for _, part := range turn.parts {
				parts = append(parts, part.text)
			}
		}
		return strings.Join(parts, "; ")
	}
	t.Fatalf("no account of %s", actor)
	return ""
}

// TestAccounts: what each client believes and what is true, at moments of a run in which they
// part.
func TestAccounts(t *testing.T) {
	p := picture.New(story.Of(sampletraces.GCPause()))
	for _, c := range []struct {
		at          time.Duration
		actor, want string
	}{
		{0, "c1", "does not believe that it holds the lock"},
		{3 * ms, "c1", "does not believe that it holds the lock; waits for the lock"},
		{50 * ms, "c1", "is paused; believes that it holds the lock"},
		{50 * ms, "c2", "does not believe that it holds the lock; waits for the lock"},
		{50 * ms, "redis1", "is primary; has c1's key lock = 9f2c41…, until 2.002732s"},
		{50 * ms, "redis2", "is replica; has c1's key lock = 9f2c41…, until 2.002732s"},
		{2010 * ms, "redis1", "is primary; has no key of the lock"},
		{2050 * ms, "c1", "is paused; believes that it holds the lock"},
		{2050 * ms, "c2", "believes that it holds the lock"},
		{2050 * ms, "redis1", "is primary; has c2's key lock = 41aa07…, until 4.031302s"},
		{2090 * ms, "c2", "does not believe that it holds the lock"},
		{2090 * ms, "register", "has the value 1, written by c2"},
	} {
		if got := saidAt(t, p, c.actor, c.at); got != c.want {
			t.Errorf("%s at %v: %q, want %q", c.actor, c.at, got, c.want)
		}
	}
}

// TestAccountsAgreeWithTheHistory: at every event the account of a client has a claim if and
// only if the history has one, and that of a node its records.
func TestAccountsAgreeWithTheHistory(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		p := picture.New(story.Of(sample.Make()))
		accounts := (accounts{p}).all()
		for _, e := range p.Trace.Events {
			now := model.Stamp{Seq: e.Seq, At: e.At}
			for _, a := range accounts {
				i, found := slices.BinarySearchFunc(a.turns, now, func(turn turn, at model.Stamp) int { return story.CompareStamps(turn.at, at) })
				if !found {
					i--
				}
				var said []string
				for _, part := range a.turns[max(i, 0)].parts {
					said = append(said, part.text)
				}
				text := strings.Join(said, "; ")
				claims := slices.ContainsFunc(p.Claims, func(c story.Claim) bool { return c.Acquire.Client == a.name && c.Covers(e.Seq) })
				if !a.isTrue && claims != strings.Contains(strings.ReplaceAll(text, "does not believe", ""), "believes that it holds") {
					t.Errorf("%s, event %d: claims %v, and the account of %s says %q", sample.Name, e.Seq, claims, a.name, text)
				}
				record := slices.ContainsFunc(p.Presences, func(h story.Presence) bool {
					return h.Node == a.name && p.IsLockKey(h.Key) && h.From.Seq <= e.Seq && e.Seq < h.To.Seq
				})
				if story.KindOf(p.Trace, a.name) == "node" && record == strings.Contains(text, "has no "+p.Terms.Record) {
					t.Errorf("%s, event %d: a record %v, and the account of %s says %q", sample.Name, e.Seq, record, a.name, text)
				}
			}
		}
	}
}

// TestAccountOfManyThreads: many that wait are told as one, and what has no room is counted.
func TestAccountOfManyThreads(t *testing.T) {
	s := sampletraces.NewStage("gc-pause", "setpx", 2)
	for i := range 12 {
		o := s.Call(ms, "c1", model.Acquire, nil)
		o.Thread = i
		if i >= 4 {
			s.Answer(2*ms, o, model.OK)
		}
	}
	p := picture.New(story.Of(s.Build()))
	if got := saidAt(t, p, "c1", 1*ms); got != "does not believe that it holds the lock; 12 threads wait for the lock" {
		t.Error(got)
	}
	got := saidAt(t, p, "c1", 3*ms)
	for _, want := range []string{"thread 5: believes", "thread 10: believes", "and 3 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	all := strings.Join(p.Omitted(), " ")
	for _, want := range []string{"c1 has 12 threads; the fourth row of its lane is of all from thread 4 on."} {
		if !strings.Contains(all, want) {
			t.Errorf("%q lacks %q", all, want)
		}
	}
}

// TestNoAccountWithoutTurns: who elects and what was printed have no account, which would have nothing at any moment.
func TestNoAccountWithoutTurns(t *testing.T) {
	trace := sampletraces.GCPause()
	trace.Actors = append(trace.Actors, traces.Actor{Name: "sentinel1", Kind: traces.ElectorActor, Noun: "sentinel"})
	trace.Remarks = []sim.Remark{{Seq: 1, At: time.Millisecond, Actor: "c1", Line: "hello"}}
	p := picture.New(story.Of(trace))
	accounts := (accounts{p}).all()
	if len(p.Lanes) != len(accounts)+2 {
		t.Errorf("%d lanes have %d accounts", len(p.Lanes), len(accounts))
	}
	for _, a := range accounts {
		if len(a.turns) == 0 {
			t.Errorf("%s has no turn", a.name)
		}
	}
}
