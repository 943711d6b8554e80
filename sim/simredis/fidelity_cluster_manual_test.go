package simredis

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim"
)

// orderedScene is a Redis Cluster, real or simulated, of three shards with a replica each: nodes 0, 2 and 4 are the masters.
type orderedScene struct {
	names  names
	dial   func(node int) *wire
	pass   func(time.Duration)
	freeze func(node int, d time.Duration)
	lines  []string
}

func (s *orderedScene) log(format string, args ...any) {
	s.lines = append(s.lines, s.names.neutral(fmt.Sprintf(format, args...)))
}

// ask sends a command to a node and notes the answer.
func (s *orderedScene) ask(node int, words ...string) string {
	w := s.dial(node)
	defer w.c.Close()
	got := w.do(words...)
	s.log("node %d> %s: %q", node, strings.Join(words, " "), got)
	return got
}

// role is what a node takes itself for.
func (s *orderedScene) role(node int) string {
	w := s.dial(node)
	defer w.c.Close()
	return strings.Fields(w.do("ROLE"))[2]
}

// becomes waits until a node is a master or a slave.
func (s *orderedScene) becomes(node int, role string) {
	for range 400 {
		if s.role(node) == role {
			s.log("node %d: %s", node, role)
			return
		}
		s.pass(25 * time.Millisecond)
	}
	s.log("node %d does not become a %s", node, role)
}

// settled waits until all that are asked know whom a node follows. Nodes hear of it with the next of each other's pings,
// seconds later; until then a master does not heed the order of a replica that it does not know for its own.
func (s *orderedScene) settled(replica, master int, asked ...int) {
	for range 800 {
		if !slices.ContainsFunc(asked, func(n int) bool { return s.follows(n, replica) != s.names.ids[master] }) {
			return
		}
		s.pass(25 * time.Millisecond)
	}
	s.log("it is not known to all that node %d follows node %d", replica, master)
}

// follows is the id of whom a node takes another to follow.
func (s *orderedScene) follows(asked, node int) string {
	w := s.dial(asked)
	defer w.c.Close()
	for line := range strings.Lines(w.do("CLUSTER", "NODES")) {
		if words := strings.Fields(line); len(words) > 3 && words[0] == s.names.ids[node] {
			return words[3]
		}
	}
	return ""
}

// pending is a command that may not be answered at once.
type pending struct {
	node  int
	words []string
	wire  *wire
}

func (s *orderedScene) begin(node int, words ...string) *pending {
	p := &pending{node, words, s.dial(node)}
	for words := range strings.SplitSeq(strings.Join(words, " "), " ; ") {
		p.wire.send(encode(parseSteps(words)[0].words...))
	}
	return p
}

// look notes the answers that have come.
func (s *orderedScene) look(p *pending) {
	var answers []string
	for {
		_ = p.wire.c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		b, err := readReply(p.wire.r)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			answers = append(answers, err.Error())
			break
		}
		answers = append(answers, string(b))
	}
	s.log("node %d> %s: %q", p.node, strings.Join(p.words, " "), answers)
}

// lookAll notes the answers of several.
func (s *orderedScene) lookAll(list []*pending) {
	for _, p := range list {
		s.look(p)
	}
}

// play tells of manual failovers of every kind.
func (s *orderedScene) play() {
	for _, words := range []string{"CLUSTER FAILOVER", "CLUSTER FAILOVER FORCE", "CLUSTER FAILOVER TAKEOVER", "CLUSTER FAILOVER SOON"} {
		s.ask(0, strings.Fields(words)...)
	}
	for _, words := range []string{"CLUSTER FAILOVER SOON", "CLUSTER FAILOVER FORCE TAKEOVER"} {
		s.ask(1, strings.Fields(words)...)
	}
	s.ask(0, "SET", "{b}k", "v")
	s.pass(50 * time.Millisecond)

	s.log("-- the master holds writes back until its replica has the votes")
	s.freeze(2, 4*time.Second)
	s.freeze(4, 4*time.Second)
	s.ask(1, "CLUSTER", "FAILOVER")
	s.pass(200 * time.Millisecond)
	var held []*pending
	for _, words := range []string{
		"GET {b}k", "SET {b}k w", "DEL {b}none ; GET {b}k", "GET {a}k", "SET {a}k w", "EVAL |return 1| 0", "EVAL |return 1| 1 {b}k", "EVAL_RO |return 1| 0",
		"PUBLISH ch m", "SPUBLISH {b}ch m", "MULTI ; GET {b}k ; EXEC", "MULTI ; SET {b}k w ; EXEC", "WATCH {b}k", "SUBSCRIBE ch", "PING", "WAIT 0 10",
		"PEXPIRE {b}k 10", "SCRIPT LOAD |return 2|", "EVALSHA 7f923f79fe76194c868d7e1d0820de36700eb649 1 {b}k", "CLUSTER FAILOVER",
	} {
		held = append(held, s.begin(0, words))
	}
	s.lookAll(held)
	s.becomes(1, "master")
	s.becomes(0, "slave")
	s.pass(300 * time.Millisecond)
	s.lookAll(held)
	s.ask(1, "GET", "{b}k")
	s.ask(0, "GET", "{b}k")
	s.ask(0, "SET", "{b}k", "x")

	s.log("-- without votes the order comes to nothing, after five seconds")
	s.settled(0, 1, 1, 2, 4)
	s.freeze(2, 6*time.Second)
	s.freeze(4, 6*time.Second)
	s.ask(0, "CLUSTER", "FAILOVER")
	s.pass(3 * time.Second) // not longer: a busy machine is late
	set := s.begin(1, "SET {b}k y")
	s.look(set)
	s.pass(3 * time.Second)
	s.look(set)
	s.log("node 0: %s, node 1: %s", s.role(0), s.role(1))

	s.log("-- a replica does not wait for its master if it is forced")
	s.settled(0, 1, 1, 2, 4)
	s.freeze(1, 4*time.Second)
	s.ask(0, "CLUSTER", "FAILOVER")
	s.pass(500 * time.Millisecond)
	s.log("node 0: %s", s.role(0))
	s.ask(0, "CLUSTER", "FAILOVER", "FORCE")
	s.becomes(0, "master")
	s.ask(0, "SET", "{b}k", "z")
	s.becomes(1, "slave")

	s.log("-- or for votes if it takes over")
	s.settled(1, 0, 0, 2, 4)
	s.freeze(2, 2*time.Second)
	s.freeze(4, 2*time.Second)
	s.ask(1, "CLUSTER", "FAILOVER", "TAKEOVER")
	s.ask(1, "SET", "{b}k", "taken")
	s.becomes(0, "slave")
	s.pass(3 * time.Second)
	s.ask(2, "GET", "{b}k")
}

// TestClusterOrdersFidelity: replicas take their masters' places by order as real ones do: what is held back meanwhile and what is not, what is
// answered then, and what comes to nothing.
func TestClusterOrdersFidelity(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	c := startRealCluster(t, 15*time.Second)
	real := orderedScene{names: c.names, dial: func(node int) *wire { return c.dial(c.nodes[node]) }, pass: time.Sleep,
		freeze: func(node int, d time.Duration) { time.AfterFunc(d, c.nodes[node].Freeze(t)) }}
	real.play()
	simulated := simulateOrders(t, nil)
	if !slices.Equal(simulated, real.lines) {
		for i := range max(len(simulated), len(real.lines)) {
			got, want := lineAt(simulated, i), lineAt(real.lines, i)
			if got != want {
				t.Errorf("line %d is\n\t%s\nbut of real nodes\n\t%s", i, got, want)
			}
		}
	}
	t.Log(strings.Join(real.lines, "\n"))
}

func lineAt(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "(none)"
}

// simulateOrders plays the scene with simulated nodes.
func simulateOrders(t *testing.T, tape sim.Tape) []string {
	s := orderedScene{}
	playShards(t, ShardsOptions{Replicas: 1}, tape, func(x *shardsPlayer) {
		s.names, s.dial, s.pass = x.names(), x.node, x.pass
		s.freeze = func(node int, d time.Duration) { x.conduct(func(n []*Node) { n[node].Hang(d) }) }
		s.play()
	})
	return s.lines
}
