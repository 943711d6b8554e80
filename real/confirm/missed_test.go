package confirm

import (
	"bytes"
	"net"
	"testing"

	"github.com/lockpick-dev/lockpick/real/internal/gate"
)

// TestMissed: a server that hung gets what it has missed in order, and nothing behind a request with an effect before that has been seen.
// What is behind a missed request on its connection stays behind it.
func TestMissed(t *testing.T) {
	d := &driver{plan: &plan{}, missed: map[string][]missed{}, hung: map[string]bool{"n": true}, effects: map[string]*request{}, seats: seats{}}
	d.authority = map[string]bool{"n": true}
	of := func(text string, k *link) *request {
		return &request{link: k, Message: Message{Bytes: []byte(text), Signature: text}}
	}
	mine, other := newRecorded("n"), newRecorded("n")
	first, idle, second, last := of("first", mine), of("idle", other), of("second", other), of("last", mine)
	d.let(first, true)
	d.let(idle, false)
	d.let(second, true)
	d.hung["n"] = false
	d.let(last, false) // its server goes on, and has not had what came before
	if pass, err := d.mayPass(of("", mine)); pass || err != nil {
		t.Errorf("what is behind a missed request passes: %v", err)
	}
	if pass, err := d.mayPass(of("", newRecorded("n"))); !pass || err != nil {
		t.Errorf("what is on another connection does not pass: %v", err)
	}
	sent := func() string { return mine.Server.(*recorded).String() + "," + other.Server.(*recorded).String() }
	for i, want := range []string{"first,", "first,", "first,idlesecond", "firstlast,idlesecond"} {
		if i != 1 { // the effect of the first has not been seen
			delete(d.effects, d.place("n"))
		}
		d.catchUp("n")
		if got := sent(); got != want {
			t.Errorf("step %d: sent %q, want %q", i, got, want)
		}
	}
	if d.hasMissed(last) || len(d.missed["n"]) > 0 {
		t.Error("something is left")
	}
}

// recorded is the server's end of a connection.
type recorded struct {
	net.Conn
	bytes.Buffer
}

func (r *recorded) Write(b []byte) (int, error) { return r.Buffer.Write(b) }
func (r *recorded) Read(b []byte) (int, error)  { return r.Buffer.Read(b) }

func newRecorded(node string) *link {
	return &link{Link: &gate.Link{Gate: &gate.Gate{}, Node: node, Server: &recorded{}}, asked: map[int]*request{}}
}

// TestMayWait: of requests that are alike, and wait at their server, one that waits in vain in the trace does not take the place of
// one that is granted later; and that one is held until its turn.
func TestMayWait(t *testing.T) {
	const asks = "wait"
	p := &plan{
		byServer: [][]string{{"n"}}, nodes: []string{"n"},
		steps:   []step{{kind: call, client: "c"}, {kind: returned, client: "d"}, {kind: executes, client: "c", node: "n", request: asks}},
		passing: []passing{{"c", "n", asks, 1}},
	}
	d := &driver{plan: p, seats: seats{}}
	r := func() *request {
		return &request{link: &link{Link: &gate.Link{Gate: &gate.Gate{Client: "c"}, Node: "n"}}, Message: Message{Signature: asks}}
	}
	if d.mayWait(r()) {
		t.Error("it passes before its place")
	}
	d.position = 1
	if !d.mayWait(r()) {
		t.Error("the one that waits in vain does not pass")
	}
	if d.mayWait(r()) {
		t.Error("the one that is granted passes before its turn")
	}
	d.position = 3
	if !d.mayWait(r()) {
		t.Error("one that the trace does not know is held")
	}
}
