package checker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// TestDocs: docs/properties.md lists the properties as they are.
func TestDocs(t *testing.T) {
	const page = "../docs/properties.md"
	var table, usual, others strings.Builder
	table.WriteString("| property | what it requires |\n|---|---|\n")
	for _, p := range checker.Properties() {
		if p.Usual() {
			fmt.Fprintf(&table, "| `%s` | %s |\n", p.ID, p.About)
			fmt.Fprintf(&usual, "## %s\n\n%s\n\n![](properties/%s.svg)\n\n", p.ID, lines(p.Doc, ""), p.ID)
		} else {
			fmt.Fprintf(&others, "- %s\n", lines("`"+p.ID+"`: "+p.Doc, "  "))
		}
	}
	golden.Part(t, page, "<!-- list of properties -->\n", "<!-- end of the list -->\n", table.String())
	golden.Part(t, page, "<!-- properties -->\n", "<!-- end of properties -->\n", usual.String())
	golden.Part(t, page, "<!-- other properties -->\n", "<!-- end of other properties -->\n", others.String())
}

// lines are a paragraph in lines of a page, all but the first one indented.
func lines(text, indent string) string {
	return strings.Join(wording.Wrap(text, 140-len(indent)), "\n"+indent)
}
