package render

import (
	"fmt"
	"strings"
	"testing"
)

func TestFormatOf(t *testing.T) {
	for _, test := range []struct{ name, file, want, wrong string }{
		{"", "a.html", "html", ""},
		{"", "a.SVG", "svg", ""},
		{"", "a.json", "json", ""},
		{"", "a.perfetto.json", "perfetto", ""},
		{"", "a.mmd", "mermaid", ""},
		{"shiviz", "a.txt", "shiviz", ""},
		{"pdf", "a.svg", "", `there is no format "pdf"; there are html, svg, markdown`},
		{"", "a.pdf", "", "no format has the ending of a.pdf; there are html (.html)"},
		{"", "json", "", "no format has the ending of json"},
	} {
		f, err := FormatOf(test.name, test.file)
		if test.wrong == "" && (err != nil || f.Name != test.want) {
			t.Errorf("%q, %q: got %q, %v; want %q", test.name, test.file, f.Name, err, test.want)
		}
		if test.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), test.wrong)) {
			t.Errorf("%q, %q: got %v, want %s", test.name, test.file, err, test.wrong)
		}
	}
}

func ExampleFormatOf() {
	f, err := FormatOf("", "gc-pause.mmd")
	fmt.Println(f.Name, err)
	// Output: mermaid <nil>
}
