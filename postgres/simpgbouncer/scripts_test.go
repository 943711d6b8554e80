package simpgbouncer_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

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
			place := &real{t: t, server: server, how: how, relay: r}
			place.start()
			x := &player{place: place}
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
