package main

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTrackRecordPage: what docs/track-record.md says was confirmed is what docs/confirm.md has, tries and server, and what it has
// of versions that are repaired. The rows that another test shows have no tries.
func TestTrackRecordPage(t *testing.T) {
	const (
		module, scenario, property, result, tries, server, repaired = 0, 1, 2, 4, 5, 7, 9
	)
	all := tableOf(t, "../../../docs/confirm.md", "| module |")
	compared := 0
	for _, row := range tableOf(t, "../../../docs/track-record.md", "| library |") {
		dir := path.Base(regexp.MustCompile(`\]\((.*?)\)`).FindStringSubmatch(row[0])[1])
		said := regexp.MustCompile(`\d+ of \d+`).FindString(row[3])
		found := regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row[2], -1)
		var want []string
		for _, r := range all {
			switch {
			case strings.HasPrefix(r[repaired], dir+": "):
				want = append(want, r[server][:strings.IndexByte(r[server], ' ')]+" "+strings.TrimPrefix(r[repaired], dir+": "))
			case len(found) < 2 || strings.SplitN(r[module], ":", 2)[0] != dir || found[0][1] != r[property] || found[len(found)-1][1] != r[scenario]:
			case r[result] == "cannot be forced":
				want = append(want, "not")
			default:
				want = append(want, r[server][:strings.IndexByte(r[server], ' ')]+" "+r[tries])
			}
		}
		if said == "" {
			if len(want) > 0 && (slices.Compact(want)[0] != "not" || !strings.HasPrefix(row[3], "not: ") && !strings.Contains(row[3], "(reports/")) {
				t.Errorf("%s, %s: said %q, and docs/confirm.md has %q", row[0], row[2], row[3], want)
			}
			continue
		}
		compared++
		if !slices.ContainsFunc(want, func(w string) bool {
			server, tries, _ := strings.Cut(w, " ")
			return tries == said && (strings.HasPrefix(strings.ToLower(row[3]), server) || strings.HasPrefix(row[3], "not: "))
		}) {
			t.Errorf("%s, %s: said %q, and docs/confirm.md has %q", row[0], row[2], row[3], want)
		}
	}
	if compared < 15 {
		t.Errorf("%d rows have tries", compared)
	}
}

// tableOf are the cells of the table that begins with a line that has this prefix.
func tableOf(t *testing.T, file, prefix string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n"+prefix)
	if !found {
		t.Fatalf("%s has no table that begins with %q", file, prefix)
	}
	lines := strings.Split(rest, "\n")
	for _, line := range lines[2:] { // without the head and the line below it
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}
