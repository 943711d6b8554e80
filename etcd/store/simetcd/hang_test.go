package simetcd

import (
	"context"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestHangGreetsNobody: a server that hangs accepts connections and says nothing, not even
// HTTP/2's SETTINGS, by which a client would take it for ready. It greets when it comes to, and
// one that crashes instead resets the connection.
func TestHangGreetsNobody(t *testing.T) {
	for _, test := range []struct {
		crash bool
		want  string
	}{{false, "greeted at 11s: <nil>"}, {true, "not greeted at 5s: read tcp 10.0.0.1:40001->10.0.2.1:2379: read: connection reset by peer"}} {
		e := run(t, Options{Transport: HTTP2}, func(e *clusterTest) {
			n := e.cluster.Nodes()[0]
			e.at(time.Second, func() { n.Hang(10 * time.Second) })
			if test.crash {
				e.at(5*time.Second, n.Crash)
			}
			p := e.world.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				p.Step("sleep", 2*time.Second)
				conn, err := p.DialContext(context.Background(), "tcp", n.Address(), time.Second)
				if err != nil {
					t.Error(err)
					return
				}
				word := "not greeted"
				length, err := conn.Read(make([]byte, 100))
				if length > 0 {
					word = "greeted"
				}
				e.note("%s at %v: %v", word, e.world.Now().Round(time.Second), err)
			})
		})
		e.wants("log", e.log, []string{test.want})
	}
}
