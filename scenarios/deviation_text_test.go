package scenarios_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// played runs a cell that is calm but for the given choices.
func played(t *testing.T, c cell.Cell, choices ...sim.Choice) *explore.Recording {
	t.Helper()
	out := c.Run(explore.Run{Tape: explore.NewLenient(choices), Record: true})
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	return out.Recording
}

// everything is a cell with a budget for each kind of fault.
func everything(t *testing.T) cell.Cell {
	return cells.Of(t, "contention", "setpx", "replicas", "1", "failovers", "1", "pauses", "1", "delays", "1", "resets", "1",
		"partitions", "1", "restarts", "1")
}

// TestAttributionTextsOfTroubles: the same for faults of which each has a cell
// of its own, so that they do not stand in each other's way.
func TestAttributionTextsOfTroubles(t *testing.T) {
	const at = `\d\.\d{3,6}s`
	for _, test := range []struct {
		budget string
		choice sim.Choice
		want   string
	}{
		{"crashes", sim.Choice{Kind: "fault:crash", Actor: "c1", Occurrence: 8, Option: 1}, `c1 crashes at ` + at},
		{"skews", sim.Choice{Kind: "fault:skew", Actor: "clocks", Occurrence: 1, Option: 1}, `the clock of c2 is 2\.5s ahead`},
		{"skews", sim.Choice{Kind: "fault:skew", Actor: "clocks", Occurrence: 0, Option: 2}, `the clock of c1 is 2\.5s behind`},
		{"skews", sim.Choice{Kind: "fault:skew", Actor: "clocks", Occurrence: 2, Option: 3}, `the clock of c3 runs 20% slow`},
		{"skews", sim.Choice{Kind: "fault:skew", Actor: "clocks", Occurrence: 0, Option: 4}, `the clock of c1 runs 25% fast`},
		{"clock-jumps", sim.Choice{Kind: "fault:clock-jump", Actor: "c2", Occurrence: 8, Option: 2}, `the clock of c2 jumps 2\.5s back at ` + at},
		{"server-clock-jumps", sim.Choice{Kind: "fault:server-clock-jump", Actor: "redis1", Occurrence: 8, Option: 1}, `the clock of redis1 jumps 2\.5s ahead at ` + at},
		{"lost-replies", sim.Choice{Kind: "fault:lost-reply", Actor: "c1", Occurrence: 0, Option: 1}, `the segment from redis1 to c1 sent at ` + at + ` \(\+OK\) is lost with its connection`},
		{"late-replies", sim.Choice{Kind: "fault:late-reply", Actor: "redis1", Occurrence: 3, Option: 4}, `the segment from redis1 to c\d sent at ` + at + ` \(.*\) is late by 1\.1s`},
		{"late-requests", sim.Choice{Kind: "fault:late-request", Actor: "c1", Occurrence: 2, Option: 2}, `the segment from c1 to redis1 sent at ` + at + ` \(SET lock .*\) is late by 7s`},
		{"clean-restarts", sim.Choice{Kind: "fault:clean-restart", Actor: "clean-restarts", Occurrence: 20, Option: 1}, `redis1 crashes at ` + at + ` and restarts with all of its data`},
		{"hangs", sim.Choice{Kind: "fault:hang", Actor: "redis1", Occurrence: 4, Option: 3}, `redis1 hangs for 22s at ` + at},
	} {
		c := cells.Of(t, "contention", "setpx", test.budget, "1")
		if _, text, seq := describe(t, c, test.choice, "^"+test.want+"$"); seq == 0 {
			t.Errorf("%q shows in no event", text)
		}
		if list := strings.Join(c.Deviations(), "; "); !strings.HasSuffix(list, ", once at most") {
			t.Errorf("%s: not among %s", test.budget, list)
		}
	}
}

func TestAttributionTexts(t *testing.T) {
	c := everything(t)
	const at = `\d\.\d{3,6}s`
	for _, test := range []struct {
		choice sim.Choice
		want   string
	}{
		{sim.Choice{Kind: "fault:pause", Actor: "c1", Occurrence: 8, Option: 1}, `c1 pauses for 2\.5s at ` + at},
		{sim.Choice{Kind: "fault:pause", Actor: "c2", Occurrence: 8, Option: 5}, `c2 pauses for 900ms at ` + at},
		{sim.Choice{Kind: "fault:failover", Actor: "failover", Occurrence: 5, Option: 1}, `redis1 crashes at ` + at},
		{sim.Choice{Kind: "fault:reset", Actor: "resets", Occurrence: 20, Option: 1}, `the connection from c1 to redis1 is reset at ` + at},
		{sim.Choice{Kind: "fault:reset", Actor: "resets", Occurrence: 20, Option: 2}, `the connection from c2 to redis1 is reset at ` + at},
		{sim.Choice{Kind: "fault:restart", Actor: "restarts", Occurrence: 20, Option: 1}, `redis1 crashes at ` + at + ` and restarts with all of its data`},
		{sim.Choice{Kind: "fault:restart", Actor: "restarts", Occurrence: 20, Option: 2}, `redis1 crashes at ` + at + ` and restarts without what it wrote in the last second`},
		{sim.Choice{Kind: "fault:restart", Actor: "restarts", Occurrence: 20, Option: 3}, `redis1 crashes at ` + at + ` and restarts empty`},
		{sim.Choice{Kind: "fault:partition", Actor: "partitions", Occurrence: 20, Option: 1}, `a partition parts redis1, c1, c2 and c3 from redis2 at ` + at},
		{sim.Choice{Kind: "fault:partition", Actor: "partitions", Occurrence: 20, Option: 3}, `a partition parts redis1 and c2 from redis2, c1 and c3 at ` + at},
		{sim.Choice{Kind: "fault:partition", Actor: "partitions", Occurrence: 20, Option: 8}, `a partition parts redis1 from redis2, c1, c2 and c3 at ` + at},
		{sim.Choice{Kind: sim.Delay, Actor: "c1", Occurrence: 0, Option: 1}, `the segment from c1 to redis1 sent at 0\.000s \(opening a connection\) is late by 2s`},
		{sim.Choice{Kind: sim.Delay, Actor: "c1", Occurrence: 2, Option: 2}, `the segment from c1 to redis1 sent at ` + at + ` \(SET lock .*\) is late by 7s`},
		{sim.Choice{Kind: sim.Delay, Actor: "redis1", Occurrence: 6, Option: 1}, `the segment from redis1 to redis2 sent at ` + at + ` \(replicate lock\) is late by 2s`},
		{sim.Choice{Kind: sim.Latency, Actor: "redis1", Occurrence: 6, Option: 31}, `the segment from redis1 to redis2 sent at ` + at + ` \(replicate lock\) is slow by 1ms`},
		{sim.Choice{Kind: sim.Order, Actor: "world", Occurrence: 0, Option: 1}, `of 3 events due together at 0\.000s, c2's goes first`},
		{sim.Choice{Kind: sim.Order, Actor: "world", Occurrence: 2, Option: 2}, `of 3 events due together at ` + at + `, what comes from c3 to redis1 goes first`},
		{sim.Choice{Kind: sim.Delay, Actor: "c1", Occurrence: 9999, Option: 1}, `delay/c1#9999 takes option 1`},
		{sim.Choice{Kind: "fault:flood", Actor: "cellar", Option: 2}, `fault:flood/cellar#0 takes option 2`},
	} {
		choice, text, seq := describe(t, c, test.choice, "^"+test.want+"$")
		if named := strings.HasPrefix(text, string(choice.Kind)); named != (seq == 0) {
			t.Errorf("%s, %q: shows in event %d", choice.ID(), text, seq)
		}
	}
	choice := sim.Choice{Kind: sim.Delay, Actor: "c1", Option: 1}
	if text, seq := c.DeviationText(nil, choice); text != "delay/c1#0 takes option 1" || seq != 0 {
		t.Errorf("without a recording: %q, event %d", text, seq)
	}
}

// The decisions about the course of a partition are described by their effects.
func TestAttributionTextsOfAPartition(t *testing.T) {
	c := everything(t)
	strike := sim.Choice{Kind: "fault:partition", Actor: "partitions", Occurrence: 20, Option: 3}
	for _, test := range []struct {
		kind   sim.Kind
		option int
		want   string
	}{
		{"fault:partition-holds", 1, "the partition holds only what goes from redis1 and c2 to redis2, c1 and c3"},
		{"fault:partition-holds", 2, "the partition holds only what goes from redis2, c1 and c3 to redis1 and c2"},
		{"fault:partition-lasts", 2, "the partition lasts for 1.8s"},
		{"fault:partition-lasts", 1, "the partition lasts for 7s"},
		{"fault:partition-promotes", 1, "redis2 is promoted meanwhile"},
	} {
		course := sim.Choice{Kind: test.kind, Actor: "partitions", Option: test.option}
		r := played(t, c, strike, course)
		text, seq := c.DeviationText(r, course)
		if text != test.want || seq == 0 {
			t.Errorf("%s: %q, event %d, want %q", test.kind, text, seq, test.want)
		}
		if _, at := c.DeviationText(r, strike); at == 0 || at > seq {
			t.Errorf("%s: shows in event %d, the partition itself in %d", test.kind, seq, at)
		}
	}
}

// describe returns the first choice from the given one on that is described as wanted. Which
// one that is depends on the hand-shake of the go-redis at hand.
func describe(t *testing.T, c cell.Cell, choice sim.Choice, want string) (at sim.Choice, text string, seq int64) {
	t.Helper()
	var all []string
	for range 20 {
		text, seq = c.DeviationText(played(t, c, choice), choice)
		if regexp.MustCompile(want).MatchString(text) {
			return choice, text, seq
		}
		all = append(all, text)
		choice.Occurrence++
	}
	t.Errorf("nothing is described as %s, but\n%s", want, strings.Join(all, "\n"))
	return choice, text, seq
}

// A crash is described with what it cost only if that is what happened.
func TestAttributionTextOfALostWrite(t *testing.T) {
	c := everything(t)
	slow, _, _ := describe(t, c, sim.Choice{Kind: sim.Latency, Actor: "redis1", Option: sim.JitterSteps - 1}, "replicate lock")
	lost, kept := 0, 0
	for n := range 60 {
		crash := sim.Choice{Kind: "fault:failover", Actor: "failover", Occurrence: n, Option: 1}
		r := played(t, c, slow, crash)
		text, seq := c.DeviationText(r, crash)
		i := slices.IndexFunc(r.Events, func(e sim.Event) bool { return e.Seq == seq })
		if i < 0 || r.Events[i].Detail != "crash" {
			t.Fatalf("%s: %q, event %d", crash.ID(), text, seq)
		}
		dropped := slices.ContainsFunc(r.Events, func(e sim.Event) bool {
			return e.Kind == sim.EventDrop && e.Peer == "redis1" && e.Actor == "redis2" && e.Sent <= r.Events[i].At
		})
		if described := strings.HasSuffix(text, ", before its last write has reached redis2"); described != dropped {
			t.Errorf("%s: %q, though dropped: %v", crash.ID(), text, dropped)
		}
		lost, kept = lost+count(dropped), kept+count(!dropped)
	}
	if lost == 0 || kept == 0 {
		t.Errorf("%d lost, %d kept: one of them was not tested", lost, kept)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The segment that a text names must be the one that the choice made slow or
// late: the first that took longer than in the calm run.
func TestAttributionTextsNameTheRightSegment(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := everything(t)
	type way struct {
		from, to string
		sent     time.Duration
	}
	took := func(r *explore.Recording) map[way][]time.Duration {
		all := map[way][]time.Duration{}
		for _, e := range r.Events {
			w := way{e.Peer, e.Actor, e.Sent}
			all[w] = append(all[w], e.At-e.Sent)
		}
		return all
	}
	calm := played(t, c)
	calmly, named, asked := took(calm), 0, 0
	for _, choice := range calm.Choices {
		if choice.Kind != sim.Latency && choice.Kind != sim.Delay || choice.Occurrence > 30 {
			continue
		}
		for _, option := range []int{1, choice.Options - 1} {
			choice.Option = option
			asked++
			r := played(t, c, choice)
			text, seq := c.DeviationText(r, choice)
			if !strings.HasPrefix(text, "the segment from ") {
				continue
			}
			named++
			e := r.Events[slices.IndexFunc(r.Events, func(e sim.Event) bool { return e.Seq == seq })]
			if want := fmt.Sprintf("the segment from %s to %s sent at %s", choice.Actor, e.Actor, traces.Moment(e.Sent)); !strings.HasPrefix(text, want) {
				t.Errorf("%s: %q, want %s", choice.ID(), text, want)
			}
			w := way{e.Peer, e.Actor, e.Sent}
			if before := calmly[w]; len(before) == 0 || slices.Contains(before, e.At-e.Sent) && len(before) == 1 {
				t.Errorf("%s option %d: %q, which took %v, and in the calm run %v", choice.ID(), option, text, e.At-e.Sent, before)
			}
		}
	}
	t.Logf("%d of %d named", named, asked)
	if named*10 < asked*8 {
		t.Errorf("only %d of %d segments are named", named, asked)
	}
}

// TestAttributionTextOfUnread: what a paused client had not read when its connection
// was reset, and can read thereafter.
func TestAttributionTextOfUnread(t *testing.T) {
	c := cells.Of(t, "contention", "setpx", "pauses", "2", "resets", "20", "ttl", "1s")
	want := regexp.MustCompile(`^c\d can still read what had arrived from \S+ when the connection was reset at \d\.\d{3,6}s$`)
	for schedule := range 600 {
		r := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true}).Recording
		for _, choice := range r.Choices {
			if choice.Kind != sim.Unread || choice.Option == 0 {
				continue
			}
			got, _ := c.DeviationText(r, choice)
			if !want.MatchString(got) {
				t.Errorf("schedule %d: %q", schedule, got)
			}
			return
		}
	}
	t.Error("nothing was left to be read in any schedule")
}
