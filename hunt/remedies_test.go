package hunt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestRemediesSayWhatTheyAreWorth: a lock that tells no end cannot be overrun, so
// it is no remedy; and a lease that outlasts every pause there is helps, which is
// said with it.
func TestRemediesSayWhatTheyAreWorth(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := cells.Of(t, "gc-pause", "pull", "clients", "1", "rounds", "1")
	var found *explore.Result
	q := explore.Request{Cell: c.Encode(), Seed: 1, Count: 500, Record: true}
	err := cells.Worker(t, 1).Do(t.Context(), q, func(r explore.Result) bool {
		if r.Violates(checker.Overrun) {
			found = &r
		}
		return found == nil
	})
	if err != nil || found == nil {
		t.Fatalf("no overrun was found: %v", err)
	}
	a := attribute(t, c, checker.Overrun, found.Recording.Choices, found.Outcome(), 8)
	said := map[string]string{}
	for _, r := range a.Remedies {
		said[r.Text] = r.Except + r.Note
		if r.Except != "" && (r.Gone || r.Schedules > 0) {
			t.Errorf("%s does not apply, and was searched: %+v", r.Text, r)
		}
	}
	for text, want := range map[string]string{
		fenced: "No lease that tells its end was used for an access.",
		waits:  "No lease that tells its end was used for an access.",
		longer: outlasts(8 * time.Second),
	} {
		if said[text] != want {
			t.Errorf("%s: %q, want %q", text, said[text], want)
		}
	}
	if s := story.AttributionSentence(a, nil); strings.Contains(s, "Gone with "+waits) || !strings.Contains(s, "Does not apply: "+waits+" (No lease") {
		t.Errorf("%s", s)
	}
}

// outlasts is what is said of a lease that is longer than every pause: with newer
// versions of go-redis, twice whose time-out is ten seconds, nothing.
func outlasts(lease time.Duration) string {
	most := max(7*time.Second, 2*redis.Store.Timing().Timeout)
	if lease <= most {
		return ""
	}
	return fmt.Sprintf("a lease of %v is longer than any fault here lasts (%v at most): this says nothing about longer ones", lease, most)
}

// TestRemediesThatApply: against what a lock without an end can have, too, all are
// searched, and nothing is said of a lease that does not outlast what may happen.
func TestRemediesThatApply(t *testing.T) {
	for _, test := range []struct {
		params []string
		note   string
	}{
		{nil, outlasts(8 * time.Second)},
		{[]string{"lease", "1s"}, ""}, // four seconds, and pauses of up to seven
		{[]string{"hangs", "1"}, ""},  // of up to 22 seconds
		{[]string{"pauses", "0", "crashes", "1"}, ""},
	} {
		c := cells.Of(t, "gc-pause", "setpx", test.params...)
		for _, r := range hunt.Remedies(c, checker.MutualExclusion, builtin.Locks()) {
			if r.Lease == 0 {
				continue
			}
			if got := hunt.RemedyNote(r); got != test.note {
				t.Errorf("%q: %q, want %q", test.params, got, test.note)
			}
		}
	}
}

// TestLongerLeaseOfNone: a lock whose record has no end has no lease that could be longer. One
// that keeps the end in the record's value has, and so has one that leaves it to the store.
func TestLongerLeaseOfNone(t *testing.T) {
	h := &explore.Hand{Worker: cells.Worker(t, 1)}
	defer h.Close()
	for lock, want := range map[string]string{
		"setnx":               "what this lock keeps does not depend on the lease, and does not end by itself",
		"setnx-timestamp-del": "",
		"setpx":               "",
	} {
		c := cells.Of(t, "partition", lock)
		var asked int
		for _, r := range hunt.Remedies(c, checker.MutualExclusion, nil) {
			if r.Lease == 0 {
				continue
			}
			asked++
			if got, err := hunt.RemedyExcept(t.Context(), h, c, r, checker.MutualExclusion); err != nil || got != want {
				t.Errorf("%s: %q, want %q (%v)", lock, got, want, err)
			}
		}
		if asked != 1 {
			t.Errorf("%s has %d remedies with a longer lease, want 1", lock, asked)
		}
	}
}

// TestRemedyThatPromisesNothing: a lock that does not promise a property is not judged by it, and so is no remedy. It is one
// against what is judged of both.
func TestRemedyThatPromisesNothing(t *testing.T) {
	h := &explore.Hand{Worker: cells.Worker(t, 1)}
	defer h.Close()
	c := cells.Of(t, "contention", "pull-hotspot-early")
	for property, want := range map[string]string{checker.VainRequest: "The lock does not promise it.", checker.MutualExclusion: ""} {
		asked := 0
		for _, r := range hunt.Remedies(c, checker.MutualExclusion, builtin.Locks()) {
			asked++
			if got, err := hunt.RemedyExcept(t.Context(), h, c, r, property); err != nil || got != want {
				t.Errorf("%s, %s: %q, want %q (%v)", property, r.Text, got, want, err)
			}
		}
		if asked == 0 {
			t.Error("the cell has no remedies")
		}
	}
}

// TestRemediesOfRelease: against a release that removes the lock of another, a lock that releases in one step is a remedy in each
// scenario, and one that is named by what has nothing to do with releases is none. Against two holders it is one.
func TestRemediesOfRelease(t *testing.T) {
	c := cells.Of(t, "gc-pause", "setpx-del")
	for property, want := range map[string][]string{ // unordered: each by itself
		checker.OwnerOnlyRelease: {atomic, longer},
		checker.MutualExclusion:  {fenced, longer, waits},
	} {
		var got []string
		for _, r := range hunt.Remedies(c, property, builtin.Locks()) {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", property, got, want)
		}
	}
}

// TestRemedyIsNamedByItsCures: a lock that cures two flaws is tried once, and named by those that the other lock may have.
func TestRemedyIsNamedByItsCures(t *testing.T) {
	for lock, want := range map[string]string{"setpx-twostep": atomic, "setnx": "setpx (its key expires, releases by one script)"} {
		list, err := hunt.DistinctRemedies(t.Context(), cells.Of(t, "lost-reply", lock), hunt.AttributeOptions{Worker: cells.Worker(t, 1), Locks: builtin.Locks()})
		if err != nil {
			t.Fatal(err)
		}
		var setpx []string
		for _, r := range list {
			if r.Cell.Lock.ID == "setpx" {
				setpx = append(setpx, r.Text)
			}
		}
		if !slices.Equal(setpx, []string{want}) {
			t.Errorf("%s: %q, want %q", lock, setpx, want)
		}
	}
}
