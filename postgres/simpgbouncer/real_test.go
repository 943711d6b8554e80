package simpgbouncer_test

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

// real is a real pooler in front of a real server.
type real struct {
	t      *testing.T
	server *realpostgres.Server
	how    realpostgres.Pooling
	pooler *realpostgres.Pooler
	relay  *relay
}

// start starts the pooler.
func (r *real) start() { r.pooler = realpostgres.StartPooler(r.t, r.relay.addr, r.how) }

func (r *real) dial(direct bool) (net.Conn, error) {
	if direct {
		return net.Dial("tcp", r.server.Addr)
	}
	return net.Dial("tcp", r.pooler.Addr)
}

// settle waits until nobody has heard of anything for a while. A machine that is busy has five seconds more for what the
// script expects.
func (*real) settle(heard func() int, done func() bool) {
	const quiet, patience = 25, 500
	last := -1
	for still, all := 0, 0; still < quiet || all < patience && !*update && !done(); still, all = still+1, all+1 {
		time.Sleep(10 * time.Millisecond)
		if n := heard(); n != last {
			last, still = n, 0
		}
	}
}

func (*real) sleep(d time.Duration) { time.Sleep(d) }

// do does something to the pooler or the server.
func (r *real) do(what string) error {
	switch what {
	case "server down":
		r.relay.close()
	case "server up":
		return r.relay.open()
	case "server cut":
		r.relay.holds.Lock()
	case "server heals":
		r.relay.holds.Unlock()
	case "pooler crash":
		r.pooler.Stop()
	case "pooler up":
		r.start()
	case "pooler hangs":
		time.AfterFunc(2*time.Second, func() { _ = r.pooler.Hang(false) })
		return r.pooler.Hang(true)
	default:
		return errors.New("no such command: " + what)
	}
	return nil
}

// relay forwards connections to a server, and may act as if the server's process ended.
type relay struct {
	addr, server string
	listener     net.Listener
	mu           sync.Mutex
	conns        []net.Conn
	holds        sync.RWMutex // is locked while data waits
}

func (r *relay) open() (err error) {
	if r.listener, err = net.Listen("tcp", r.addr); err != nil {
		return err
	}
	r.addr = r.listener.Addr().String()
	go func() {
		for {
			c, err := r.listener.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", r.server)
			if err != nil {
				c.Close()
				continue
			}
			r.mu.Lock()
			r.conns = append(r.conns, c, s)
			r.mu.Unlock()
			for _, pair := range [][2]net.Conn{{c, s}, {s, c}} {
				go func() {
					r.forward(pair[0], pair[1])
				}()
			}
		}
	}()
	return nil
}

// forward copies what arrives on a connection to another one, and its end.
func (r *relay) forward(to, from net.Conn) {
	data := make([]byte, 1<<16)
	for {
		n, err := from.Read(data)
		r.holds.RLock()
		_, failed := to.Write(data[:n])
		r.holds.RUnlock()
		if err != nil || failed != nil {
			to.Close()
			return
		}
	}
}

func (r *relay) close() {
	r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		c.Close()
	}
	r.conns = nil
}
