package simfile_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simfile"
)

const lease = 2 * time.Second

// play plays a script against a server, one line after the other, each by a client: "a: 1 2 READ "x"" is a
// request, to which the answer, or "closed", is written behind "->"; "a: new" is another connection, "later d"
// lets time pass. At is what happens to the server meanwhile.
func play(t *testing.T, script []string, at map[time.Duration]func(*simfile.Server)) (seen []model.Observation) {
	t.Helper()
	report := sim.Run(sim.Config{MaxEvents: 1 << 20}, func(w *sim.World) {
		s := simfile.New(w, simfile.Options{Lease: lease}, func(o model.Observation) { seen = append(seen, o) })
		for when, f := range at { // unordered: they are at different times
			w.At(s.Actor, when, sim.EventWork, sim.EventOptions{Vital: true}, func() { f(s) })
		}
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			conns := map[string]net.Conn{}
			for _, line := range script {
				if length, later := strings.CutPrefix(line, "later "); later {
					d, err := time.ParseDuration(length)
					if err != nil {
						panic(err)
					}
					p.Step("later", d)
					continue
				}
				who, what, _ := strings.Cut(line, ": ")
				if what == "new" || conns[who] == nil {
					conn, err := p.DialContext(context.Background(), "tcp", s.Address(), 0)
					if err != nil {
						t.Errorf("%s: %v", line, err)
						return
					}
					conns[who] = conn
				}
				if what == "new" {
					continue
				}
				request, want, _ := strings.Cut(what, " -> ")
				if got := ask(conns[who], request); got != want {
					t.Errorf("%s: %s is answered with %s, want %s", who, request, got, want)
				}
			}
		})
	})
	if report.Failure != nil {
		t.Fatal(report.Failure)
	}
	return seen
}

func ask(conn net.Conn, request string) string {
	if _, err := conn.Write([]byte(request + "\n")); err != nil {
		return "closed"
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return "closed"
	}
	return strings.TrimSpace(line)
}

// opened are two clients with a session each, 1 and 2.
func opened(more ...string) []string {
	return append([]string{`a: 0 0 OPEN "a" -> 0 1 OK "1" "2000"`, `b: 0 0 OPEN "b" -> 0 1 OK "2" "2000"`}, more...)
}

// TestFiles: what operations on files answer.
func TestFiles(t *testing.T) {
	play(t, opened(
		`a: 1 1 READ "x" -> 1 1 NOENT`,
		`a: 1 2 CREATE "x" "v" "one" -> 2 1 OK`,
		`b: 2 1 CREATE "x" "w" "two" -> 1 1 EXIST`,
		`a: 1 3 CREATE "x" "v" "one" -> 3 1 OK`, // it is known by its verifier
		`b: 2 2 WRITE "x" "three" -> 2 1 OK`,
		`a: 1 4 READ "x" -> 4 1 OK "three"`,
		`a: 1 5 CREATE "y" "u" "four" -> 5 1 OK`,
		`b: 2 3 RENAME "x" "y" -> 3 1 OK`,
		`b: 2 4 RENAME "x" "y" -> 4 1 NOENT`,
		`a: 1 6 READ "y" -> 6 1 OK "three"`,
		`a: 1 7 REMOVE "y" -> 7 1 OK`,
		`a: 1 8 REMOVE "y" -> 8 1 NOENT`,
		`a: 1 9 WRITE "y" "" -> 9 1 NOENT`,
		`a: 1 10 STAT "y" -> 10 1 NOENT`,
	), nil)
}

// TestOnce: a request that comes again is answered as before and not carried out again, and an earlier one, or one
// on an earlier connection, is not carried out at all.
func TestOnce(t *testing.T) {
	script := opened(
		`a: 1 1 CREATE "x" "v" "one" -> 1 1 OK`,
		`a: 1 2 REMOVE "x" -> 2 1 OK`,
		`b: 2 1 CREATE "x" "w" "two" -> 1 1 OK`,
		`a: 1 2 REMOVE "x" -> 2 1 OK`,
		`b: 2 2 READ "x" -> 2 1 OK "two"`,
		`A: new`, `A: 1 2 REMOVE "x" -> 2 1 OK`,
		`b: 2 3 READ "x" -> 3 1 OK "two"`,
		`a: 1 3 REMOVE "x" -> closed`, // the client has left this connection
		`A: 1 1 CREATE "z" "v" "one" -> closed`,
		`b: 2 4 READ "z" -> 4 1 NOENT`,
		`b: 9 1 READ "x" -> 1 1 EXPIRED`,
		`b: nonsense -> closed`,
	)
	play(t, script, nil)
}

// TestOnceAfterRestart: the server has its answers on disk. They say at which start they were given.
func TestOnceAfterRestart(t *testing.T) {
	play(t, opened(
		`a: 1 1 CREATE "x" "v" "one" -> 1 1 OK`,
		`a: 1 2 REMOVE "x" -> 2 1 OK`,
		`later 200ms`,
		`A: new`, `B: new`,
		`B: 2 1 CREATE "x" "w" "two" -> 1 2 OK`,
		`A: 1 2 REMOVE "x" -> 2 1 OK`,
		`B: 2 2 READ "x" -> 2 2 OK "two"`,
	), map[time.Duration]func(*simfile.Server){
		100 * time.Millisecond: (*simfile.Server).Crash,
		150 * time.Millisecond: (*simfile.Server).Restart,
	})
}

// TestLeases: a lock ends with its lease, and a file does not. Any request renews the lease.
func TestLeases(t *testing.T) {
	seen := play(t, opened(
		`a: 1 1 LOCK "x" "me" -> 1 1 OK`,
		`a: 1 2 LOCK "x" "me" -> 2 1 OK`,
		`a: 1 3 LOCK "x" "not me" -> 3 1 DENIED`,
		`b: 2 1 LOCK "x" "me" -> 1 1 DENIED`,
		`b: 2 2 UNLOCK "x" "me" -> 2 1 NOLOCK`,
		`later 1.5s`, `a: 1 4 RENEW -> 4 1 OK`, `b: 2 3 RENEW -> 3 1 OK`,
		`later 1.5s`, `b: 2 4 LOCK "x" "me" -> 4 1 DENIED`,
		`later 600ms`, `b: 2 5 LOCK "x" "me" -> 5 1 OK`,
		`a: 1 5 UNLOCK "x" "me" -> 5 1 EXPIRED`,
		`b: 2 6 RENAME "x" "y" -> 6 1 OK`,
		`b: 2 7 LOCK "y" "not me" -> 7 1 DENIED`, // it is the file's
		`b: 2 8 UNLOCK "x" "me" -> 8 1 OK`,
		`b: 2 9 READ "y" -> 9 1 OK ""`,
	), nil)
	var kinds []string
	for _, o := range seen {
		if strings.HasPrefix(o.Key, simfile.LockPrefix("x")) && o.Kind != model.RecordChanged {
			kinds = append(kinds, fmt.Sprintf("%s %v", o.Kind, o.At.Round(100*time.Millisecond)))
		}
	}
	if want := []string{"created 0s", "expired 3.5s", "created 3.6s", "deleted 3.6s"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// TestGrace: after a restart locks can be reclaimed by who had them, and nobody is granted another before that.
func TestGrace(t *testing.T) {
	restart := map[time.Duration]func(*simfile.Server){
		100 * time.Millisecond: (*simfile.Server).Crash,
		150 * time.Millisecond: (*simfile.Server).Restart,
	}
	begin := opened(`a: 1 1 LOCK "x" "me" -> 1 1 OK`, `b: 2 1 LOCK "y" "you" -> 1 1 OK`, `later 200ms`, `A: new`, `B: new`)
	t.Run("reclaimed", func(t *testing.T) {
		play(t, append(begin,
			`B: 2 2 LOCK "z" "you" -> 2 2 GRACE`,
			`B: 2 3 CREATE "z" "" "" -> 3 2 GRACE`,
			`B: 2 4 RECLAIM "x" "you" -> 4 2 NOGRACE`,
			`A: 1 2 RECLAIM "x" "me" -> 2 2 OK`,
			`B: 2 5 READ "x" -> 5 2 GRACE`,
			`B: 2 6 RECLAIM "y" "you" -> 6 2 OK`,
			`B: 2 7 LOCK "x" "you" -> 7 2 DENIED`, // nothing is left to reclaim
			`later 1.5s`, `A: 1 3 RENEW -> 3 2 OK`, `B: 2 8 RENEW -> 8 2 OK`,
			`later 1.5s`, `B: 2 9 LOCK "x" "you" -> 9 2 DENIED`,
		), restart)
	})
	t.Run("not reclaimed", func(t *testing.T) {
		play(t, append(begin,
			`A: 1 2 RENEW -> 2 2 OK`, `B: 2 2 RECLAIM "y" "you" -> 2 2 OK`,
			`later 1.5s`, `A: 1 3 RENEW -> 3 2 OK`, `B: 2 3 RENEW -> 3 2 OK`,
			`later 600ms`,
			`A: 1 4 RECLAIM "x" "me" -> 4 2 NOGRACE`,
			`B: 2 4 LOCK "x" "you" -> 4 2 OK`,
			`A: 1 5 LOCK "y" "me" -> 5 2 DENIED`,
		), restart)
	})
}

// TestClock: a clock that jumps ahead ends leases early.
func TestClock(t *testing.T) {
	play(t, opened(
		`a: 1 1 LOCK "x" "me" -> 1 1 OK`, `later 200ms`, `b: 0 0 OPEN "b" -> 0 1 OK "5" "2000"`, `b: 5 1 LOCK "x" "you" -> 1 1 OK`,
	), map[time.Duration]func(*simfile.Server){100 * time.Millisecond: func(s *simfile.Server) { s.Jump(lease + time.Second) }})
}

// TestHang: what comes while the server hangs is done afterwards, before leases end.
func TestHang(t *testing.T) {
	play(t, opened(
		`a: 1 1 LOCK "x" "me" -> 1 1 OK`, `later 200ms`, `a: 1 2 RENEW -> 2 1 OK`, `b: 0 0 OPEN "b" -> 0 1 OK "5" "2000"`, `b: 5 1 LOCK "x" "you" -> 1 1 DENIED`,
	), map[time.Duration]func(*simfile.Server){100 * time.Millisecond: func(s *simfile.Server) { s.Hang(2 * lease) }})
}
