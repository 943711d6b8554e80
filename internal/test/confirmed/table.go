package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/confirm"
)

// The tables stand in the page between these lines.
const (
	begin = "<!-- made by make bench-confirm -->"
	end   = "<!-- end of what make bench-confirm made -->"
)

// row is what came of one trace.
type row struct {
	confirm.Statement
	name   string
	module string // of the track record, empty for the corpus
	took   time.Duration
	// control is what came of the same trace with the repaired version in the module, nil if there is none.
	control  *confirm.Statement
	repaired string
}

// said is how a trace came out, and why it was not confirmed.
func (r *row) said() string {
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
		_, text, _ = strings.Cut(r.said(), "; ")
	}
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// markdown is the tables.
func markdown(rows []row, e confirm.Effort) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tries of each on %s/%s with %d processors, one after another.\n", e.Tries, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	b.WriteString("\nThe corpus (`traces/corpus`):\n\n| scenario | lock | property | cause | result | tries | seconds each | server, client | why not |\n|---|---|---|---|---|---|--:|---|---|\n")
	for _, r := range rows {
		if r.module == "" {
			fmt.Fprintf(&b, "| %s | %s |%s\n", r.Scenario, r.Lock, r.cells())
		}
	}
	records := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.module == "" })
	if len(records) == 0 {
		return b.String()
	}
	b.WriteString("\nThe track record ([examples/trackrecord](../examples/trackrecord)):\n\n| module | scenario | property | cause | result | tries | seconds each | server, client | why not | repaired version |\n|---|---|---|---|---|---|--:|---|---|---|\n")
	for _, r := range records {
		repaired := ""
		if r.control != nil {
			repaired = fmt.Sprintf("%s: %d of %d", r.repaired, r.control.Confirmed, r.control.Of)
		}
		fmt.Fprintf(&b, "| %s | %s |%s %s |\n", r.module, r.Scenario, r.cells(), repaired)
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
		tries, seconds, with = fmt.Sprintf("%d of %d", r.Confirmed, r.Of), fmt.Sprintf("%.1f", r.Mean), r.Server+", "+r.Client
	}
	return fmt.Sprintf(" %s | %s | %s | %s | %s | %s | %s |", r.Property, cause, r.Result, tries, seconds, with, r.why())
}

// insert writes the tables into a page. Without rows it only sees whether it could.
func insert(path string, rows []row, e confirm.Effort) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(page, []byte(begin+"\n"))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	switch {
	case !ok || !ok2:
		return errors.New(path + " has no place for the tables: a line " + begin + " and, below, a line " + end)
	case len(rows) == 0:
		return nil
	}
	return os.WriteFile(path, fmt.Appendf(nil, "%s%s\n\n%s\n%s%s", before, begin, markdown(rows, e), end, after), 0o644)
}
