package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// The answer is in the page between these lines.
const (
	begin = "<!-- simulated by make which-lock -->"
	end   = "<!-- end of what was simulated -->"
)

func main() {
	path := flag.String("o", "docs/locks.md", "the page")
	seeds := flag.Int("seeds", 3, "how many seeds")
	flag.Parse()
	experiments.Quiet()
	if err := run(*path, *seeds); err != nil {
		fmt.Fprintln(os.Stderr, "whichlock:", err)
		os.Exit(1)
	}
}

func run(path string, seeds int) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if page, err = insert(page, ""); err != nil { // before minutes are spent
		return fmt.Errorf("%s: %w", path, err)
	}
	report, err := measure(seeds)
	if err != nil {
		return err
	}
	if page, err = insert(page, markdown(report, seeds)); err != nil {
		return err
	}
	return os.WriteFile(path, page, 0o644)
}

// measure runs the experiment.
func measure(seeds int) (labreport.Report, error) {
	e, err := experiments.Find("which-lock")
	if err != nil {
		return labreport.Report{}, err
	}
	v := e.Defaults()
	if err := e.Set(v, "hold", "20ms"); err != nil {
		return labreport.Report{}, err
	}
	locks := builtin.Locks()
	r, err := experiments.Here(context.Background(), e, v, locks, 1, seeds)
	if err != nil {
		return labreport.Report{}, err
	}
	if bad := overlapping(r); bad != "" {
		return labreport.Report{}, fmt.Errorf("holds overlap: %s", bad)
	}
	return e.Report(r), nil
}

// overlapping returns a variant in which two clients held the lock at once, "" if there is none: its figures mean nothing.
func overlapping(r experiments.Results) string {
	for i, samples := range r.Samples {
		for _, s := range samples {
			if s.Overlaps() > 0 {
				return r.Variants[i].Name
			}
		}
	}
	return ""
}

// markdown returns the answer: the best lock at each measure, notes on the figures, how often each lock is best, and a
// table for each contention.
func markdown(r labreport.Report, seeds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Simulated, medians of %d seeds. The best at each measure:\n\n", seeds)
	_ = r.LeadersTable(&b) // into memory
	b.WriteString("\nHow to read the figures:\n\n")
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n%s:\n\n| lock |", t.Title)
		for _, c := range t.Columns {
			fmt.Fprintf(&b, " %s |", c.Title())
		}
		fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("--:|", len(t.Columns)))
		for _, row := range t.Rows {
			fmt.Fprintf(&b, "| `%s` |", row.Name)
			for _, f := range row.Cells {
				fmt.Fprintf(&b, " %s |", labreport.Number(f.Median))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// insert replaces the text between the two lines of the page.
func insert(page []byte, text string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin+"\n"))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, errors.New("it has no place for the answer: a line " + begin + " and, below, a line " + end)
	}
	return fmt.Appendf(nil, "%s%s\n\n%s\n%s%s", before, begin, text, end, after), nil
}
