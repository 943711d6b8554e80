package arch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// root is the module's root.
const root = "../../.."

// parsed is the module's source. All tests share it: parsing it takes a third of their time.
var parsed = sync.OnceValues(func() (*Module, error) { return Load(os.DirFS(root)) })

// TestMain collects garbage less often: the source and its types are needed until the end.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// TestArchitecture holds this module to its layout and to determinism. It type-checks all modules, so make lint runs it, and make test
// does not.
func TestArchitecture(t *testing.T) {
	slowtest.SkipIfShort(t)
	module, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	exports, err := Exports(root, module.Externals())
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, external := range module.Externals() {
		if exports[external] == "" {
			missing = append(missing, external)
		}
	}
	all, err := Exports(filepath.Join(root, Wings[0]), missing)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(all, exports) // of what both have, what the module itself is built with
	for _, problem := range module.Check(all) {
		t.Error(problem)
	}
	for _, unit := range []string{"sim", "model", "internal/test/arch"} {
		if !slices.ContainsFunc(module.packages, func(p *pkg) bool { return p.dir == unit && len(p.files) > 0 }) {
			t.Errorf("no Go files found in %s: are we looking at the right directory?", unit)
		}
	}
}

// standard is the export data of what the snippets below import.
var standard = sync.OnceValues(func() (map[string]string, error) {
	return Exports(".", []string{"context", "crypto/rand", "hash/maphash", "maps", "math/rand", "math/rand/v2", "reflect", "slices", "sync", "time"})
})

// check judges a module of the given files ("path" then "source", in turn) by the
// layout without its groups, and returns each problem as "file:line: rule".
func check(t *testing.T, files ...string) []string {
	t.Helper()
	found := []string{}
	for _, p := range problems(t, ungrouped(), files...) {
		found = append(found, fmt.Sprintf("%s:%d: %s", p.Pos.Filename, p.Pos.Line, p.Rule))
	}
	return found
}

// ungrouped is the layout without its groups.
func ungrouped() []Unit {
	layout := slices.Clone(Layout)
	for i := range layout {
		layout[i].Groups = nil
	}
	return layout
}

// problems judges a module of the given files by a layout.
func problems(t *testing.T, layout []Unit, files ...string) []Problem {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module example.org/m\n\ngo 1.26\n")}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	module, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	exports, err := standard()
	if err != nil {
		t.Fatal(err)
	}
	module.layout = layout
	found := module.Check(exports)
	for _, p := range found {
		t.Log(p)
	}
	return found
}

// TestRules breaks every rule in all the ways that we could think of, and keeps
// to it in ways that look similar.
func TestRules(t *testing.T) {
	long := func(lines int) string {
		return "package sim\n\nfunc f() {\n" + strings.Repeat("\tprintln()\n", lines-2) + "}\n"
	}
	tests := []struct {
		name  string
		files []string
		want  []string
	}{
		// Clock.
		{"now", []string{"sim/a.go", "package sim\n\nimport \"time\"\n\nvar t = time.Now()\n"}, []string{"sim/a.go:5: clock"}},
		{"now as a value", []string{"model/a.go", "package model\n\nimport \"time\"\n\nvar now = time.Now\n"}, []string{"model/a.go:5: clock"}},
		{"sleep under another name", []string{"sim/simredis/a.go", "package simredis\n\nimport clock \"time\"\n\nfunc f() { clock.Sleep(1) }\n"}, []string{"sim/simredis/a.go:5: clock"}},
		{"all of them", []string{"lock/a.go", "package lock\n\nimport \"time\"\n\nvar (\n_ = time.Since\n_ = time.Until\n_ = time.After\n_ = time.AfterFunc\n_ = time.NewTimer\n_ = time.NewTicker\n_ = time.Tick\n)\n"},
			[]string{"lock/a.go:6: clock", "lock/a.go:7: clock", "lock/a.go:8: clock", "lock/a.go:9: clock", "lock/a.go:10: clock", "lock/a.go:11: clock", "lock/a.go:12: clock"}},
		{"dot import", []string{"sim/a.go", "package sim\n\nimport . \"time\"\n\nvar t = Now()\n"}, []string{"sim/a.go:3: clock"}},
		{"in a directory below", []string{"lock/redislocks/deep/er/a.go", "package er\n\nimport \"time\"\n\nvar t = time.Now()\n"}, []string{"lock/redislocks/deep/er/a.go:5: clock"}},
		{"on another platform", []string{"sim/a.go", "//go:build plan9 && arm64\n\npackage sim\n\nimport \"time\"\n\nvar t = time.Now()\n"}, []string{"sim/a.go:7: clock"}},
		{"durations", []string{"sim/a.go", "package sim\n\nimport \"time\"\n\nvar t = time.Unix(0, 0).Add(time.Second)\n"}, nil},
		{"a method of that name", []string{"sim/a.go", "package sim\n\ntype c struct{}\n\nfunc (c) Now() int { return 0 }\n\nvar t = c{}.Now()\n"}, nil},
		{"the bubble's file", []string{"sim/internal/bubble/bubble.go", "package bubble\n\nimport (\n\t\"math/rand\"\n\t\"time\"\n)\n\nfunc f() { time.Sleep(1); rand.Seed(1) }\n"}, []string{"sim/internal/bubble/bubble.go:8: shared"}},
		{"the file of the global sources", []string{"sim/rand.go", "package sim\n\nimport (\n\t\"math/rand\"\n\t\"time\"\n)\n\nfunc f() { time.Sleep(1); rand.Seed(1) }\n"}, []string{"sim/rand.go:8: clock"}},
		{"the watchdog's file", []string{"sim/explore/watchdog.go", "package explore\n\nimport \"time\"\n\nvar t = time.Now()\n"}, nil},
		{"a file of the bubble's name", []string{"sim/explore/bubble.go", "package explore\n\nimport \"time\"\n\nvar t = time.Now()\n"}, []string{"sim/explore/bubble.go:5: clock"}},
		{"in a test", []string{"sim/a.go", "package sim\n", "sim/a_test.go", "package sim\n\nimport \"time\"\n\nvar t = time.Now()\n"}, nil},
		{"in the command", []string{"cmd/simrun/main.go", "package main\n\nimport \"time\"\n\nvar t = time.Now()\n\nfunc main() {}\n"}, nil},

		// Random and Shared.
		{"global draw", []string{"sim/a.go", "package sim\n\nimport \"math/rand\"\n\nvar n = rand.Intn(3)\n"}, []string{"sim/a.go:5: shared"}},
		{"global draw, v2", []string{"lock/a.go", "package lock\n\nimport \"math/rand/v2\"\n\nvar n = rand.N(3)\n"}, []string{"lock/a.go:5: random"}},
		{"seeding", []string{"sim/a.go", "package sim\n\nimport \"math/rand\"\n\nfunc f() { rand.Seed(1) }\n"}, []string{"sim/a.go:5: shared"}},
		{"in a test", []string{"sim/a.go", "package sim\n", "sim/a_test.go", "package sim\n\nimport \"math/rand/v2\"\n\nvar n = rand.N(3)\n"}, []string{"sim/a_test.go:5: random"}},
		{"global draw in a test", []string{"sim/a.go", "package sim\n", "sim/a_test.go", "package sim\n\nimport \"math/rand\"\n\nvar n = rand.Intn(3)\n"}, []string{"sim/a_test.go:5: shared"}},
		{"secrets in a test", []string{"sim/a.go", "package sim\n", "sim/a_test.go", "package sim\n\nimport \"crypto/rand\"\n\nvar s = rand.Text()\n"}, nil},
		{"global draw in a lock", []string{"lock/a.go", "package lock\n\nimport \"math/rand\"\n\nvar n = rand.Intn(3)\n"}, nil},
		{"own source", []string{"sim/a.go", "package sim\n\nimport \"math/rand\"\n\nfunc f(r *rand.Rand) int { return r.Intn(3) }\n\nvar n = f(rand.New(rand.NewSource(1)))\n"}, nil},
		{"own source, v2", []string{"sim/a.go", "package sim\n\nimport \"math/rand/v2\"\n\nfunc f(r *rand.Rand) int { return r.IntN(3) }\n\nvar n = f(rand.New(rand.NewPCG(1, 2)))\n"}, nil},
		{"secrets in the kernel", []string{"sim/a.go", "package sim\n\nimport \"crypto/rand\"\n\nvar s = rand.Text()\n"}, []string{"sim/a.go:5: shared"}},
		{"secrets in a lock", []string{"lock/redislocks/a.go", "package redislocks\n\nimport \"crypto/rand\"\n\nvar s = rand.Text()\n"}, nil},
		{"hash seeds", []string{"checker/a.go", "package checker\n\nimport \"hash/maphash\"\n\nvar s = maphash.MakeSeed()\n"}, []string{"checker/a.go:5: random"}},

		// Order.
		{"map", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]int) {\n\tfor k := range m {\n\t\tprintln(k)\n\t}\n}\n"}, []string{"sim/a.go:4: order"}},
		{"map, values only", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]int) {\n\tfor _, v := range m {\n\t\tprintln(v)\n\t}\n}\n"}, []string{"sim/a.go:4: order"}},
		{"map of a named type, in a field", []string{"sim/a.go", "package sim\n\ntype set map[int]bool\n\nfunc f(x struct{ s set }) {\n\tfor k := range x.s {\n\t\tprintln(k)\n\t}\n}\n"}, []string{"sim/a.go:6: order"}},
		{"map of another package", []string{"model/a.go", "package model\n\nfunc Keys() map[int]int { return nil }\n", "checker/a.go", "package checker\n\nimport \"example.org/m/model\"\n\nfunc f() {\n\tfor k := range model.Keys() {\n\t\tprintln(k)\n\t}\n}\n"}, []string{"checker/a.go:6: order"}},
		{"map of the library", []string{"traces/a.go", "package traces\n\nimport \"maps\"\n\nfunc f(m map[int]int) {\n\tfor k := range maps.Clone(m) {\n\t\tprintln(k)\n\t}\n}\n"}, []string{"traces/a.go:6: order"}},
		{"map by type parameter", []string{"sim/a.go", "package sim\n\nfunc f[M ~map[int]int](m M) {\n\tfor k := range m {\n\t\tprintln(k)\n\t}\n}\n"}, []string{"sim/a.go:4: order"}},
		{"keys", []string{"scenarios/a.go", "package scenarios\n\nimport \"maps\"\n\nfunc f(m map[int]int) {\n\tfor k := range maps.Keys(m) {\n\t\tprintln(k)\n\t}\n}\n"}, []string{"scenarios/a.go:6: order"}},
		{"keys collected", []string{"cmd/simrun/main.go", "package main\n\nimport (\n\t\"maps\"\n\t\"slices\"\n)\n\nfunc main() { println(slices.Collect(maps.Values(map[int]int{}))) }\n"}, []string{"cmd/simrun/main.go:8: order"}},
		{"sync.Map", []string{"sim/a.go", "package sim\n\nimport \"sync\"\n\nfunc f(m *sync.Map) {\n\tm.Range(func(k, v any) bool { return true })\n}\n"}, []string{"sim/a.go:6: order"}},
		{"reflection", []string{"sim/a.go", "package sim\n\nimport \"reflect\"\n\nfunc f(v reflect.Value) {\n\tprintln(v.MapKeys())\n}\n"}, []string{"sim/a.go:6: order"}},
		{"in the bubble's file", []string{"sim/internal/bubble/bubble.go", "package bubble\n\nfunc f(m map[int]int) {\n\tfor k := range m {\n\t\tprintln(k)\n\t}\n}\n"}, []string{"sim/internal/bubble/bubble.go:4: order"}},
		{"sorted keys", []string{"sim/a.go", "package sim\n\nimport (\n\t\"maps\"\n\t\"slices\"\n)\n\nfunc f(m map[int]int) {\n\tfor _, k := range slices.Sorted((maps.Keys[map[int]int](m))) {\n\t\tprintln(k)\n\t}\n}\n"}, nil},
		{"counting", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]int) (n int) {\n\tfor range m {\n\t\tn++\n\t}\n\tfor _, _ = range m {\n\t\tn++\n\t}\n\treturn n\n}\n"}, nil},
		{"slices, channels, numbers, functions", []string{"sim/a.go", "package sim\n\nfunc f(s []int, c chan int, g func(func(int) bool)) {\n\tfor i := range s {\n\t\tprintln(i)\n\t}\n\tfor i := range c {\n\t\tprintln(i)\n\t}\n\tfor i := range 3 {\n\t\tprintln(i)\n\t}\n\tfor i := range g {\n\t\tprintln(i)\n\t}\n}\n"}, nil},
		{"excused", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]int) (n int) {\n\t// unordered: a sum is\n\t// the same either way\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\treturn n\n}\n"}, nil},
		{"excused at the line's end", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]int) (n int) {\n\tfor _, v := range m { // unordered: a sum\n\t\tn += v\n\t}\n\treturn n\n}\n"}, nil},
		{"excused for the outer loop only", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]map[int]int) (n int) {\n\tfor _, o := range m { // unordered: a sum\n\t\tfor _, v := range o {\n\t\t\tn += v\n\t\t}\n\t}\n\treturn n\n}\n"}, []string{"sim/a.go:5: order"}},
		{"excused without a reason", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]int) (n int) {\n\t// unordered:\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\treturn n\n}\n"}, []string{"sim/a.go:4: order", "sim/a.go:5: order"}},
		{"excused from afar", []string{"sim/a.go", "package sim\n\nfunc f(m map[int]int) (n int) {\n\t// unordered: a sum\n\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\treturn n\n}\n"}, []string{"sim/a.go:4: order", "sim/a.go:6: order"}},
		{"excused for nothing", []string{"sim/a.go", "package sim\n\nfunc f(s []int) (n int) {\n\t// unordered: a sum\n\tfor _, v := range s {\n\t\tn += v\n\t}\n\treturn n\n}\n"}, []string{"sim/a.go:4: order"}},
		{"map in a test", []string{"sim/a.go", "package sim\n", "sim/a_test.go", "package sim\n\nfunc f(m map[int]int) {\n\tfor k := range m {\n\t\tprintln(k)\n\t}\n}\n"}, nil},

		// Length.
		{"a screen", []string{"sim/a.go", long(MaxLines)}, nil},
		{"more than a screen", []string{"sim/a.go", long(MaxLines + 1)}, []string{"sim/a.go:3: length"}},
		{"in a variable", []string{"sim/a.go", strings.Replace(long(MaxLines+1), "func f()", "var f = func()", 1)}, []string{"sim/a.go:3: length"}},
		{"a long test", []string{"sim/a.go", "package sim\n", "sim/a_test.go", long(MaxLines + 1)}, nil},

		// What the rules stand on.
		{"no Go", []string{"sim/a.go", "package sim\n\nfunc {\n"}, []string{"sim/a.go:3: parse"}},
		{"no such type", []string{"sim/a.go", "package sim\n\nvar x nowhere\n"}, []string{"sim/a.go:3: types"}},
		{"no such import", []string{"sim/a.go", "package sim\n\nimport _ \"example.org/elsewhere\"\n"}, []string{"sim/a.go:3: types"}},
		{"no place", []string{"util/a.go", "package util\n"}, []string{"util/a.go:1: place"}},
		{"import of what has no place", []string{"cmd/simrun/main.go", "package main\n\nimport _ \"example.org/m/util\"\n\nfunc main() {}\n", "util/a.go", "package util\n"}, []string{"cmd/simrun/main.go:3: imports", "util/a.go:1: place"}},
		{"other modules", []string{"examples/x/go.mod", "module x\n", "examples/x/a.go", "package x\n\nfunc {\n", "sim/testdata/a.go", "package {"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := check(t, test.files...); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestImportRule: a unit imports itself and what is below it; its tests import more, and those of an
// external test package everything.
func TestImportRule(t *testing.T) {
	layout := []Unit{
		{Dir: "low"},
		{Dir: "low/inner", Below: []string{"low"}},
		{Dir: "middle", Below: []string{"low"}, Tests: []string{"helper"}},
		{Dir: "high", Below: []string{"middle"}},
		{Dir: "helper"},
	}
	for _, test := range []struct {
		from, to       string
		code, testCode bool // whether code, and a test, of from may import to
	}{
		{"low", "low", true, true},
		{"low", "middle", false, false},
		{"low", "low/inner", false, false}, // a unit of its own
		{"low/inner", "low", true, true},
		{"low/inner", "low/inner", true, true},
		{"middle", "low", true, true},
		{"middle", "low/inner", false, false},
		{"middle", "helper", false, true},
		{"high", "middle", true, true},
		{"high", "low", false, false}, // named by no line of high's own
		{"high", "helper", false, false},
	} {
		importer := "package p\n\nimport _ \"example.org/m/" + test.to + "/sub\"\n"
		for _, as := range []struct {
			name, file, text string
			allowed          bool
		}{
			{"code", "/a.go", importer, test.code},
			{"a test", "/a_test.go", importer, test.testCode},
			{"an external test", "/a_test.go", strings.Replace(importer, "package p", "package p_test", 1), true},
		} {
			files := []string{test.to + "/sub/a.go", "package sub\n", test.from + as.file, as.text}
			if as.file != "/a.go" {
				files = append(files, test.from+"/a.go", "package p\n")
			}
			var got []string
			for _, p := range problems(t, layout, files...) {
				got = append(got, fmt.Sprintf("%s:%d: %s", p.Pos.Filename, p.Pos.Line, p.Rule))
			}
			var want []string
			if !as.allowed {
				want = []string{test.from + as.file + ":3: imports"}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of %s imports %s: got %q, want %q", as.name, test.from, test.to, got, want)
			}
		}
	}
}

// TestLayout: the layout names what there is, each unit once, and no unit stands below itself.
func TestLayout(t *testing.T) {
	units := map[string]*Unit{}
	for i := range Layout {
		u := &Layout[i]
		if units[u.Dir] != nil {
			t.Errorf("%s stands in the layout twice", u.Dir)
		}
		units[u.Dir] = u
		if _, err := os.Stat(filepath.Join("../../..", u.Dir)); err != nil {
			t.Errorf("the layout has a unit that is not there: %v", err)
		}
	}
	for i := range Layout {
		u := &Layout[i]
		for _, name := range slices.Concat(u.Below, u.Tests) {
			if units[name] == nil {
				t.Errorf("%s may import %s, which is no unit", u.Dir, name)
			}
		}
		seen := map[string]bool{}
		for next := slices.Clone(u.Below); len(next) > 0; next = next[1:] {
			name := next[0]
			if name == u.Dir {
				t.Errorf("%s stands below itself", u.Dir)
				break
			}
			if !seen[name] && units[name] != nil {
				seen[name] = true
				next = append(next, units[name].Below...)
			}
		}
	}
}

// TestWordsRule: code that is no store's names none, in comments, names and texts; who
// may is in a list, and so are tests and imports.
func TestWordsRule(t *testing.T) {
	const source = "package p\n\nimport _ \"fmt\"\n\n// x waits for a replica.\nvar redis1, keys = \"primary\", \"replicated\"\n"
	for _, test := range []struct {
		file string
		want []string
	}{
		{"model/a.go", []string{"model/a.go:5: words", "model/a.go:6: words", "model/a.go:6: words"}},
		{"sim/simredis/a.go", nil},
		{"sim/a_test.go", nil},
		{"lock/doc.go", nil},
	} {
		if got := check(t, test.file, source); !slices.Equal(got, slices.Concat([]string{}, test.want)) {
			t.Errorf("%s: got %q, want %q", test.file, got, test.want)
		}
	}
	for where, reason := range KnowsStores {
		if _, err := os.Stat(filepath.Join("../../..", where)); err != nil || reason == "" {
			t.Errorf("%s may name a store: %v, reason %q", where, err, reason)
		}
	}
}

// TestProblem pins what a problem tells the person who made it.
func TestProblem(t *testing.T) {
	found := problems(t, ungrouped(), "sim/a.go", "package sim\n\nimport \"time\"\n\nvar t = time.Now()\n")
	const want = "[sim/a.go:5: clock: time.Now goes by package time's clock, past the process's own (skew, pauses) and the event log; " +
		"use the process's Clock, or the run's virtual time]"
	if got := fmt.Sprint(found); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
