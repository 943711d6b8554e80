package labreport

import (
	"strings"
	"testing"
)

// Leaders are a table on a page of Markdown, and a sentence for each setting elsewhere.
func TestLeaders(t *testing.T) {
	r := Report{Notes: []string{"A note."}, Leaders: []Leader{
		{"1 contender", "highest throughput", "setpx", "48.5 1/s"},
		{"64 contenders", "highest throughput", "db-row", "49.5 1/s"},
		{"64 contenders", "most even shares", "fair", "0.9"},
	}}
	var out strings.Builder
	if err := r.LeadersTable(&out); err != nil {
		t.Fatal(err)
	}
	if want := "| | 1 contender | 64 contenders |\n|---|---|---|\n" +
		"| highest throughput | `setpx` (48.5 1/s) | `db-row` (49.5 1/s) |\n" +
		"| most even shares | | `fair` (0.9) |\n"; out.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", out.String(), want)
	}
	if got, want := strings.Join(r.Remarks(), "\n"), "With 1 contender setpx has the highest throughput (48.5 1/s).\n"+
		"With 64 contenders db-row has the highest throughput (49.5 1/s) and fair has the most even shares (0.9).\nA note."; got != want {
		t.Errorf("the remarks are\n%s\nwant\n%s", got, want)
	}
	out.Reset()
	if err := (&Report{}).LeadersTable(&out); err != nil || out.Len() > 0 {
		t.Errorf("without leaders the table is %q", out.String())
	}
}
