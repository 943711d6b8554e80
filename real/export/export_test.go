package export_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick"
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/export"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// mutex makes a mutex.
type mutex = func(*cell.Client) lock.Locker

// job is the export of a trace of the corpus.
func job(t *testing.T, name, id string) *export.Job {
	t.Helper()
	return of(t, filepath.Join("..", "..", "traces", "corpus", name+".json"), id)
}

// of is the export of a trace, with another lock in place of its own if one is named.
func of(t *testing.T, file, id string) *export.Job {
	t.Helper()
	tr, err := traces.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if id != "" {
		tr.Lock = id
	}
	l, err := scenarios.Registry(builtin.Locks()).Lock(tr.Lock)
	if err != nil {
		t.Fatal(err)
	}
	return &export.Job{
		Trace: tr, Make: l.Constructor(), Sources: export.Embedded(map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources}), Runs: 1,
		Versions: map[string]string{"github.com/redis/go-redis/v9": "v9.0.5", "github.com/jonboulle/clockwork": "v0.5.0"},
	}
}

// TestText compares the written tests with those that were read by people, one for each form.
func TestText(t *testing.T) {
	for _, name := range []string{
		"lost-reply_setpx-twostep_owner-only-release", // a lost answer, and a request that waits for another client
		"late-reply_setpx_no-lost-update",             // a late answer, and what the lock protects
		"gc-pause_setpx_no-lost-update",               // a pause between two calls
	} {
		t.Run(name, func(t *testing.T) {
			text, modules, stub, err := job(t, name, "").Text()
			if err != nil || stub != nil {
				t.Fatalf("%v, %v\n%s", err, stub, text)
			}
			for _, m := range modules {
				if strings.Contains(m, "lockpick") {
					t.Errorf("it imports %s", m)
				}
			}
			golden.File(t, filepath.Join("testdata", name+".txt"), string(text))
		})
	}
}

// TestExtendTooLate: an Extend whose answer is late is judged by the record at its return, and one of a lost lock by the record at its call.
func TestExtendTooLate(t *testing.T) {
	for cause, want := range map[string][2]string{
		model.ExtendedTooLate: {".Await(t)\n\tmine := ", "if now := redisRecord(t, server); extendErr == nil && now != mine {"},
		model.Untrue:          {"before := redisRecord(t, server)\n", "if extendErr == nil && before != mine {"},
	} { // unordered: each by itself
		j := of(t, filepath.Join("testdata", "late-extend.json"), "setpx")
		j.Trace.Verdict().Cause = cause
		text, _, stub, err := j.Text()
		if err != nil || stub != nil {
			t.Fatalf("%v, %v", err, stub)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s: the test has no %q:\n%s", cause, part, text)
			}
		}
	}
}

// sentinels are traces of a sentinel that is missing, and of one that is gone later.
var sentinels = []string{"absent-sentinel", "lost-sentinel"}

// TestSentinels compares the tests of a sentinel that does not answer with those that were read by people.
func TestSentinels(t *testing.T) {
	for _, name := range sentinels {
		text, _, stub, err := of(t, filepath.Join("testdata", name+".json"), "setpx").Text()
		if err != nil || stub != nil {
			t.Fatalf("%s: %v, %v\n%s", name, err, stub, text)
		}
		undeclared(t, text)
		golden.File(t, filepath.Join("testdata", name+".txt"), string(text))
	}
}

// TestSentinelsRefused: of stories with sentinels or slots no other has a form.
func TestSentinelsRefused(t *testing.T) {
	for want, change := range map[string]func(tr *traces.Trace){
		"topology cluster": func(tr *traces.Trace) { set(tr, "topology", "cluster") },
		"a test decides progress": func(tr *traces.Trace) {
			v := tr.Verdict()
			tr.Property, v.Property = "another", "another"
		},
		"no sentinel is gone": func(tr *traces.Trace) { tr.History.Observations = tr.History.Observations[2:] },
		"crashed of sentinel2 is needed": func(tr *traces.Trace) { // a second one
			tr.History.Observations[2] = model.Observation{Kind: model.Crashed, Node: "sentinel2"}
		},
		"crashed of redis1 is needed": func(tr *traces.Trace) { tr.History.Observations[0].Node = "redis1" },
		"that is not one sentinel's":  func(tr *traces.Trace) { tr.History.Observations[1].Sides.A = []string{"sentinel1", "redis1"} },
		"paused of sentinel2 is needed": func(tr *traces.Trace) {
			tr.History.Observations[0] = model.Observation{Kind: model.Paused, Node: "sentinel2"}
		},
	} { // unordered: each by itself
		j := of(t, filepath.Join("testdata", "lost-sentinel.json"), "setpx")
		change(j.Trace)
		_, _, _, err := j.Text()
		var form *export.FormError
		if !errors.As(err, &form) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want a FormError with %q", err, want)
		}
	}
}

// set sets a parameter of a trace.
func set(tr *traces.Trace, name, value string) {
	for i := range tr.Parameters {
		if tr.Parameters[i].Name == name {
			tr.Parameters[i].Value = value
		}
	}
}

// TestEveryLock copies the code of every built-in mutex.
func TestEveryLock(t *testing.T) {
	for _, l := range builtin.Locks() {
		if len(l.Needs.Topologies) > 0 || l.Needs.Servers > 1 {
			continue
		}
		if _, ok := l.Constructor().(mutex); !ok {
			continue
		}
		t.Run(l.ID, func(t *testing.T) {
			text, _, stub, err := job(t, "gc-pause_setpx_no-lost-update", l.ID).Text()
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if strings.HasPrefix(l.ID, "pull") { // their constructors are made by a function, with its variables
				if stub == nil {
					t.Error("its constructor has variables from around it, and was copied without them")
				}
				return
			}
			if stub != nil {
				t.Fatalf("its code is not copied: %v", stub)
			}
			undeclared(t, text)
		})
	}
}

// undeclared reports names that a file uses and does not declare.
func undeclared(t *testing.T, text []byte) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "x_test.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]bool{}
	for _, i := range f.Imports {
		if i.Name != nil {
			imports[i.Name.Name] = true
		}
	}
	fields := map[*ast.Ident]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				fields[id] = true
			}
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				fields[id] = fields[id] || id.Obj == nil // a package
			}
		}
		return true
	})
	predeclared := " any append bool byte cap clear close copy delete error false float64 int int32 int64 iota len make max min new nil panic print recover rune string true uint uint32 uint64 uint8 uintptr _ comparable "
	for _, id := range f.Unresolved {
		if !fields[id] && !strings.Contains(predeclared, " "+id.Name+" ") {
			t.Errorf("%s is not declared", id.Name)
		}
	}
}

// TestRefused says why there is no test of a trace.
func TestRefused(t *testing.T) {
	for name, want := range map[string]string{
		"failover-loss_setpx_mutual-exclusion":            "crashed on redis1 is needed",
		"hung-node_setpx-del_owner-only-release":          "redis1 hangs",
		"watchdog-late_watchdog_overrun":                  "no test decides overrun",
		"server-clock-jump_setpx-fenced_mutual-exclusion": "clock-jumped on redis1 is needed",
	} { // unordered: each by itself
		_, _, _, err := job(t, name, "").Text()
		var form *export.FormError
		if !errors.As(err, &form) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a FormError with %q", name, err, want)
		}
	}
}

// TestStub: the constructor has a variable of the function around it, whose value nothing tells.
func TestStub(t *testing.T) {
	j := job(t, "gc-pause_setpx_no-lost-update", "")
	of := j.Make.(mutex)
	j.Make = func(c *cell.Client) lock.Locker { return of(c) }
	text, _, stub, err := j.Text()
	if err != nil || stub == nil {
		t.Fatalf("%v, %v", err, stub)
	}
	if !strings.Contains(string(text), `panic("TODO: make the lock`) {
		t.Errorf("it has no stub:\n%s", text)
	}
	undeclared(t, text)
	dir := t.TempDir()
	r, err := j.Write(t.Context(), dir)
	if err != nil || !r.Stub {
		t.Errorf("%v, %v: want a stub that was not run", r, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x_test.go")); err != nil {
		t.Error(err)
	}
}

// TestWrite runs what it writes: the flawed lock fails, and a sound one in its place is not written.
func TestWrite(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	const name = "lost-reply_setpx-twostep_owner-only-release"
	dir := filepath.Join(t.TempDir(), "out")
	r, err := job(t, name, "").Write(t.Context(), dir)
	if err != nil || r.Failed != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, file := range []string{"x_test.go", "go.mod", "go.sum", "README.md"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
	other := filepath.Join(t.TempDir(), "sound")
	_, err = job(t, name, "setpx").Write(t.Context(), other)
	var shown *export.NotShownError
	if !errors.As(err, &shown) {
		t.Errorf("with a sound lock: %v", err)
	}
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("it was written all the same: %v", err)
	}
}
