package simmysql

import (
	"context"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// FuzzPackets: whatever a client sends after the greeting, the server answers or hangs up, and serves
// others.
func FuzzPackets(f *testing.F) {
	login := append([]byte{0, 0, 0, 0}, make([]byte, 28)...)
	login[1] = byte(canProtocol41 >> 8)
	hello := packets(1, string(login)+"root\x00\x00")
	f.Add(hello)
	for _, q := range []string{
		"\x03SELECT 1", "\x03CREATE TABLE u (id INT PRIMARY KEY)", "\x03INSERT INTO t VALUES (1, 2) ON DUPLICATE KEY UPDATE v = v + 1",
		"\x16SELECT * FROM t WHERE id = ?", "\x16SELECT *", "\x16SELECT id", "\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00", "\x1f", "\x0e", "\x02test",
	} {
		f.Add(append(append([]byte{}, hello...), packets(0, q)...))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		report := sim.Run(sim.Config{}, func(w *sim.World) {
			c := New(w, Options{}, func(model.Observation) {})
			if err := c.Load("CREATE TABLE t (id INT PRIMARY KEY, v INT)"); err != nil {
				t.Fatal(err)
			}
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				conn, err := p.DialContext(context.Background(), "tcp", c.Address(), time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = conn.Write(sent)
				p.Step("wait", time.Second)
				_ = conn.Close()
				db := open(t, p, c.Address())
				defer db.Close()
				if err := db.Ping(); err != nil {
					t.Error(err)
				}
			})
		})
		if report.Failure != nil {
			t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
		}
	})
}
