package simredis

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim"
)

// oneGood is a primary with a replica, without which it takes no writes.
func oneGood() Options { return Options{Replicas: 1, MinReplicas: 1, MaxLag: time.Second} }

// someRequests are those of which a primary without its replica refuses some.
var someRequests = [][]string{
	{"SET", "k", "v"}, {"GET", "k"}, {"DEL", "k"}, {"PUBLISH", "c", "m"}, {"EVAL", "return redis.call('get', 'k')", "0"},
	{"EVAL", "return redis.call('set', 'k', 'v')", "0"}, {"EVAL", "return redis.pcall('set', 'k', 'v')", "0"},
	{"MULTI"}, {"GET", "k"}, {"EXEC"}, {"MULTI"}, {"SET", "k", "v"}, {"EXEC"}, {"WAIT", "1", "1"},
}

// TestTooFewReplicasFidelity: a primary without its replica refuses what a real one refuses, with the same
// errors, and takes writes when the replica is back.
func TestTooFewReplicasFidelity(t *testing.T) {
	realredis.Need(t)
	real := realredis.Start(t, "--min-replicas-to-write", "1", "--min-replicas-max-lag", "1")
	w := dialReal(t, real.Socket)
	ask := func(w *wire) (answers []string) {
		for _, words := range someRequests {
			answers = append(answers, w.do(words...))
		}
		return answers
	}
	want := ask(w)
	play(t, oneGood(), func(x *player) {
		w := x.primary()
		w.want("+OK\r\n", "SET", "before", "1")
		x.conduct(func(nodes []*Node) { nodes[1].Crash() })
		for i, got := range ask(w) {
			if got != want[i] {
				t.Errorf("%q answered %q, want %q", someRequests[i], got, want[i])
			}
		}
		x.must(func(nodes []*Node) error { return x.cluster.Rejoin(nodes[1]) })
		x.settle()
		w.want("+OK\r\n", "SET", "after", "1")
	})
	if refused := regexp.MustCompile("NOREPLICAS").FindAllString(strings.Join(want, ""), -1); len(refused) != 5 {
		t.Errorf("Redis itself refused %d requests of %q", len(refused), want)
	}
}

// TestExecTooFewReplicas: a transaction whose replica has gone meanwhile is discarded.
func TestExecTooFewReplicas(t *testing.T) {
	play(t, oneGood(), func(x *player) {
		w := x.primary()
		w.want("+OK\r\n", "MULTI")
		w.want("+QUEUED\r\n", "SET", "k", "v")
		x.conduct(func(nodes []*Node) { nodes[1].Crash() })
		w.want("-EXECABORT Transaction discarded because of: NOREPLICAS Not enough good replicas to write.\r\n", "EXEC")
		w.want("$-1\r\n", "GET", "k")
	})
}

// lagging is a tape on which a silent replica counts for as long as the option says.
type lagging int

func (l lagging) Choose(d sim.Decision) int {
	if d.Kind == LagTimer {
		return int(l)
	}
	return 0
}

// refusing is how long after a replica falls silent, in tenths of a second, the primary takes writes.
func refusing(t *testing.T, tape sim.Tape, silence func(x *player)) (tenths int) {
	playOn(t, tape, oneGood(), func(x *player) {
		c := x.primary()
		x.conduct(func([]*Node) { silence(x) })
		for ; tenths < 100 && c.do("SET", "k", "v") == "+OK\r\n"; tenths++ {
			x.pass(100 * time.Millisecond)
		}
	})
	return tenths
}

// TestReplicaFallsSilent: a replica that hangs, or is cut off, counts for up to three seconds more with a lag of
// one, as the tape decides.
func TestReplicaFallsSilent(t *testing.T) {
	hangs := func(x *player) { x.cluster.Nodes()[1].Hang(time.Minute) }
	cut := func(x *player) {
		n := x.cluster.Nodes()
		x.world.Network().Part(sim.Partition{A: []*sim.Actor{n[0].Host.Actor}, B: []*sim.Actor{n[1].Host.Actor}}, time.Hour)
	}
	for option, want := range []int{0, 10, 20, 30} {
		for name, silence := range map[string]func(*player){"hangs": hangs, "cut off": cut} { // unordered: runs of their own
			if got := refusing(t, lagging(option), silence); got < want-1 || got > want+1 {
				t.Errorf("option %d, %s: the primary takes writes for %d tenths of a second, want %d", option, name, got, want)
			}
		}
	}
}

// TestReplicaFallsSilentReal: a real primary does so within the same bounds when its replica is stopped. It looks
// once in ten rounds of its event loop, which a busy machine makes longer: that is what more attempts are for.
func TestReplicaFallsSilentReal(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	primary := realredis.Start(t, "--min-replicas-to-write", "1", "--min-replicas-max-lag", "1")
	replica := realredis.Start(t, "--replicaof", "127.0.0.1 "+primary.Port)
	w := dialReal(t, primary.Socket)
	takes := func(want bool) (after time.Duration) {
		for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
			if (w.do("SET", "k", "v") == "+OK\r\n") == want {
				return time.Since(began)
			}
		}
		t.Fatalf("the primary does not change in 30 seconds to taking writes: %v", want)
		return 0
	}
	takes(true)
	const need, attempts = 3, 12
	within := 0
	for range attempts {
		thaw := replica.Freeze(t)
		refuses := takes(false)
		thaw()
		t.Logf("refuses after %v, takes writes again after %v", refuses, takes(true))
		if refuses <= 3200*time.Millisecond {
			within++
		}
		if within == need {
			return
		}
	}
	t.Errorf("%d of %d times a real primary refused writes within 3.2 s after its replica had stopped, want %d", within, attempts, need)
}

// TestOldPrimaryRefuses: a primary that was stopped until another was promoted refuses writes when it goes on, where
// TestOldPrimaryWrites has one that takes them for ten seconds.
func TestOldPrimaryRefuses(t *testing.T) {
	o := usual()
	o.MinReplicas, o.MaxLag = 1, time.Second
	play(t, o, func(x *player) {
		old := x.node(1)
		old.want("+OK\r\n", "SET", "before", "1")
		x.conduct(func(nodes []*Node) { nodes[0].Hang(6 * time.Second) })
		x.pass(6100 * time.Millisecond)
		for range 20 {
			old.want("-NOREPLICAS Not enough good replicas to write.\r\n", "INCR", "after")
			x.pass(200 * time.Millisecond)
		}
		x.primary().want(":1\r\n", "INCR", "after")
	})
}
