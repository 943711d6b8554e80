package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// A table has the results of the traces of one kind. It is in the page between two lines, so that each kind
// can be measured by itself.
type table struct {
	name, head string
	// has reports whether a row is of the kind.
	has func(row) bool
	// line is a row.
	line func(*row) string
}

func (t table) begin() string { return "<!-- made by make bench-confirm: " + t.name + " -->" }
func (t table) end() string   { return "<!-- end of the " + t.name + " -->" }

// tables are those of the page.
var tables = []table{
	{
		name: "corpus",
		head: "The corpus (`traces/corpus`), %s:\n\n| scenario | lock | property | cause | result | tries | seconds each | server, client | why not |\n|---|---|---|---|---|---|--:|---|---|\n",
		has:  func(r row) bool { return r.module == "" },
		line: func(r *row) string { return fmt.Sprintf("| %s | %s |%s\n", r.Scenario, r.Lock, r.cells()) },
	},
	{
		name: "track record",
		head: "The track record ([examples/trackrecord](../examples/trackrecord)), %s:\n\n| module | scenario | property | cause | result | tries | seconds each | server, client | why not | repaired version |\n|---|---|---|---|---|---|--:|---|---|---|\n",
		has:  func(r row) bool { return r.module != "" },
		line: func(r *row) string {
			repaired := ""
			if r.control != nil {
				repaired = fmt.Sprintf("%s: %d of %d", r.repaired, r.control.Confirmed, r.control.Of)
			}
			return fmt.Sprintf("| %s | %s |%s %s |\n", r.module, r.Scenario, r.cells(), repaired)
		},
	},
}

// row is the result of one trace.
type row struct {
	confirm.Statement
	name   string
	module string // of the track record, empty for the corpus
	took   time.Duration
	// control is the result of the same trace with the repaired version in the module, nil if there is none.
	control  *confirm.Statement
	repaired string
}

// result returns the result of a trace, with the reasons of tries that did not confirm it.
func (r *row) result() string {
	if r.Result == confirm.NotForced {
		return r.Reason
	}
	parts := []string{fmt.Sprintf("%d of %d, %.1f s each", r.Confirmed, r.Of, r.Mean)}
	for _, list := range []map[string]int{r.Diverged, r.OtherCauses} {
		for _, reason := range slices.Sorted(maps.Keys(list)) {
			parts = append(parts, fmt.Sprintf("%d× %s", list[reason], strings.TrimSpace(reason)))
		}
	}
	return strings.Join(parts, "; ")
}

// why is what a table says of a trace that is not confirmed in each try.
func (r *row) why() string {
	if e, ok := exceptions[r.name]; ok {
		return e.why
	}
	text := ""
	if r.Result == confirm.NotForced {
		text = r.Reason
	} else if r.Confirmed < r.Of {
		_, text, _ = strings.Cut(r.result(), "; ")
	}
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// markdown returns the table of the rows of its kind, or empty if there are none.
func (t table) markdown(rows []row, e confirm.Effort) string {
	var b strings.Builder
	for _, r := range rows {
		if !t.has(r) {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, t.head, fmt.Sprintf("%d tries of each on %s/%s with %d processors, one after another", e.Tries, runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
		}
		b.WriteString(t.line(&r))
	}
	return b.String()
}

// cells are those that both tables have.
func (r *row) cells() string {
	cause := r.Cause
	if r.Limit {
		cause += " (limit)"
	}
	tries, seconds, with := "", "", ""
	if r.Of > 0 {
		tries, seconds, with = fmt.Sprintf("%d of %d", r.Confirmed, r.Of), fmt.Sprintf("%.1f", r.Mean), strings.TrimSuffix(r.Server+", "+r.Client, ", ")
	}
	return fmt.Sprintf(" %s | %s | %s | %s | %s | %s | %s |", r.Property, cause, r.Result, tries, seconds, with, r.why())
}

// insert writes the tables that have rows into a page, in place of older ones. Without rows it only sees whether it could.
func insert(path string, rows []row, e confirm.Effort) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, t := range tables {
		before, rest, ok := bytes.Cut(page, []byte(t.begin()+"\n"))
		_, after, ok2 := bytes.Cut(rest, []byte(t.end()))
		if !ok || !ok2 {
			return fmt.Errorf("%s has no place for the %s: a line %s and, below, a line %s", path, t.name, t.begin(), t.end())
		}
		if text := t.markdown(rows, e); text != "" {
			page = fmt.Appendf(nil, "%s%s\n\n%s\n%s%s", before, t.begin(), text, t.end(), after)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return os.WriteFile(path, page, 0o644)
}
