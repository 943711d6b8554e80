package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// restarts is a world in which c1 pings a server until it has an answer, in each of its lives, and is struck.
func restarts(t *testing.T, strike func(w *sim.World, faults *sim.Actor, server *sim.Actor, p *sim.Process, anew func(*sim.Process) *sim.Process)) (said, received []string) {
	t.Helper()
	run(t, nil, func(w *sim.World) {
		server := listen(w, handler{receive: func(c *sim.ServerConn, data []byte) {
			received = append(received, fmt.Sprint(w.Now().Truncate(ms), " ", string(data)))
			c.Send(0, data, nil)
		}})
		live := func(p *sim.Process, number int) {
			p.Go(func() {
				for !over(p) {
					if c, err := dial(p, 15*ms); err == nil {
						must(c.SetReadDeadline(time.Now().Add(15 * ms)))
						if ping(c, fmt.Sprint("life ", number)) == nil {
							break
						}
					}
					p.Clock().Sleep(ms)
				}
				p.Mark(0, "answered", func(e sim.Event) { said = append(said, fmt.Sprint(e.At.Truncate(ms), " life ", number)) })
				p.Step("rest", 100*ms)
			})
		}
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		live(p, 1)
		lives := 1
		strike(w, w.NewActor("faults"), server, p, func(p *sim.Process) *sim.Process {
			lives++
			p = p.Restart()
			live(p, lives)
			return p
		})
	})
	return said, received
}

// TestRestartCutOff: a process that starts anew while it is cut off reaches the server when it is not any more.
func TestRestartCutOff(t *testing.T) {
	said, _ := restarts(t, func(w *sim.World, faults, server *sim.Actor, p *sim.Process, anew func(*sim.Process) *sim.Process) {
		cut := sim.Partition{A: []*sim.Actor{p.Actor}, B: []*sim.Actor{server}}
		at(w, faults, 10*ms, func() { w.Network().Part(cut, 100*ms) })
		at(w, faults, 20*ms, func() { p.Kill() })
		at(w, faults, 30*ms, func() { anew(p) })
		at(w, faults, 60*ms, func() { w.Network().Unite(cut) })
	})
	if len(said) != 2 || said[0] != "0s life 1" || said[1] < "60ms" || said[1] > "80ms" {
		t.Errorf("said %q", said)
	}
}

// TestRestartAfterAPause: a process that is killed while it is paused does not go on at the end of the pause; the one that
// has started anew is not paused.
func TestRestartAfterAPause(t *testing.T) {
	said, received := restarts(t, func(w *sim.World, faults, server *sim.Actor, p *sim.Process, anew func(*sim.Process) *sim.Process) {
		at(w, faults, 100*us, func() { p.Pause(50 * ms) }) // before its first ping
		at(w, faults, 20*ms, func() { p.Kill() })
		at(w, faults, 30*ms, func() {
			if again := anew(p); again.Paused() || !p.Paused() {
				t.Error("the pause of the dead is that of the living")
			}
		})
	})
	if want := []string{"30ms life 2"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	if want := []string{"30ms life 2"}; !slices.Equal(received, want) {
		t.Errorf("the server got %q, want %q", received, want)
	}
}

// TestRestartAndPause: a process that has started anew is paused like another.
func TestRestartAndPause(t *testing.T) {
	said, _ := restarts(t, func(w *sim.World, faults, server *sim.Actor, p *sim.Process, anew func(*sim.Process) *sim.Process) {
		at(w, faults, 20*ms, func() { p.Kill() })
		at(w, faults, 30*ms, func() {
			if again := anew(p); !again.Pause(25*ms) || again.Pause(ms) {
				t.Error("it cannot be paused, or twice")
			}
		})
	})
	if len(said) != 2 || said[0] != "0s life 1" || said[1] < "55ms" || said[1] > "60ms" {
		t.Errorf("said %q", said)
	}
}

// TestRestartTwice: each life ends with its crash, and what it has sent before still arrives.
func TestRestartTwice(t *testing.T) {
	said, received := restarts(t, func(w *sim.World, faults, server *sim.Actor, p *sim.Process, anew func(*sim.Process) *sim.Process) {
		w.Network().SetLink(sim.Link{Base: 5 * ms})
		at(w, faults, 12*ms, func() { p.Kill() }) // its ping has left at 10 ms
		at(w, faults, 20*ms, func() {
			second := anew(p)
			at(w, faults, 32*ms, func() { second.Kill() })
			at(w, faults, 40*ms, func() { anew(second) })
		})
	})
	if want := []string{"15ms life 1", "35ms life 2", "55ms life 3"}; !slices.Equal(received, want) {
		t.Errorf("the server got %q, want %q", received, want)
	}
	if want := []string{"60ms life 3"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}
