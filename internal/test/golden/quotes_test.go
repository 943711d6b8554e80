package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestQuotes(t *testing.T) {
	const fence = "```"
	dir := t.TempDir()
	doc := filepath.Join(dir, "README.md")
	for _, c := range []struct{ what, block, says string }{
		{"all", "1\n2\n3\n", ""},
		{"a part", "2\n", ""},
		{"two parts", "1\n...\n3\n", ""},
		{"indented dots", "1\n  ...\n4\n", ""},
		{"another line", "1\nx\n", "this line there:\nx"},
		{"a line left out without dots", "1\n3\n", "this line there:\n3"},
		{"in another order", "3\n...\n1\n", "this line there:\n1"},
		{"more than there is", "4\n5\n", "this line there:\n5"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "a.golden"), []byte("1\n2\n3\n4"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(doc, []byte("# Title\n\n<!-- quotes a.golden -->\n"+fence+"\n"+c.block+fence+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		f := &failing{TB: t}
		Quotes(f, doc, 1)
		if !strings.Contains(f.with, c.says) || (c.says == "") != (f.with == "") {
			t.Errorf("%s: %q, want %q", c.what, f.with, c.says)
		}
	}
	f := &failing{TB: t}
	if Quotes(f, doc, 2); !strings.Contains(f.with, "has 1 quotes, want 2") && f.with == "" {
		t.Errorf("a quote that is missing: %q", f.with)
	}
}
