package scenarios_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/expect"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/redis/builtin"
)

// lockTypes are the types of package redislocks with the locks that are made of
// them. Those without an id of their own are told in another's comment.
var lockTypes = map[string][]string{
	"SetNX": {"setnx"}, "SetNXTimestampDel": {"setnx-timestamp-del"}, "SetNXGetSet": {"setnx-getset", "setnx-getset-nil"},
	"SetNXGetSetPrinted": {"setnx-getset-as-printed"},
	"SetPX":              {"setpx"}, "SetPXCAD": {"setpx-cad"}, "SetPXWatch": {"setpx-watch"}, "SetPXWait": {"setpx-wait", "setpx-wait-one-of-two"},
	"SetPXFenced": {"setpx-fenced"}, "SetPXFencedElsewhere": {"setpx-fenced-elsewhere"},
	"SetPXDel": {"setpx-del"}, "SetPXTwoStep": {"setpx-twostep"}, "SetPXVoidPrinted": {"setpx-void-as-printed"},
	"SetPXWaitAsTTLPrinted": {"setpx-d-as-printed"}, "SetPXSpinReleasePrinted": {"setpx-spin-release-as-printed"},
	"Reentrant": {"reentrant"}, "Watchdog": {"watchdog"}, "Fair": {"fair"}, "ReadWrite": {"readwrite"},
	"Semaphore": {"semaphore"}, "PermitSemaphore": {"permit-semaphore"}, "Latch": {"latch"}, "Barrier": {"barrier"},
	"Segmented": {"segmented"}, "Multi": {"multi"},
	"Redlock": {"redlock", "redlock-replicated", "redlock-unchecked"}, "RedlockMulti": {"redlock-multi"},
}

// TestComments: what a lock's comment says in parentheses of scenarios and
// properties is what is expected there; it has its guarantee, what breaks it and
// its defaults; and there is an example.
func TestComments(t *testing.T) {
	const dir = "../lock/redislocks"
	comments, examples := commentsOf(t, dir)
	covered := []string{"pull", "pull-renew", "pull-hotspot"} // of package pull, which has its own manual
	for name, ids := range lockTypes {
		covered = append(covered, ids...)
		comment := comments[name]
		for _, word := range []string{"uarantee", "reaks it", "Defaults:"} {
			if !strings.Contains(comment, word) {
				t.Errorf("%s: its comment has no word of %q", name, word)
			}
		}
		checkClaims(t, name, comment, ids)
		if !slices.ContainsFunc(examples, func(e string) bool { return e == "Example"+name || e == "ExampleNew"+name }) {
			t.Errorf("%s: there is no example", name)
		}
	}
	for _, l := range builtin.Locks() {
		if !slices.Contains(covered, l.ID) {
			t.Errorf("%s is of no type of %s", l.ID, dir)
		}
	}
	manual, err := os.ReadFile("../lock/pull/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	checkClaims(t, "package pull", strings.ReplaceAll(string(manual), "\n//", ""), []string{"pull"})
}

// commentsOf are the comments of a package's types, each on one line, and the names
// of its examples.
func commentsOf(t *testing.T, dir string) (comments map[string]string, examples []string) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	comments = map[string]string{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok && d.Doc != nil {
					comments[spec.Name.Name] = strings.ReplaceAll(d.Doc.Text(), "\n", " ")
				}
			case *ast.FuncDecl:
				if strings.HasPrefix(d.Name.Name, "Example") {
					examples = append(examples, d.Name.Name)
				}
			}
		}
	}
	return comments, examples
}

// checkClaims compares what is in parentheses with what is expected of the locks.
func checkClaims(t *testing.T, name, comment string, ids []string) {
	t.Helper()
	words := regexp.MustCompile(`[a-z]+(-[a-z]+)*`)
	for _, claim := range regexp.MustCompile(`\([^()]*\)`).FindAllString(comment, -1) {
		var under []expect.Expectation
		var properties []string
		for _, w := range words.FindAllString(claim, -1) {
			if _, err := scenarios.Find(w); err == nil {
				under = append(under, expectedOfAny(t, w, ids))
			}
			if checker.Known(w) {
				properties = append(properties, w)
			}
		}
		for _, e := range under {
			found := slices.Concat(e.Must, e.May)
			is := func(p string) bool { return model.Violates(found, p) }
			if len(found) == 0 && !e.Undecided || len(properties) > 0 && !slices.ContainsFunc(properties, is) {
				t.Errorf("%s: %s: in %s this is expected: %v", name, claim, e.Scenario, found)
			}
		}
		for _, p := range properties {
			if len(under) > 0 && !slices.ContainsFunc(under, func(e expect.Expectation) bool { return model.Violates(slices.Concat(e.Must, e.May), p) }) {
				t.Errorf("%s: %s: %s is expected in none of them", name, claim, p)
			}
		}
	}
}

// expectedOfAny is what is expected in the scenario of any of the locks.
func expectedOfAny(t *testing.T, scenario string, ids []string) (sum expect.Expectation) {
	t.Helper()
	sum.Scenario = scenario
	for _, id := range ids {
		e, err := expect.Expected(builtin.Families(), id)
		if err != nil {
			t.Fatal(err)
		}
		in := e.Under(scenario)
		sum.Must, sum.May = append(sum.Must, in.Must...), append(sum.May, in.May...)
		sum.Undecided = sum.Undecided || in.Undecided
	}
	return sum
}
