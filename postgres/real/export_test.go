package real_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/postgres/builtin"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/real/confirmtest"
	"github.com/lockpick-dev/lockpick/real/export"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// exported is the export of a trace, with another lock in place of its own if one is named.
func exported(t *testing.T, name, id string) *export.Job {
	t.Helper()
	tr := confirmtest.Read(t, name)
	if id != "" {
		tr.Lock = id
	}
	l, err := scenarios.Registry(builtin.Locks()).Lock(tr.Lock)
	if err != nil {
		t.Fatal(err)
	}
	return &export.Job{
		Trace: tr, Make: l.Constructor(), Schema: pglocks.Schema(), Runs: 2, Versions: export.Built(),
		Sources: export.Embedded(map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources, "github.com/lockpick-dev/lockpick/postgres": postgres.Sources}),
	}
}

// TestExportText compares tests with those that were read by people: behind a pooler, and without one.
func TestExportText(t *testing.T) {
	for _, name := range []string{shared, late} {
		text, modules, stub, err := exported(t, name, "").Text()
		if err != nil || stub != nil {
			t.Fatalf("%s: %v, %v", name, err, stub)
		}
		if imports := strings.Join(modules, " "); strings.Contains(imports, "lockpick") || strings.Contains(imports, "lib/pq") {
			t.Errorf("%s imports %s", name, imports)
		}
		_, test, _ := strings.Cut(string(text), "\nfunc Test")
		test, _, _ = strings.Cut(test, "\n}\n")
		golden.File(t, filepath.Join("testdata", name+".txt"), "func Test"+test+"\n}\n")
	}
}

// TestExport: tests of flawed locks fail on real servers, and pass with sound ones.
func TestExport(t *testing.T) {
	slowtest.SkipIfShort(t)
	realpostgres.Need(t)
	realpostgres.NeedPooler(t)
	for name, sound := range map[string]string{shared: "pg-advisory-xact", late: "pg-lease"} { // unordered: each by itself
		if r, err := exported(t, name, "").Write(t.Context(), t.TempDir()); err != nil || r.Failed == 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		var passes *export.NotShownError
		if _, err := exported(t, name, sound).Write(t.Context(), t.TempDir()); !errors.As(err, &passes) || strings.Contains(passes.Log, "--- FAIL") {
			t.Errorf("%s with %s: %v", name, sound, err)
		}
	}
}
