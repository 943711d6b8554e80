package golden

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quote is a fenced block of a document with the path of the file that it quotes.
var quote = regexp.MustCompile("<!-- quotes ([^ ]+) -->\n```[a-z]*\n(?s:(.*?))```\n")

// Quotes tests that a document quotes golden files word by word. A quoting block has a mark in the line above it, `<!--
// quotes PATH -->`, with the path from the document's directory. A line of three dots stands for omitted lines. Want is
// the number of such blocks.
func Quotes(t testing.TB, path string, want int) {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := quote.FindAllSubmatch(document, -1)
	if len(found) != want {
		t.Errorf("%s has %d quotes, want %d", path, len(found), want)
	}
	for _, q := range found {
		source := filepath.Join(filepath.Dir(path), string(q[1]))
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if line, all := quoted(string(text), string(q[2])); !all {
			t.Errorf("%s quotes %s, which does not have this line there:\n%s", path, source, line)
		}
	}
}

// quoted reports whether a text has all lines of a block one after another, where dots stand for others. If not, it
// returns the first missing line.
func quoted(text, block string) (missing string, all bool) {
	lines := strings.Split(text, "\n")
	from, anywhere := 0, true
	for _, want := range strings.Split(strings.TrimSuffix(block, "\n"), "\n") {
		if strings.TrimSpace(want) == "..." {
			anywhere = true
			continue
		}
		at := from
		for anywhere && at < len(lines) && lines[at] != want {
			at++
		}
		if at >= len(lines) || lines[at] != want {
			return want, false
		}
		from, anywhere = at+1, false
	}
	return "", true
}
