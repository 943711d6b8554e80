package simzk

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

// The real tick is so short that sessions can end within a script, and the
// simulated one so long that they can last as long as the real ones.
const (
	realTick      = 20 * time.Millisecond
	simulatedTick = 3 * time.Second
)

// onReal plays a script on a real server.
func onReal(server *realzk.Server, clients int, root string, script []command) []string {
	p := place{
		dial:  func(int) (net.Conn, error) { return net.Dial("tcp", server.Addr) },
		sleep: time.Sleep, tick: realTick,
	}
	return newPlayer(p, clients).play(root, script)
}

// onSimulated plays a script in a world, each client at another server of a new
// ensemble as long as there are enough.
func onSimulated(members, clients int, root string, script []command) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		e := New(w, Options{Members: members, Tick: simulatedTick}, func(model.Observation) {})
		process := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p := place{
			dial: func(client int) (net.Conn, error) {
				return process.DialContext(context.Background(), "tcp", e.Addresses()[client%members], time.Minute)
			},
			sleep: func(d time.Duration) { process.Step("sleep", d) },
			tick:  simulatedTick,
		}
		process.Go(func() { *lines = newPlayer(p, clients).play(root, script) })
	})
}

// difference is where two plays differ, with the lines of the command before it, or "".
func difference(got, want []string) string {
	return fidelity.Difference(got, want, func(line string) bool { return strings.HasPrefix(line, "client") })
}

// describe is a script in words.
func describe(script []command) string {
	var b strings.Builder
	for i, c := range script {
		if c.what == nothing {
			continue
		}
		fmt.Fprintf(&b, "%d: client %d: %v", i, c.client, c.what)
		for _, r := range c.requests {
			fmt.Fprintf(&b, " %v", r)
		}
		if c.watches != nil {
			fmt.Fprintf(&b, " %v", c.watches)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// String is the request with what matters of it.
func (r *request) String() string {
	text := fmt.Sprintf("%v(%q", r.op, r.path)
	switch r.op {
	case opMulti:
		text = fmt.Sprintf("multi(%v", r.ops)
	case opSetWatches, opSetWatches2:
		text = fmt.Sprintf("%v(%d, %q, %q, %q", r.op, r.lastZxid, r.dataWatches, r.existWatches, r.childWatches)
	case opCreate, opCreate2:
		text += fmt.Sprintf(", %q, %v, flags %d", r.data, r.acl, r.flags)
	case opSetData, opSetACL, opDelete, opCheck:
		text += fmt.Sprintf(", %q, %v, version %d", r.data, r.acl, r.version)
	}
	if r.watch {
		text += ", watch"
	}
	if r.malformed {
		text += ", malformed"
	}
	return text + ")"
}

// stage is a real server on which scripts are played, each below a znode of its own.
type stage struct {
	server *realzk.Server
	plays  int
}

// compare plays a script on the real server and on simulated ones, and returns
// where they differ, or "". When the machine is busy, a real server's sessions may
// end before their clients have come: then it plays it again.
func (s *stage) compare(clients int, script []command) (differs string) {
	return fidelity.Repeat(func() (differs string) {
		s.plays++
		root := fmt.Sprintf("/%06d", s.plays)
		script := below(root, script)
		want := onReal(s.server, clients, root, script)
		for _, members := range []int{1, 3} {
			if d := difference(onSimulated(members, clients, root, script), want); d != "" {
				differs = fmt.Sprintf("%d members:\n%s\n%s", members, d, describe(script))
			}
		}
		return differs
	})
}

// TestFidelity plays random scripts on a real server and on simulated ones, and
// compares what the clients are told line by line.
func TestFidelity(t *testing.T) {
	s := stage{server: realzk.Start(t, realTick)}
	fidelity.Check(t, func(rt *rapid.T) string {
		clients := rapid.IntRange(2, 3).Draw(rt, "clients")
		return s.compare(clients, drawScript(rt, 60, clients))
	})
}

// TestFidelityOfOrders compares the order of many children, and that in which
// the ephemeral znodes of a session end, as clients see it.
func TestFidelityOfOrders(t *testing.T) {
	s := stage{server: realzk.Start(t, realTick)}
	ask := func(client int, requests ...*request) command {
		return command{client: client, what: ask, requests: requests}
	}
	script := []command{ask(1, create("R/a", 0)), ask(1, create("R/some-other-name", 0))}
	for i := range 70 {
		script = append(script,
			ask(1, create("R/a/lock-", flagEphemeral|flagSequential), create(fmt.Sprintf("R/a/%x", i*i*7919), flagEphemeral)),
			ask(2, create(fmt.Sprintf("R/some-other-name/ü%d", i), flagEphemeral)))
		if i%3 == 1 {
			script = append(script, ask(2, remove(fmt.Sprintf("R/a/lock-%010d", i)), read(opGetChildren, "R/a")))
		}
	}
	for i := range 140 {
		for _, path := range []string{fmt.Sprintf("R/a/lock-%010d", i), fmt.Sprintf("R/a/%x", i*i*7919), fmt.Sprintf("R/some-other-name/ü%d", i)} {
			r := read(opExists, path)
			r.watch = true
			script = append(script, ask(0, r))
		}
	}
	script = append(script, ask(0, read(opGetChildren, "R/a"), read(opGetChildren2, "R/some-other-name")),
		command{client: 1, what: expire}, command{client: 2, what: finish},
		ask(0, read(opGetChildren2, "R/a"), create("R/a/x", 0), create("R/a/y", 0), create("R/a/lock-", flagSequential), read(opGetChildren, "R/a")))
	if d := s.compare(3, script); d != "" {
		t.Fatal(d)
	}
}

// TestFidelityOfNewEnsemble compares what a server has before anybody has written
// to it, the root with its own counter, and requests that are about the znodes
// which every server has.
func TestFidelityOfNewEnsemble(t *testing.T) {
	var script []command
	ask := func(requests ...*request) {
		script = append(script, command{what: ask, requests: requests})
	}
	for _, path := range []string{"/", "", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"} {
		for _, op := range []opcode{opExists, opGetData, opGetChildren, opGetChildren2, opGetACL, opSync} {
			r := read(op, path)
			r.watch = true
			ask(r)
		}
	}
	for _, path := range []string{"/zookeeper/config", "/zookeeper", "", "/", "/zookeeper/quota"} {
		ask(remove(path), set(path, -1), multi(check(path, 0)), create(path, 0), create(path+"/a", 0), create(path, flagSequential), create(path+"/", flagSequential))
		ask(read(opGetChildren2, path), read(opGetACL, path))
	}
	ask(multi(check("/", 1), set("/", 1), set("/", 2), create("/", flagSequential), create("/new-", flagSequential)), read(opGetChildren2, "/"))
	// One after the other: a server that has not yet carried out a change of the
	// root's ACL goes by the old one.
	ask(setACL("/", permRead|permAdmin))
	ask(create("/b", 0), remove("/a"), set("/", -1), setACL("/zookeeper/config", permAll))
	ask(setACL("/", permAll))
	ask(remove("/a"), read(opGetChildren2, "/"))
	want := onReal(realzk.Start(t, realTick), 1, "", script)
	for _, members := range []int{1, 3} {
		if d := difference(onSimulated(members, 1, "", script), want); d != "" {
			t.Errorf("%d members:\n%s", members, d)
		}
	}
}
