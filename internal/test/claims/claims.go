// Package claims compares comments of locks with expectations: a comment names, in parentheses, scenarios and properties
// that show what breaks the lock. It is for tests.
package claims

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// Comments returns the comments of a package's types, each on one line, and the names
// of its examples.
func Comments(t testing.TB, dir string) (comments map[string]string, examples []string) {
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

// Check compares the parentheses in the comment of a type with the families' expectations of its locks. A difference is an
// error of the test.
func Check(t testing.TB, families []expect.Family, name, comment string, ids []string) {
	t.Helper()
	words := regexp.MustCompile(`[a-z]+(-[a-z]+)*`)
	for _, claim := range regexp.MustCompile(`\([^()]*\)`).FindAllString(comment, -1) {
		var under []expect.Expectation
		var properties []string
		for _, w := range words.FindAllString(claim, -1) {
			if _, err := scenarios.Find(w); err == nil {
				under = append(under, expectedOfAny(t, families, w, ids))
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

// expectedOfAny returns the expectations of any of the locks in the scenario.
func expectedOfAny(t testing.TB, families []expect.Family, scenario string, ids []string) (sum expect.Expectation) {
	t.Helper()
	sum.Scenario = scenario
	for _, id := range ids {
		e, err := expect.Expected(families, id)
		if err != nil {
			t.Fatal(err)
		}
		expected := []expect.Expectation{e.Under(scenario)}
		for _, in := range e.In {
			if in.Scenario == scenario && in.Topology != "" {
				expected = append(expected, in)
			}
		}
		for _, in := range expected {
			sum.Must, sum.May = append(sum.Must, in.Must...), append(sum.May, in.May...)
			sum.Undecided = sum.Undecided || in.Undecided
		}
	}
	return sum
}
