package etcd_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/etcd"
	"github.com/lockpick-dev/lockpick/sim"
)

// plain leaves a connection as it is.
func plain(c *sim.Conn) net.Conn { return c }

// silent is a server that answers nothing.
type silent struct{}

func (silent) Receive([]byte, *sim.Task) {}
func (silent) Gone()                     {}

// dialing makes a run with a server that accepts connections, and a client.
func dialing(t *testing.T, client func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error))) {
	t.Helper()
	const address = "10.0.2.1:2379"
	r := sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond})
		w.Network().Listen(address, w.NewActor("server"), func(*sim.ServerConn) sim.Handler { return silent{} })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		client(w, p, func(ctx context.Context) (net.Conn, error) { return etcd.Dialer(p, plain)(ctx, address) })
	})
	if r.Failure != nil {
		t.Fatalf("%+v", r.Failure)
	}
}

// pause stops a process from a time on.
func pause(w *sim.World, p *sim.Process, at, length time.Duration) {
	w.At(w.NewActor("fault"), at, sim.EventFault, sim.EventOptions{}, func() { p.Pause(length) })
}

// TestLateConnection: a connection is not used if the time to connect was over when the
// process went on after a pause.
func TestLateConnection(t *testing.T) {
	for _, test := range []struct {
		limit time.Duration
		late  bool
	}{{time.Second, true}, {time.Minute, false}} {
		dialing(t, func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error)) {
			pause(w, p, time.Millisecond/2, 5*time.Second)
			p.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), test.limit)
				defer cancel()
				conn, err := dial(ctx)
				if late := errors.Is(err, context.DeadlineExceeded); late != test.late || late != (conn == nil) {
					t.Errorf("within %v: %v, %v", test.limit, conn, err)
				}
			})
		})
	}
}

// TestBrokenConnection: what is written to a connection that the server has ended in a pause is
// lost, and a read then fails.
func TestBrokenConnection(t *testing.T) {
	dialing(t, func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error)) {
		pause(w, p, 10*time.Millisecond, time.Second)
		w.At(w.NewActor("reset"), 20*time.Millisecond, sim.EventFault, sim.EventOptions{}, func() {
			for _, c := range w.Network().Conns(p.Actor) {
				c.Reset(nil)
			}
		})
		p.Go(func() {
			conn, err := dial(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			p.Clock().Sleep(50 * time.Millisecond)
			if n, err := conn.Write([]byte("lost")); n != 4 || err != nil {
				t.Errorf("wrote %d bytes, %v", n, err)
			}
			if n, err := conn.Read(make([]byte, 8)); n != 0 || err == nil {
				t.Errorf("read %d bytes, %v", n, err)
			}
		})
	})
}
