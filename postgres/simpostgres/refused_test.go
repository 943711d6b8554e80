package simpostgres

import (
	"context"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestFailsTheRun: what a real server knows and this one does not fails the run, with the statement; what no server takes is
// an error like any other.
func TestFailsTheRun(t *testing.T) {
	for query, want := range map[string]string{
		"COPY t\n FROM STDIN":                    `"COPY t FROM STDIN" (COPY)`,
		"SET work_mem = '8MB'":                   "",
		"SET TimeZone = 'Europe/Berlin'":         `"SET TimeZone = 'Europe/Berlin'" (TimeZone = 'Europe/Berlin')`,
		"SET enable_seqscan = off":               "(the parameter enable_seqscan)",
		"SELECT current_setting('log_hostname')": "(the parameter log_hostname)",
		"SHOW ALL":                               "(SHOW ALL)",
		"SHOW nothing":                           "",
		"SELECT v FROM":                          "",
		"SELECT 'a":                              "",
		"SELECT x FROM t":                        "",
		"SELECT * FROM nothing":                  "",
	} {
		report := sim.Run(sim.Config{}, func(w *sim.World) {
			c := New(w, Options{}, func(model.Observation) {})
			if err := c.Load("CREATE TABLE t (v int)"); err != nil {
				t.Error(err)
			}
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				db := connect(t, p, c.Address())
				_, _ = db.Exec(context.Background(), query)
				_ = db.Close(context.Background())
			})
		})
		switch f := report.Failure; {
		case want == "" && f == nil:
		case want == "" || f == nil || !f.Refused || !strings.HasPrefix(f.Reason, "the simulated PostgreSQL does not support ") || !strings.Contains(f.Reason, want):
			t.Errorf("%s: %v, want %q", query, f, want)
		}
	}
}

// TestLoadRefuses: a statement that fails, is not supported, or leaves a transaction open is refused.
func TestLoadRefuses(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT": "", "CREATE TABLE t (v int)": "already exists", "BEGIN": "a transaction that is not ended", "COPY t FROM STDIN": "the simulated PostgreSQL does not support COPY",
	} {
		sim.Run(sim.Config{}, func(w *sim.World) {
			c := New(w, Options{Replicas: 1}, func(model.Observation) {})
			if err := c.Load("CREATE TABLE t (v int)"); err != nil {
				t.Error(err)
			}
			switch err := c.Load(query); {
			case want == "" && err == nil:
			case want == "" || err == nil || !strings.Contains(err.Error(), want):
				t.Errorf("%s: %v, want %q", query, err, want)
			}
		})
	}
}

// TestConnections: encryption is declined, and a client that insists on it fails by itself; so does one that asks for another
// role or database.
func TestConnections(t *testing.T) {
	run(t, Options{Role: "me", Database: "mine"}, func(c *Cluster, p *sim.Process) {
		for url, want := range map[string]string{
			"me:secret@HOST/mine":                   "",
			"me@HOST/mine?sslmode=prefer":           "",
			"me@HOST/mine?sslmode=require":          "server refused TLS connection",
			"you@HOST/mine?sslmode=disable":         `role "you" does not exist (SQLSTATE 28000)`,
			"me@HOST/yours?sslmode=disable":         `database "yours" does not exist (SQLSTATE 3D000)`,
			"me@HOST/mine?statement_timeout=x":      `invalid value for parameter "statement_timeout": "x" (SQLSTATE 22023)`,
			"me@HOST/mine?options=-c%20no.such%3D1": "",
		} {
			db, err := dialURL(p, "postgres://"+strings.ReplaceAll(url, "HOST", c.Address()))
			switch {
			case err == nil && want == "":
				_ = db.Close(context.Background())
			case err == nil || want == "" || !strings.Contains(err.Error(), want):
				t.Errorf("%s: %v, want %q", url, err, want)
			}
		}
	})
}
