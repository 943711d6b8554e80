package arch

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
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

// TestPlainPages: the prose of the pages for users has none of the mannered words. Code, output and quotations are not prose.
func TestPlainPages(t *testing.T) {
	const root = "../../.."
	pages := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	for _, page := range docs {
		pages = append(pages, "docs/"+filepath.Base(page))
	}
	m := &Module{}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		m.mannered(&file{name: page}, prose(string(text)), func(newlines int) token.Position { return token.Position{Filename: page, Line: newlines + 1} })
	}
	for _, p := range m.problems {
		t.Error(p)
	}
	if got := prose("a told\n```\ntold\n```\n\ttold\n`told` b\n> told\n"); strings.Count(got, "told") != 1 {
		t.Errorf("prose has more or less than its own words: %q", got)
	}
}

// prose blanks what is no prose in a page of Markdown, and keeps its lines: code between fences, indented or between quotes, and quotations.
func prose(page string) string {
	fenced, lines := false, strings.Split(page, "\n")
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence || fenced || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, ">") {
			lines[i] = ""
		}
		if fence {
			fenced = !fenced
		}
		lines[i] = regexp.MustCompile("`[^`]*`").ReplaceAllString(lines[i], "``")
	}
	return strings.Join(lines, "\n")
}
