package peers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/peers"
)

// get asks a server of net/http, and says what came of it.
func get(p *sim.Process, client *http.Client, url string) string {
	r, err := client.Get(url)
	if err != nil {
		return "error"
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "no body"
	}
	return fmt.Sprint(r.StatusCode, " ", string(body))
}

// serveHTTP makes a process serve its name and a count, on an unmodified server of net/http.
func serveHTTP(p *sim.Process, said func(error)) {
	l, err := peers.Listen(p, 80)
	if said(err); err != nil {
		return
	}
	var mu sync.Mutex
	n := 0
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		now := n
		mu.Unlock()
		fmt.Fprintf(w, "%s %s %d", p.Name(), r.URL.Path, now)
	}), IdleTimeout: 2 * time.Second}
	go func() {
		<-p.Ended()
		_ = s.Close()
	}()
	_ = s.Serve(l)
}

// web is a world of two servers and two clients over net/http. Faults strike the first server.
func web(w *sim.World, log func(string), strike func(w *sim.World, servers []*sim.Process)) {
	var servers []*sim.Process
	for i := range 2 {
		p := w.NewProcess(fmt.Sprint("s", i+1), sim.ProcessOptions{Host: fmt.Sprintf("10.0.0.%d", i+1)})
		servers = append(servers, p)
		serving(w, p)
	}
	for i := range 2 {
		p := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprintf("10.0.1.%d", i+1), Threads: true})
		transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return p.DialContext(ctx, network, addr, time.Second)
		}}
		client := &http.Client{Transport: transport, Timeout: time.Second}
		w.OnEnd(transport.CloseIdleConnections)
		for thread := range 2 {
			p.Go(func() {
				for n := range 4 {
					p.Step(fmt.Sprint("think ", thread), time.Duration(100+30*thread)*time.Millisecond)
					to := servers[(n+thread)%2]
					answer := get(p, client, fmt.Sprintf("http://10.0.0.%s:80/%s/%d", to.Name()[1:], p.Name(), thread))
					p.Mark(thread, answer, func(e sim.Event) { log(fmt.Sprint(e.Seq, " ", p.Name(), " ", thread, " ", answer)) })
				}
			})
		}
	}
	if strike != nil {
		strike(w, servers)
	}
}

// serving runs the server outside of the workloads: the run ends with the clients.
func serving(w *sim.World, p *sim.Process) {
	w.At(p.Actor, w.Now(), sim.EventStep, sim.EventOptions{}, func() {
		go serveHTTP(p, func(error) {})
	})
}

// TestListen goes through what a listener and its connections do.
func TestListen(t *testing.T) {
	var got []string
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		web(w, func(s string) { got = append(got, s) }, nil)
	})
	if report.Failure != nil {
		t.Fatal(report.Failure.Reason, report.Failure.Stack)
	}
	if len(got) != 16 || slices.ContainsFunc(got, func(s string) bool { return !strings.Contains(s, " 200 ") }) {
		t.Errorf("answers:\n%s", strings.Join(got, "\n"))
	}
}

// TestListenErrors has what package net refuses.
func TestListenErrors(t *testing.T) {
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		p := w.NewProcess("p", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			ctx := context.Background()
			if _, err := peers.Listen(p, 0); err == nil || !strings.Contains(err.Error(), "want a port from 1 to 65535") {
				t.Errorf("port 0: %v", err)
			}
			l, err := peers.Listen(p, 7)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := peers.Listen(p, 7); err == nil || !strings.Contains(err.Error(), "address already in use") {
				t.Errorf("the port twice: %v", err)
			}
			c, err := p.DialContext(ctx, "tcp", "10.0.0.1:7", 0)
			if err != nil {
				t.Fatal(err)
			}
			s, err := l.Accept()
			if err != nil || s.RemoteAddr().String() != c.LocalAddr().String() {
				t.Errorf("accepted %v, %v; dialed %v", s, err, c.LocalAddr())
			}
			if _, err := io.WriteString(s, "hello"); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if text, err := io.ReadAll(c); string(text) != "hello" || err != nil {
				t.Errorf("read %q, %v", text, err)
			}
			if err := errors.Join(l.Close(), c.Close()); err != nil {
				t.Error(err)
			}
			if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a closed listener accepts: %v", err)
			}
			if _, err := p.DialContext(ctx, "tcp", "10.0.0.1:7", 0); err == nil || !strings.Contains(err.Error(), "refused") {
				t.Errorf("a closed listener is dialed: %v", err)
			}
			if again, err := peers.Listen(p, 7); err != nil || again.Close() != nil {
				t.Errorf("listening again: %v", err)
			}
		})
	})
	if report.Failure != nil {
		t.Fatal(report.Failure.Reason, report.Failure.Stack)
	}
}

// TestListenRepeats runs a web of processes under random tapes twice: a server is killed and started
// anew, is cut off, and pauses.
func TestListenRepeats(t *testing.T) {
	for seed := range uint64(60) {
		var first sim.Report
		for again := range 2 {
			r := sim.Run(sim.Config{Tape: randomTape(seed), Record: true}, func(w *sim.World) {
				w.Network().SetLink(sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond})
				web(w, func(string) {}, func(w *sim.World, servers []*sim.Process) {
					faults, s := w.NewActor("faults"), servers[0]
					when := func(most int) time.Duration {
						return time.Duration(w.Choose(sim.Decision{Kind: "fault:when", Actor: "faults", Options: most})) * 10 * time.Millisecond
					}
					dies := when(40)
					w.At(faults, dies, sim.EventFault, sim.EventOptions{}, func() {
						s.Kill()
						w.At(faults, w.Now()+when(20), sim.EventFault, sim.EventOptions{}, func() { serving(w, s.Restart()) })
					})
					w.At(faults, when(40), sim.EventFault, sim.EventOptions{}, func() { servers[1].Pause(when(60)) })
				})
			})
			if r.Failure != nil {
				t.Fatalf("seed %d: %s\n%s", seed, r.Failure.Reason, r.Failure.Stack)
			}
			if again == 0 {
				first = r
			} else if r.Hash != first.Hash {
				for i := range min(len(r.Events), len(first.Events)) {
					if a, b := fmt.Sprintf("%+v", first.Events[i]), fmt.Sprintf("%+v", r.Events[i]); a != b {
						t.Fatalf("seed %d: two runs differ:\n%s\n%s\n%s\nreasons %q", seed, fmt.Sprintf("%+v", first.Events[max(i-3, 0):i]), a, b, r.Nondeterminism)
					}
				}
				t.Fatalf("seed %d: two runs differ at the end", seed)
			}
		}
	}
}

// randomTape deviates from calm as decisions ask, from a seed.
type randomTape uint64

func (seed randomTape) Choose(d sim.Decision) int {
	var h sim.Digest
	h.Uint(uint64(seed))
	h.String(d.ID())
	if d.Odds > 0 && h.Sum()%uint64(d.Odds) > 0 {
		return 0
	}
	h.Uint(1)
	return int(h.Sum() % uint64(d.Options))
}
