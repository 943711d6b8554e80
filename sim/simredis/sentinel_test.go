package simredis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// usual is a primary with two replicas and three sentinels, as in the documentation: a second is a
// second, a server is down after one, and a step of a failover may take five.
func usual() Options {
	return Options{Replicas: 2, Sentinels: &Sentinels{FailoverTimeout: 5 * time.Second}}
}

// happening is an event of a sentinel in the log.
type happening struct {
	at                time.Duration
	who, event, about string
}

// happened are the events of sentinels.
func (x *player) happened() (list []happening) {
	for _, e := range x.report.Events {
		if e.Kind == sim.EventWork && strings.HasPrefix(e.Actor, "sentinel") && strings.ContainsAny(e.Detail[:1], "+-") {
			event, about, _ := strings.Cut(e.Detail, " ")
			list = append(list, happening{e.At, e.Actor, event, about})
		}
	}
	return list
}

// when are the moments of an event.
func (x *player) when(event string) (at []time.Duration) {
	for _, e := range x.happened() {
		if e.event == event {
			at = append(at, e.at)
		}
	}
	return at
}

// sentinel connects to the n-th sentinel, from 1.
func (x *player) sentinel(n int) *wire { return x.dial(x.cluster.Sentinels()[n-1].Address()) }

// TestSentinelsCalm: without a fault sentinels do nothing at all.
func TestSentinelsCalm(t *testing.T) {
	x := play(t, usual(), func(x *player) { x.pass(time.Minute) })
	if n := len(x.report.Events); n > 4 {
		t.Errorf("%d events in a minute in which nothing happens", n)
	}
}

// TestSentinelsReplaceACrashedPrimary: the course and the times of a crash, and of the old primary's
// return. The measured times of real ones are 1.0 to 1.2 s until it is down, and 10.7 s until it is a
// replica.
func TestSentinelsReplaceACrashedPrimary(t *testing.T) {
	const crash, back = time.Second, 21 * time.Second
	x := play(t, usual(), func(x *player) {
		x.until(crash)
		x.conduct(func(nodes []*Node) { nodes[0].Crash() })
		x.until(back)
		x.must(func(nodes []*Node) error { return x.cluster.Restart(nodes[0], KeptAll) })
		x.node(1).want("+OK\r\n", "SET", "k", "v") // it takes itself for a primary
		x.pass(15 * time.Second)
		x.conduct(func(nodes []*Node) {
			if nodes[0].IsPrimary() || nodes[0].Source() != x.cluster.Primary() {
				t.Error("the old primary has not become a replica of the new one")
			}
		})
		x.sentinel(1).want("*2\r\n$8\r\n10.0.1.3\r\n$4\r\n6379\r\n", "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster")
	})
	down, switched, converted := x.when("+sdown"), x.when("+switch-master"), x.when("+convert-to-slave")
	if d := down[0] - crash; d < time.Second || d > 1200*time.Millisecond {
		t.Errorf("down after %v", d)
	}
	// The leader publishes last: it waits for the replicas.
	if last := switched[2]; len(switched) != 3 || last-switched[1] < 200*time.Millisecond {
		t.Errorf("the sentinels announce the new primary at %v", switched)
	}
	if d := converted[0] - back; d < 10*time.Second || d > 11*time.Second {
		t.Errorf("the old primary is a replica after %v, want 10 to 11 s", d)
	}
}

// TestOldPrimaryWrites: a primary that was stopped for longer than the sentinels wait answers the
// clients that it has, for ten seconds, and then their connections end and their writes are lost.
func TestOldPrimaryWrites(t *testing.T) {
	var written, lost int
	play(t, usual(), func(x *player) {
		old := x.node(1)
		old.want("+OK\r\n", "SET", "before", "1")
		x.conduct(func(nodes []*Node) { nodes[0].Hang(3500 * time.Millisecond) })
		x.pass(3600 * time.Millisecond)
		for range 100 {
			if !strings.HasPrefix(old.do("INCR", "after"), ":") {
				break
			}
			written++
			x.pass(200 * time.Millisecond)
		}
		x.settle()
		for _, o := range x.seen {
			if o.Kind == model.RecordDropped && o.Key == "after" {
				lost++
			}
		}
	})
	if written < 45 || written > 55 || lost != 1 {
		t.Errorf("the old primary answered %d writes, 200 ms apart, want some 50, and dropped the key %d times", written, lost)
	}
}

// TestSentinelsSelect: the replica with the greatest offset is promoted, and of equals the one with the
// least run id.
func TestSentinelsSelect(t *testing.T) {
	for _, behind := range []int{0, 2, 3} { // the number of the node that lacks the last write
		x := play(t, usual(), func(x *player) {
			if behind > 0 {
				x.conduct(func(nodes []*Node) {
					cut := sim.Partition{A: []*sim.Actor{nodes[behind-1].Host.Actor}, B: []*sim.Actor{nodes[0].Host.Actor}}
					x.world.Network().Part(cut, time.Hour)
				})
			}
			x.primary().want("+OK\r\n", "SET", "k", "v")
			x.settle()
			x.conduct(func(nodes []*Node) { nodes[0].Crash() })
			x.pass(10 * time.Second)
		})
		want := map[int]string{0: "redis3", 2: "redis3", 3: "redis2"}[behind] // redis3 has the lesser run id
		if got := x.cluster.Primary().Name(); got != want {
			t.Errorf("node %d behind: %s was promoted, want %s", behind, got, want)
		}
	}
}

// TestSentinelsNeedAMajority: one of three that alone reaches the primary, or alone does not, changes nothing.
func TestSentinelsNeedAMajority(t *testing.T) {
	x := play(t, usual(), func(x *player) {
		x.conduct(func(nodes []*Node) {
			s := x.cluster.Sentinels()
			s[0].Crash()
			s[1].Crash()
			nodes[0].Crash()
		})
		x.sentinel(3).want("-NOQUORUM 1 usable Sentinels. Not enough available Sentinels to reach the specified quorum for this master. Not enough available Sentinels to reach the majority and authorize a failover\r\n", "SENTINEL", "CKQUORUM", "mymaster")
		x.pass(time.Minute)
	})
	if got := x.cluster.Primary().Name(); got != "redis1" || len(x.when("+odown")) > 0 {
		t.Errorf("%s is the primary, and the old one was objectively down at %v", got, x.when("+odown"))
	}
}

// later is a tape on which one sentinel's timers are as late as they can be.
type later struct{ late map[string]bool }

func (l later) Choose(d sim.Decision) int {
	if d.Kind == "fault:sentinel-timer" && l.late[d.Actor] {
		return d.Options - 1
	}
	return 0
}

// TestSentinelsTie: two sentinels that are late alike vote for themselves in one epoch, nobody wins, and
// they try again when twice the time of a failover has passed.
func TestSentinelsTie(t *testing.T) {
	o := usual()
	o.Sentinels.Count, o.Sentinels.Quorum = 2, 1
	x := playOn(t, later{}, o, func(x *player) {
		x.conduct(func(nodes []*Node) {
			// They do not reach each other, and each has to begin by itself.
			s := x.cluster.Sentinels()
			x.world.Network().Part(sim.Partition{A: []*sim.Actor{s[0].Host.Actor}, B: []*sim.Actor{s[1].Host.Actor}}, time.Hour)
			nodes[0].Crash()
		})
		x.pass(14 * time.Second)
	})
	tries, aborted, epochs := x.when("+try-failover"), x.when("-failover-abort-not-elected"), x.when("+new-epoch")
	if len(tries) != 4 || len(aborted) != 2 || len(epochs) != 4 || tries[2]-tries[0] < 10*time.Second {
		t.Errorf("tries at %v, given up at %v, epochs begun at %v", tries, aborted, epochs)
	}
	if slices.ContainsFunc(x.happened(), func(e happening) bool { return e.event == "+elected-leader" }) {
		t.Error("a sentinel leads with one of two votes")
	}
}

// TestSentinelsTilt: a sentinel that was stopped for longer than two seconds acts on nothing for thirty.
func TestSentinelsTilt(t *testing.T) {
	x := play(t, usual(), func(x *player) {
		x.conduct(func([]*Node) {
			for _, s := range x.cluster.Sentinels()[1:] {
				s.Hang(3 * time.Second)
			}
		})
		x.pass(4 * time.Second)
		x.conduct(func(nodes []*Node) { nodes[0].Crash() })
		x.pass(20 * time.Second)
		x.conduct(func([]*Node) {
			if x.cluster.Primary().Name() != "redis1" {
				t.Error("sentinels in tilt mode have replaced the primary")
			}
		})
		x.pass(40 * time.Second)
	})
	if x.cluster.Primary().Name() == "redis1" {
		t.Error("the primary is not replaced after tilt mode")
	}
}

// TestSentinelsReplaceTwice: when the new primary crashes as well, nobody waits for the time between two
// failovers of one primary.
func TestSentinelsReplaceTwice(t *testing.T) {
	x := play(t, usual(), func(x *player) {
		x.conduct(func(nodes []*Node) { nodes[0].Crash() })
		x.pass(5 * time.Second)
		x.conduct(func([]*Node) { x.cluster.Primary().Crash() })
		x.pass(5 * time.Second)
	})
	if tries := x.when("+try-failover"); len(tries) != 2 || tries[1] > 7*time.Second || x.cluster.Primary().Name() != "redis2" {
		t.Errorf("tries at %v, and %s is the primary", tries, x.cluster.Primary().Name())
	}
}

// TestSentinelsTiltWhileDown: sentinels that knew before tilt mode that the primary is down replace it after.
func TestSentinelsTiltWhileDown(t *testing.T) {
	o := usual()
	o.Replicas = 1
	x := play(t, o, func(x *player) {
		x.conduct(func(nodes []*Node) {
			nodes[1].Crash()
			nodes[0].Crash()
		})
		x.pass(3 * time.Second)
		x.conduct(func([]*Node) {
			for _, s := range x.cluster.Sentinels() {
				s.Hang(3 * time.Second)
			}
		})
		x.pass(4 * time.Second)
		x.must(func(nodes []*Node) error { return x.cluster.Restart(nodes[1], KeptAll) })
		x.pass(time.Minute)
	})
	if len(x.when("-failover-abort-no-good-slave")) == 0 || x.cluster.Primary().Name() != "redis2" {
		t.Errorf("%s is the primary; %v", x.cluster.Primary().Name(), x.happened())
	}
	for _, e := range x.happened() {
		if e.at > 6*time.Second+50*time.Millisecond && e.at < 36*time.Second && e.event != "+tilt" {
			t.Errorf("in tilt mode %s publishes %s", e.who, e.event)
		}
	}
}

// TestAuthorityReturns: a primary that is made to follow the one before it is the primary no more.
func TestAuthorityReturns(t *testing.T) {
	play(t, usual(), func(x *player) {
		x.conduct(func(nodes []*Node) {
			nodes[1].Elect(1)
			if x.cluster.Primary() != nodes[1] {
				t.Error("the elected node is not the primary")
			}
			nodes[1].Follow(nodes[0])
			if x.cluster.Primary() != nodes[0] || !nodes[0].IsPrimary() || nodes[1].IsPrimary() {
				t.Error("the node that the elected one follows is not the primary")
			}
		})
	})
}

// TestCrashLosesWhatIsHeld: what has arrived to a server that hangs is lost with its process.
func TestCrashLosesWhatIsHeld(t *testing.T) {
	play(t, usual(), func(x *player) {
		x.conduct(func(nodes []*Node) {
			nodes[1].Hang(time.Second)
			nodes[1].Do(func() { t.Error("a message of an earlier life is read") })
			nodes[1].Crash()
		})
		x.must(func(nodes []*Node) error { return x.cluster.Restart(nodes[1], KeptAll) })
		x.conduct(func(nodes []*Node) { nodes[1].Hang(time.Second) })
		x.pass(2 * time.Second)
	})
}

// TestSentinelAnswers are the answers of redis-sentinel 7.0.15, but for ids and times.
func TestSentinelAnswers(t *testing.T) {
	play(t, usual(), func(x *player) {
		s := x.sentinel(1)
		for _, test := range []struct{ command, want string }{
			{"PING", "+PONG\r\n"},
			{"ROLE", "*2\r\n$8\r\nsentinel\r\n*1\r\n$8\r\nmymaster\r\n"},
			{"SENTINEL GET-MASTER-ADDR-BY-NAME nope", "*-1\r\n"},
			{"SENTINEL CKQUORUM mymaster", "+OK 3 usable Sentinels. Quorum and failover authorization can be reached\r\n"},
			{"SENTINEL FAILOVER nope", "-ERR No such master with that name\r\n"},
			{"SENTINEL foo", "-ERR unknown subcommand 'foo'. Try SENTINEL HELP.\r\n"},
			{"SENTINEL", "-ERR wrong number of arguments for 'sentinel' command\r\n"},
			{"SENTINEL GET-MASTER-ADDR-BY-NAME", "-ERR wrong number of arguments for 'sentinel|get-master-addr-by-name' command\r\n"},
			{"SET a b", "-ERR unknown command 'SET', with args beginning with: 'a' 'b' \r\n"},
			{"SUBSCRIBE", "-ERR wrong number of arguments for 'subscribe' command\r\n"},
			{"SUBSCRIBE +switch-master", "*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n"},
		} {
			s.want(test.want, strings.Fields(test.command)...)
		}
		x.conduct(func([]*Node) { x.cluster.Sentinels()[0].Failover() })
		if got, want := s.reply(), "*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$36\r\nmymaster 10.0.1.1 6379 10.0.1.3 6379\r\n"; got != want {
			t.Errorf("the subscriber got %q, want %q", got, want)
		}
	})
}
