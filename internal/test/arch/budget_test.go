package arch

import (
	"maps"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

// TestBudget holds the root module to budget.txt, which -update sets anew, each unit rounded up to a hundred.
func TestBudget(t *testing.T) {
	const path = "budget.txt"
	module, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	lines := module.Lines()
	if *golden.Update {
		golden.File(t, path, lines.Rounded().String())
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	budget, err := ParseBudget(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range budget.Exceeded(lines) {
		t.Error(problem + " (internal/test/arch/budget.txt; go test ./internal/test/arch -run TestBudget -update sets all of it anew)")
	}
}

// TestLines: tests, wings and other modules are not counted.
func TestLines(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	module, err := Load(fstest.MapFS{
		"go.mod": file("module example.org/m\n"), "root.go": file("package m\n"), "cell/a.go": file("package cell\n\n// a\n"), "cell/below/a.go": file("package below\n"),
		"cell/a_test.go": file("package cell\n"), "sim/a.go": file("package sim\n"), "sim/server/a.go": file("package server\n\nvar A int\n"),
		"etcd/go.mod": file("module example.org/m/etcd\n"), "etcd/a.go": file("package etcd\n"), "lab/go.mod": file("module example.org/m/lab\n"), "lab/a.go": file("package lab\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Budget{".": 1, "cell": 4, "sim": 1, "sim/server": 3, "total": 9}
	if got := module.Lines(); !maps.Equal(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	back, err := ParseBudget(want.String())
	if err != nil || !maps.Equal(back, want) {
		t.Errorf("parsed: %v, %v", back, err)
	}
	if _, err := ParseBudget("cell many\n"); err == nil {
		t.Error("a number that is none is no error")
	}
}

// TestExceeded: a unit may have as many lines as its budget, and no more.
func TestExceeded(t *testing.T) {
	budget := Budget{"cell": 10, "sim": 10, "gone": 1}
	got := budget.Exceeded(Budget{"cell": 10, "sim": 11, "new": 1})
	want := []string{
		"new has 1 lines and no budget: add one in a commit with a reason",
		"sim has 11 lines, 1 more than its budget: raise it in a commit with a reason, or delete",
		"gone has a budget and no lines: remove it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := (Budget{"a": 1, "b": 100, "c": 101, "total": 202}).Rounded(); !maps.Equal(got, Budget{"a": 100, "b": 100, "c": 200, "total": mostLines}) {
		t.Errorf("rounded: %s", got)
	}
}
