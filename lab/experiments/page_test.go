package experiments

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// page is where `make experiments` writes.
const page = "../../docs/experiments.md"

// figure is what may stand in a cell: a number, an interval, a ratio, or nothing.
var figure = regexp.MustCompile(`^(|–|∞|-?[\d,.]+|-?[\d,.]+ to -?[\d,.]+|×[\d,.]+)$`)

// TestPage: the committed page has a section for each experiment, with tables of figures, the
// claims that were counted, and the command. The figures are those of whoever made it.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(text), "\n## ")[1:] {
		id, body, _ := strings.Cut(s, "\n")
		sections[id] = body
	}
	for _, e := range All {
		body, there := sections[e.ID]
		if !there {
			t.Errorf("the page has no section %s: make experiments", e.ID)
			continue
		}
		for _, part := range []string{e.Question, e.Source, "| measure |", "simrun experiment " + e.ID} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: there is no %q", e.ID, part)
			}
		}
		checkTables(t, e.ID, body)
		delete(sections, e.ID)
	}
	for id := range sections { // unordered: each is told
		t.Errorf("the page has a section of %s, which is no experiment", id)
	}
}

// checkTables: the lines of tables have as many cells as the heads, and figures where figures belong.
func checkTables(t *testing.T, id, body string) {
	var head []string
	for _, line := range strings.Split(body, "\n") {
		if !strings.HasPrefix(line, "|") {
			head = nil
			continue
		}
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "/"), "|"), "|")
		switch {
		case head == nil:
			head = cells
		case strings.HasPrefix(line, "|---"):
		case len(cells) != len(head):
			t.Errorf("%s: %d cells under %d heads: %s", id, len(cells), len(head), line)
		case strings.TrimSpace(head[1]) == "measure":
			for _, c := range cells[2:] {
				if !figure.MatchString(strings.TrimSpace(c)) {
					t.Errorf("%s: %q is no figure: %s", id, c, line)
				}
			}
		}
	}
}
