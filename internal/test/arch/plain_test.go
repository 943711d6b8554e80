package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlainRule: comments and messages have none of the mannered words, across lines and in any case; names, single words,
// tags, tests and "stands for" may.
func TestPlainRule(t *testing.T) {
	defer func(was []string) { NotYetPlain = was }(NotYetPlain)
	NotYetPlain = []string{"hunt"}
	const source = `package p

// f tells the caller. It keeps what
// it is, and a star stands
// for all of them.
func f(told int) string {
	const kind = "told"
	return "x stands here" + ` + "`y json`" + `
}

type t struct {
	A int ` + "`json:\"a\" doc:\"it is told\"`" + ` // Whoever reads it
}
`
	for _, test := range []struct {
		file string
		want []string
	}{
		{"sim/a.go", []string{"sim/a.go:3: plain", "sim/a.go:3: plain", "sim/a.go:8: plain", "sim/a.go:12: plain"}},
		{"sim/a_test.go", nil},
		{"hunt/a.go", nil},
	} {
		if got := check(t, test.file, source); !slices.Equal(got, slices.Concat([]string{}, test.want)) {
			t.Errorf("%s: got %q, want %q", test.file, got, test.want)
		}
	}
}

// TestPlainLists: what the lists of the rule name exists and has a reason.
func TestPlainLists(t *testing.T) {
	for where, reason := range MannerAllowed {
		place, _, _ := strings.Cut(where, ":")
		if _, err := os.Stat(filepath.Join("../../..", place)); err != nil || reason == "" {
			t.Errorf("%s may use mannered words: %v, reason %q", where, err, reason)
		}
	}
	for _, dir := range NotYetPlain {
		if _, err := os.Stat(filepath.Join("../../..", dir)); err != nil {
			t.Errorf("NotYetPlain: %v", err)
		}
	}
}
