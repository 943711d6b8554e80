package simredis

import (
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// waitsInHang are what a WAIT for one replica answers whose acknowledgement comes while the primary hangs: when the
// primary goes on it looks at the clock before it reads.
var waitsInHang = []struct {
	name          string
	timeout, hang time.Duration
	want          int64
}{
	{"the time has passed", 300 * ms, 800 * ms, 0},
	{"the time has not passed", 10 * time.Second, 800 * ms, 1},
}

// wantNext reads a reply and compares it.
func (w *wire) wantNext(reply string) {
	w.t.Helper()
	if got := w.reply(); got != reply {
		w.t.Errorf("answered %q, want %q", got, reply)
	}
}

// TestWaitInHang: in a simulation.
func TestWaitInHang(t *testing.T) {
	for _, c := range waitsInHang {
		t.Run(c.name, func(t *testing.T) {
			play(t, Options{Replicas: 1}, func(x *player) {
				w := x.primary()
				start := x.now()
				w.pipeline("SET k v", "WAIT 1 "+strconv.FormatInt(c.timeout.Milliseconds(), 10))
				x.pass(300 * time.Microsecond) // it has arrived, and the acknowledgement has not
				x.conduct(func(n []*Node) { n[0].Hang(c.hang) })
				w.wantNext("+OK\r\n")
				x.wantAfter(w, ":"+strconv.FormatInt(c.want, 10)+"\r\n", c.hang, c.hang+2*ms, start)
			})
		})
	}
}

// TestReplicaHangs: a replica that hangs acknowledges when it goes on.
func TestReplicaHangs(t *testing.T) {
	for _, c := range []struct {
		timeout, hang, least time.Duration
		want                 string
	}{
		{300 * ms, 800 * ms, 300 * ms, ":0\r\n"},
		{800 * ms, 300 * ms, 300 * ms, ":1\r\n"},
	} {
		play(t, Options{Replicas: 1}, func(x *player) {
			w := x.primary()
			x.conduct(func(n []*Node) { n[1].Hang(c.hang) })
			start := x.now()
			w.pipeline("SET k v", "WAIT 1 "+strconv.FormatInt(c.timeout.Milliseconds(), 10))
			w.wantNext("+OK\r\n")
			x.wantAfter(w, c.want, c.least, c.least+2*ms, start)
		})
	}
}

// TestRealWaitInHang: the same on a real primary and a real replica, which are stopped by a signal. The replica is, until the
// primary is.
func TestRealWaitInHang(t *testing.T) {
	realredis.Need(t)
	primary := realredis.Start(t)
	replica := realredis.Start(t, "--replicaof", "127.0.0.1 "+primary.Port)
	if err := primary.Replicates(1); err != nil {
		t.Fatal(err)
	}
	for _, c := range waitsInHang {
		t.Run(c.name, func(t *testing.T) {
			client := primary.Client(t, nil)
			conn := client.Conn()
			defer conn.Close()
			if err := conn.Ping(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			thawReplica := replica.Freeze(t)
			answer := make(chan any, 1)
			go func() {
				if err := conn.Set(t.Context(), "k", "v", 0).Err(); err != nil {
					answer <- err
					return
				}
				n, err := conn.Wait(t.Context(), 1, c.timeout).Result()
				if err != nil {
					answer <- err
					return
				}
				answer <- n
			}()
			time.Sleep(100 * ms) // it waits
			thaw := primary.Freeze(t)
			thawReplica()
			time.Sleep(c.hang)
			thaw()
			if got := <-answer; got != c.want {
				t.Errorf("WAIT answers %v, want %d", got, c.want)
			}
		})
	}
}
