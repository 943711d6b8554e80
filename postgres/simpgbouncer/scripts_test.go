package simpgbouncer_test

import (
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

var update = flag.Bool("update", false, "write the answers of a real PgBouncer into the scripts")

// scripts returns the paths of the scripts.
func scripts(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(list) == 0 {
		t.Fatal("there are no scripts")
	}
	return list
}

func read(t *testing.T, path string) string {
	t.Helper()
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// settings returns the settings of pgbouncer.ini of a script.
func settings(script string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(script) {
		if setting, is := strings.CutPrefix(strings.TrimSpace(line), "set "); is {
			key, value, _ := strings.Cut(setting, " ")
			m[key] = value
		}
	}
	return m
}

// real is a real pooler in front of a real server.
type real struct {
	server *realpostgres.Server
	pooler *realpostgres.Pooler
	relay  *relay
}

func (r *real) dial(direct bool) (net.Conn, error) {
	if direct {
		return net.Dial("tcp", r.server.Addr)
	}
	return net.Dial("tcp", r.pooler.Addr)
}

// settle waits until nobody has heard of anything for a while.
func (*real) settle(heard func() int) {
	const quiet = 25
	last := -1
	for still := 0; still < quiet; still++ {
		time.Sleep(10 * time.Millisecond)
		if n := heard(); n != last {
			last, still = n, 0
		}
	}
}

func (*real) sleep(d time.Duration) { time.Sleep(d) }

func (r *real) do(what string) error {
	switch what {
	case "server down":
		r.relay.close()
		return nil
	case "server up":
		return r.relay.open()
	}
	return errors.New("no such command: " + what)
}

// relay forwards connections to a server, and may act as if the server's process ended.
type relay struct {
	addr, server string
	listener     net.Listener
	mu           sync.Mutex
	conns        []net.Conn
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
					_, _ = io.Copy(pair[0], pair[1])
					pair[0].Close()
				}()
			}
		}
	}()
	return nil
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

// TestReal: the answers in the scripts are those of a real PgBouncer with a real PostgreSQL.
func TestReal(t *testing.T) {
	realpostgres.NeedPooler(t)
	if testing.Short() && !*update {
		t.Skip("takes a minute")
	}
	server := realpostgres.Start(t)
	for _, path := range scripts(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := read(t, path)
			set := settings(want)
			how := realpostgres.Pooling{Mode: set["pool_mode"]}
			how.Size, _ = strconv.Atoi(set["default_pool_size"])
			for key, value := range set { // unordered: lines of a file in which the order does not matter
				if key != "pool_mode" && key != "default_pool_size" {
					how.Options = append(how.Options, key+" = "+value)
				}
			}
			r := &relay{addr: "127.0.0.1:0", server: server.Addr}
			if err := r.open(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.close)
			x := &player{place: &real{server, realpostgres.StartPooler(t, r.addr, how), r}}
			compare(t, path, want, x.play(want))
		})
	}
}

// compare compares the answers, or writes them down.
func compare(t *testing.T, path, want, got string) {
	t.Helper()
	if got == want {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Errorf("%s:%d:\n%s\nwant\n%s", path, i+1, g[i], w[i])
			return
		}
	}
	t.Errorf("%s: %d lines, want %d", path, len(g), len(w))
}
