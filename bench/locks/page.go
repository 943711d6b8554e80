package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// What is measured stands in the page between these lines.
const (
	begin = "<!-- measured by make bench-locks -->"
	end   = "<!-- end of what was measured -->"
)

// table is the results as a table of Markdown.
func table(results []*result) string {
	var b strings.Builder
	b.WriteString("| lock | pairs/s alone | to the better library | pairs/s of 16 | to the better library | wait p50 | wait p99 | requests alone | requests of 16 | commands of 16 |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	alone, crowd := func(r *result) []float64 { return r.alone }, func(r *result) []float64 { return r.crowd }
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.0f | %.2f | %s | %s | %.1f | %.1f | %.1f |\n", cell(r.subject),
			median(r.alone), ratio(results, r, alone), median(r.crowd), ratio(results, r, crowd),
			millis(quantile(r.waits, 0.5)), millis(quantile(r.waits, 0.99)),
			per(r.aloneTraffic.requests, r.alonePairs), per(r.crowdTraffic.requests, r.crowdPairs), per(r.crowdTraffic.commands, r.crowdPairs))
	}
	return b.String()
}

func cell(s subject) string {
	if s.library {
		return s.name
	}
	id, rest, _ := strings.Cut(s.name, ",")
	if rest != "" {
		rest = "," + rest
	}
	return "`" + id + "`" + rest
}

func per(n, pairs int) float64 { return float64(n) / float64(max(pairs, 1)) }

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// hotspotTable is the experiment beside what was published.
func hotspotTable(without, with outcome) string {
	fewer := func(without, with int) string {
		return fmt.Sprintf("%.0f %%", 100*(1-float64(with)/float64(max(without, 1))))
	}
	var b strings.Builder
	b.WriteString("| | SETs without | SETs with | fewer | successes without | with |\n|---|--:|--:|--:|--:|--:|\n")
	fmt.Fprintf(&b, "| published | 21245 | 6105 | %s | 1099 | 1147 |\n", fewer(21245, 6105))
	fmt.Fprintf(&b, "| here | %d | %d | %s | %d | %d |\n", without.sets, with.sets, fewer(without.sets, with.sets), without.successes, with.successes)
	return b.String()
}

// write puts the text into the page between the two lines.
func write(path, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err = insert(page, text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, page, 0o644)
}

// insert replaces what is between the two lines of the page.
func insert(page []byte, text string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin+"\n"))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, errors.New("it has no place for the figures: a line " + begin + " and, below, a line " + end)
	}
	return fmt.Appendf(nil, "%s%s\n\n%s\n%s%s", before, begin, text, end, after), nil
}
