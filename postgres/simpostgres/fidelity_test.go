package simpostgres_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/scripts"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

var (
	count = flag.Int("scripts", 0, "the number of random scripts to compare (0: 60 with -short, 300 without, 5000 with LOCKPICK_LONG)")
	seed  = flag.Uint64("seed", 0, "begin with this one")
	lanes = flag.Int("lanes", 2, "the number of scripts to compare at once")
	most  = flag.Int("differences", 1, "the number of differences after which the test ends")
)

// simulated is a place in a world.
type simulated struct {
	process *sim.Process
	address string
	pooled  bool
}

// connection is one of a simulated process.
type connection struct {
	conn net.Conn

	mu      sync.Mutex
	arrived bytes.Buffer
	closed  bool
}

func (p *simulated) Connect(int) (scripts.Conn, uint32, []byte) {
	c := &connection{conn: p.dial()}
	go c.listen()
	return c, 0, nil
}

func (p *simulated) dial() net.Conn {
	conn, err := p.process.DialContext(context.Background(), "tcp", p.address, time.Minute)
	if err != nil {
		panic(err)
	}
	return conn
}

// Parameters make the server look for deadlocks as soon as the real one does.
func (p *simulated) Parameters() map[string]string {
	if p.pooled {
		return map[string]string{"database": "postgres"} // a pooler refuses other parameters
	}
	return map[string]string{"deadlock_timeout": "1ms"}
}

func (p *simulated) Settle(sessions []*scripts.Session) {
	wait := 50 * time.Millisecond
	if p.pooled {
		wait = 1500 * time.Millisecond // the server looks for deadlocks after a second
	}
	p.process.Step("settle", wait)
	for _, s := range sessions {
		s.Receive()
	}
}

func (p *simulated) Cancel(request []byte) {
	c := p.dial()
	defer c.Close()
	_, _ = c.Write(request)
	_, _ = c.Read(make([]byte, 1)) // the end
}

func (c *connection) listen() {
	buffer := make([]byte, 16<<10)
	for {
		n, err := c.conn.Read(buffer)
		c.mu.Lock()
		c.arrived.Write(buffer[:n])
		c.closed = err != nil
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *connection) Send(data []byte) { _, _ = c.conn.Write(data) }

func (c *connection) Arrived() (data []byte, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data = bytes.Clone(c.arrived.Bytes())
	c.arrived.Reset()
	return data, c.closed
}

func (c *connection) Close() { _ = c.conn.Close() }

func (c *connection) End() { _ = c.conn.Close() }

// onSimulated plays a script in a world.
func onSimulated(s scripts.Script) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		c := simpostgres.New(w, simpostgres.Options{}, func(model.Observation) {})
		if err := c.Load(append(scripts.Tables, scripts.Fill...)...); err != nil {
			*lines = append(*lines, err.Error())
			return
		}
		process := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		process.Go(func() { *lines = scripts.Play(&simulated{process: process, address: c.Address()}, s) })
	})
}

// newReal returns a place on a real server for a lane.
func newReal(t testing.TB, server *realpostgres.Server, lane int) *scripts.Real {
	real, err := scripts.NewReal(func() (net.Conn, error) { return net.Dial("unix", server.Socket) }, fmt.Sprintf("lane%d", lane))
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// place is a real place.
type place interface {
	scripts.Place
	Begin() error
	Close()
}

// onReal plays a script on a real server.
func onReal(t testing.TB, real place, s scripts.Script) []string {
	if err := real.Begin(); err != nil {
		t.Error(err)
	}
	return scripts.Play(real, s)
}

// attempts is how often a script that differs is played again: what one event wakes goes on side by side on a real server, so
// that it may differ from play to play which statement is first.
const attempts = 12

// compare returns how the plays of a script differ.
func compare(t testing.TB, got []string, real place, s scripts.Script) (differs string) {
	for range attempts {
		if differs = fidelity.Difference(got, onReal(t, real, s), all); differs == "" {
			break
		}
	}
	return differs
}

// comparison compares random scripts.
type comparison struct {
	draw      func(seed uint64) scripts.Script
	simulated func(scripts.Script) []string
	real      func(lane int) place
}

// run compares scripts, several at once. One that differs is shrunk.
func (c comparison) run(t *testing.T, total int) {
	begin := time.Now()
	var next, commands, differences atomic.Int64
	var group sync.WaitGroup
	for lane := range *lanes {
		group.Go(func() {
			real := c.real(lane)
			defer real.Close()
			differs := func(s scripts.Script) string { return compare(t, c.simulated(s), real, s) }
			for n := next.Add(1); int(n) <= total && int(differences.Load()) < *most; n = next.Add(1) {
				number := *seed + uint64(n)
				s := c.draw(number)
				commands.Add(int64(len(s.Commands)))
				d := differs(s)
				if d == "" {
					continue
				}
				differences.Add(1)
				s = s.Shrink(func(less scripts.Script) bool { return differs(less) != "" })
				if less := differs(s); less != "" {
					d = less
				}
				t.Errorf("script %d, shrunk:\n%s\n%s", number, s, d)
			}
		})
	}
	group.Wait()
	t.Logf("%d scripts with %d messages compared in %v", min(int(next.Load()), total), commands.Load(), time.Since(begin).Round(time.Second))
}

// scriptsToCompare is the number of random scripts.
func scriptsToCompare() int {
	switch {
	case *count > 0:
		return *count
	case os.Getenv("LOCKPICK_LONG") != "":
		return 5000
	case testing.Short():
		return 60
	}
	return 300
}

// TestFidelity plays random scripts of two to four sessions on a real server and on a simulated one, and compares what each
// session is answered line by line, and the sessions that wait are listed.
func TestFidelity(t *testing.T) {
	server := realpostgres.Start(t, scripts.Settings...)
	comparison{scripts.Draw, onSimulated, func(lane int) place { return newReal(t, server, lane) }}.run(t, scriptsToCompare())
}

// TestPooledFidelity compares sessions behind a pooler with a pool of two connections.
func TestPooledFidelity(t *testing.T) {
	realpostgres.NeedPooler(t)
	server := realpostgres.Start(t, scripts.Settings...)
	for _, mode := range []simpgbouncer.Mode{simpgbouncer.Session, simpgbouncer.Transaction, simpgbouncer.Statement} {
		t.Run(string(mode), func(t *testing.T) {
			open := func(lane int) place {
				pooler := realpostgres.StartPooler(t, server.Addr, realpostgres.Pooling{Mode: string(mode), Size: 2})
				real, err := scripts.NewPooled(func() (net.Conn, error) { return net.Dial("unix", server.Socket) },
					func() (net.Conn, error) { return net.Dial("tcp", pooler.Addr) }, fmt.Sprintf("lane%d", lane))
				if err != nil {
					t.Fatal(err)
				}
				return real
			}
			simulated := func(s scripts.Script) []string { return onSimulatedPooler(mode, s) }
			comparison{scripts.DrawPooled, simulated, open}.run(t, scriptsToCompare()/5)
		})
	}
}

// onSimulatedPooler plays a script behind a pooler in a world.
func onSimulatedPooler(mode simpgbouncer.Mode, s scripts.Script) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		c := simpostgres.New(w, simpostgres.Options{}, func(model.Observation) {})
		if err := c.Load(append(scripts.Tables, scripts.Fill...)...); err != nil {
			*lines = append(*lines, err.Error())
			return
		}
		b := simpgbouncer.New(w, simpgbouncer.Options{PoolMode: mode, DefaultPoolSize: 2}, func() simpgbouncer.Node { return c.Primary() }, func(model.Observation) {})
		process := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		process.Go(func() { *lines = scripts.Play(&simulated{process: process, address: b.Address(), pooled: true}, s) })
	})
}
