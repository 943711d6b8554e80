package sim_test

import (
	"net"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestFailedOn: of two goroutines that fail at one instant each is told what it has
// failed on itself, in every run the same, and who has never failed 0.
func TestFailedOn(t *testing.T) {
	var want [2]int64
	for round := range 20 {
		var got [2]int64
		run(t, nil, func(w *sim.World) {
			listen(w, handler{}) // never answers
			client(w, "c1", func(p *sim.Process) {
				if n := sim.FailedOn(); n != 0 {
					t.Errorf("who has never failed is told of %d", n)
				}
				conns := [2]net.Conn{dialed(p), dialed(p)}
				done := make(chan bool)
				for i, c := range conns {
					go func() {
						_ = c.SetReadDeadline(time.Now().Add(ms))
						_, _ = c.Read(make([]byte, 1))
						got[i] = sim.FailedOn()
						done <- true
					}()
				}
				<-done
				<-done
			})
		})
		if round == 0 {
			want = got
		}
		if got != want || got[0] == got[1] || got[0] == 0 || got[1] == 0 {
			t.Fatalf("round %d: they are told of %v, and before of %v", round, got, want)
		}
	}
}
