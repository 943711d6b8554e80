package simpgbouncer_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// simulated is a simulated pooler in front of a simulated server.
type simulated struct {
	world   *sim.World
	process *sim.Process
	pooler  *simpgbouncer.Pooler
	direct  string
	acts    map[string]func() // of the conductor
}

// newSimulated returns the place with a new process of clients.
func newSimulated(w *sim.World, p *simpgbouncer.Pooler, node *server.Host) *simulated {
	n := w.Network()
	return &simulated{
		world: w, pooler: p, direct: node.Address(), process: w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"}),
		acts: map[string]func(){
			"pooler crash": p.Crash, "pooler up": p.Restart, "pooler restart": p.Restart, "pooler hangs": func() { p.Hang(2 * time.Second) },
			"server cut":   func() { n.Cut(p.Actor, node.Actor); n.Cut(node.Actor, p.Actor) },
			"server heals": func() { n.Heal(p.Actor, node.Actor); n.Heal(node.Actor, p.Actor) },
		},
	}
}

func (s *simulated) dial(direct bool) (net.Conn, error) {
	address := s.pooler.Address()
	if direct {
		address = s.direct
	}
	return s.process.DialContext(context.Background(), "tcp", address, time.Minute)
}

func (s *simulated) settle(func() int, func() bool) { time.Sleep(270 * time.Millisecond) }

func (s *simulated) sleep(d time.Duration) { time.Sleep(d) }

// prime logs a client in and out: the pooler then has a server connection, as a real one has when it has been started.
func (s *simulated) prime() {
	x := &player{place: s, clients: map[string]*playing{}}
	x.command("p connect")
	x.listen(nil)
	x.command("p terminate")
	x.listen(nil)
}

// do calls a function of the conductor.
func (s *simulated) do(what string) error {
	f := s.acts[what]
	if f == nil {
		return fmt.Errorf("no such command: %s", what)
	}
	s.process.Mark(0, what, func(sim.Event) { f() })
	if what == "pooler up" {
		s.prime()
	}
	return nil
}

// options returns the pooler's options by the settings of a script.
func options(t testing.TB, script string) (o simpgbouncer.Options) {
	for key, value := range settings(script) { // unordered: each sets another option
		seconds, _ := strconv.ParseFloat(value, 64)
		d := time.Duration(seconds * float64(time.Second))
		n, _ := strconv.Atoi(value)
		switch key {
		case "pool_mode":
			o.PoolMode = simpgbouncer.Mode(value)
		case "default_pool_size":
			o.DefaultPoolSize = n
		case "max_client_conn":
			o.MaxClientConn = n
		case "server_reset_query_always":
			o.ServerResetQueryAlways = true
		case "server_reset_query":
			o.NoServerResetQuery = value == ""
		case "server_round_robin":
			o.ServerRoundRobin = true
		case "ignore_startup_parameters":
			o.IgnoreStartupParameters = strings.Split(value, ",")
		case "query_wait_timeout":
			o.QueryWaitTimeout = d
		case "query_timeout":
			o.QueryTimeout = d
		case "idle_transaction_timeout":
			o.IdleTransactionTimeout = d
		case "client_idle_timeout":
			o.ClientIdleTimeout = d
		case "server_lifetime":
			o.ServerLifetime = d
		case "server_idle_timeout":
			o.ServerIdleTimeout = d
		case "server_check_delay":
			o.ServerCheckDelay = d
		case "server_login_retry":
			o.ServerLoginRetry = d
		default:
			t.Fatalf("no such setting: %s", key)
		}
	}
	return o
}
