package zookeeper

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

func frameOf(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int32:
			b = binary.BigEndian.AppendUint32(b, uint32(p))
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(p))
		case string:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(p))), p...)
		}
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// TestRequestsUnderWay: requests of callers count from when they are sent until their answers
// are read, however these are cut into pieces.
func TestRequestsUnderWay(t *testing.T) {
	const opPing = int32(11)
	var r requests
	for _, step := range []struct {
		what string
		sent []byte
		want int
	}{
		{"the session", frameOf(int32(0), int64(0), int32(2000), int64(0), "password"), 0},
		{"a request", frameOf(int32(1), opExists, "/a"), 1},
		{"another", frameOf(int32(2), opExists, "/b"), 2},
		{"a ping", frameOf(int32(-2), opPing), 0},
		{"watches", frameOf(int32(3), opSetWatches, int64(7), int32(0), int32(0), int32(0)), 0},
		{"a third", frameOf(int32(4), opExists, "/c"), 3},
	} {
		if got, _ := r.sent(step.sent); got != step.want {
			t.Errorf("%s: %d requests are under way, want %d", step.what, got, step.want)
		}
	}
	reply := func(xid int32) []byte { return frameOf(xid, int64(7), int32(0), "and more") }
	for _, b := range bytes.Join([][]byte{reply(1), reply(-2), reply(2)}, nil) {
		r.answered([]byte{b})
	}
	r.answered(append(reply(4), reply(5)[:6]...))
	if len(r.underWay) > 0 {
		t.Errorf("all are answered, and %v are under way", r.underWay)
	}
}

// TestWatched: a node that is watched twice before its event is noted as nondeterminism, whatever asks for it.
func TestWatched(t *testing.T) {
	set := func(op int32, path string) []byte {
		b := frameOf(int32(1), op, path)
		b = append(b, 1)
		binary.BigEndian.PutUint32(b, uint32(len(b)-4))
		return b
	}
	event := func(path string) []byte {
		return frameOf(eventNumber, int64(7), int32(0), int32(2), int32(3), path)
	}
	w := new(watched)
	r := requests{onEvent: w.onEvent}
	for _, step := range []struct {
		what  string
		frame []byte
		twice bool
	}{
		{"one", set(opExists, "/a"), false},
		{"another node", set(opGetData, "/b"), false},
		{"no watch", frameOf(int32(2), opGetChildren, "/a"), false},
		{"another operation", set(5, "/a"), false},
		{"the same node", set(opGetChildren2, "/a"), true},
		{"after its event", nil, false},
		{"once more", set(opGetData, "/a"), false},
		{"and twice", set(opGetData, "/a"), true},
		{"a length too long", append(frameOf(int32(1), opExists, int32(99)), 1), false},
	} {
		if step.frame == nil {
			for _, b := range append(event("/a"), event("/other")...) {
				r.answered([]byte{b})
			}
			continue
		}
		if got := w.ask(step.frame); got != step.twice {
			t.Errorf("%s: %v, want %v", step.what, got, step.twice)
		}
	}
	if n := w.end(); n != 2 {
		t.Errorf("%d nodes are watched, want 2", n)
	}
	if n := w.end(); n != 0 {
		t.Errorf("%d nodes are watched when the session is over", n)
	}
}

// TestWatchesAreSetInOrder: a frame that sets watches has its paths sorted, and any other is
// left as it is.
func TestWatchesAreSetInOrder(t *testing.T) {
	set := func(paths ...string) []byte {
		return frameOf(int32(9), opSetWatches, int64(7), int32(len(paths)), paths[0], paths[1], paths[2], int32(0), int32(2), paths[0], paths[1])
	}
	if got, want := ordered(set("/b", "/c", "/a")), frameOf(int32(9), opSetWatches, int64(7),
		int32(3), "/a", "/b", "/c", int32(0), int32(2), "/b", "/c"); !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	two := func(a, b, c string) []byte {
		return frameOf(int32(-8), opSetWatches2, int64(7), int32(0), int32(0), int32(3), a, b, c, int32(0), int32(1), a)
	}
	if got, want := ordered(two("/b", "/c", "/a")), frameOf(int32(-8), opSetWatches2, int64(7),
		int32(0), int32(0), int32(3), "/a", "/b", "/c", int32(0), int32(1), "/b"); !bytes.Equal(got, want) {
		t.Errorf("setWatches2: got %q, want %q", got, want)
	}
	for _, other := range [][]byte{frameOf(int32(-2), int32(11)), frameOf(int32(0), int64(0), int32(2000), int64(0), "p"), nil} {
		if got := ordered(other); !bytes.Equal(got, other) {
			t.Errorf("%q became %q", other, got)
		}
	}
}

// TestPartsAreLeft: what is no whole frame is left as it is, whatever its counts and lengths say.
func TestPartsAreLeft(t *testing.T) {
	whole := frameOf(int32(9), opSetWatches, int64(7), int32(2), "/b", "/a", int32(0), int32(1), "/c")
	for n := range len(whole) {
		for _, part := range [][]byte{whole[:n], whole[n:]} {
			if got := ordered(part); n > 0 && !bytes.Equal(got, part) {
				t.Errorf("%q became %q", part, got)
			}
		}
	}
	const header = 20
	for at := header; at+4 <= len(whole); at++ {
		wrong := bytes.Clone(whole)
		copy(wrong[at:], "\xff\xff\xff\xff")
		if got := ordered(wrong); len(got) != len(wrong) {
			t.Errorf("%q became %q", wrong, got)
		}
	}
}

// TestFirstFrameIsLeft: the first frame of a connection asks for the session. It has the last
// transaction where others have their operation.
func TestFirstFrameIsLeft(t *testing.T) {
	const epoch = int64(opSetWatches)
	for _, first := range [][]byte{
		frameOf(int32(0), epoch<<32|5, int32(2000), int64(0), "password"),
		frameOf(int32(0), epoch<<32, int32(2), int64(5)<<32|'/'<<24, ""),
	} {
		var wire recorded
		c := &connection{Conn: &wire, watched: new(watched)}
		for _, frame := range [][]byte{first, frameOf(int32(1), opSetWatches, int64(7), int32(2), "/b", "/a")} {
			if n, err := c.Write(frame); n != len(frame) || err != nil {
				t.Fatal(n, err)
			}
		}
		if want := append(bytes.Clone(first), frameOf(int32(1), opSetWatches, int64(7), int32(2), "/a", "/b")...); !bytes.Equal(wire.data, want) {
			t.Errorf("the server gets %q, want %q", wire.data, want)
		}
	}
}

// recorded is a connection that keeps what is written to it.
type recorded struct {
	net.Conn
	data []byte
}

func (r *recorded) Write(b []byte) (int, error) {
	r.data = append(r.data, b...)
	return len(b), nil
}

// TestMessagesOneAtATime: of messages that have arrived together, and the end of the connection
// behind them, each is read when those whom the one before has woken are at rest.
func TestMessagesOneAtATime(t *testing.T) {
	const address = "10.0.1.1:2181"
	var order []string
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().Listen(address, w.NewActor("zk1"), func(c *sim.ServerConn) sim.Handler { return both{c} })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			conn, err := p.DialContext(context.Background(), "tcp", address, 0)
			if err != nil {
				t.Error(err)
				return
			}
			c := &connection{Conn: conn, process: p, watched: new(watched)}
			_, _ = c.Write(frameOf(int32(0), int64(0), int32(2000), int64(0), "password"))
			var woken sync.WaitGroup
			defer woken.Wait()
			for _, who := range []string{"the first", "the second"} {
				if err := readMessage(c); err != nil {
					t.Error(err)
				}
				woken.Go(func() {
					for range 1000 { // it would be last
						runtime.Gosched()
					}
					order = append(order, who)
				})
			}
			err = readMessage(c)
			order = append(order, fmt.Sprint(err))
		})
	})
	if want := []string{"the first", "the second", "EOF"}; report.Failure != nil || !slices.Equal(order, want) {
		t.Errorf("they came in the order %q, want %q; %v", order, want, report.Failure)
	}
}

// readMessage reads a message as the library does.
func readMessage(c net.Conn) error {
	size := make([]byte, 4)
	if _, err := io.ReadFull(c, size); err != nil {
		return err
	}
	_, err := io.ReadFull(c, make([]byte, binary.BigEndian.Uint32(size)))
	return err
}

// both answers what it gets with two messages at once, and hangs up.
type both struct{ conn *sim.ServerConn }

func (b both) Receive([]byte, *sim.Task) {
	b.conn.Gather()
	for xid := range int32(2) {
		b.conn.Send(0, frameOf(xid, int64(7), int32(0)), nil)
	}
	b.conn.Client().Pause(time.Second)
	b.conn.Close()
}

func (both) Gone() {}
