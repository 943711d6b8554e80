package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// The figures stand in the page between these lines.
const (
	begin = "<!-- measured by make bench-locks -->"
	end   = "<!-- end of what was measured -->"
)

// tables is the results as tables of Markdown.
func tables(results []*result) string {
	var b strings.Builder
	b.WriteString("One thread that has the lock for itself:\n\n")
	b.WriteString("| lock | pairs/s | to the better library | acquire p50 | acquire p99 | requests | commands | client | server |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range results {
		f := &r.alone
		fmt.Fprintf(&b, "| %s | %.0f | %.2f | %s | %s | %.1f | %.1f | %s | %s |\n", cell(r.subject),
			median(f.rates), ratio(results, r, func(r *result) *figures { return &r.alone }),
			micros(quantile(f.waits, 0.5)), micros(quantile(f.waits, 0.99)), f.per(f.traffic.requests), f.per(f.traffic.commands),
			micros(f.cpu.client/time.Duration(max(len(f.waits), 1))), micros(f.cpu.server/time.Duration(max(len(f.waits), 1))))
	}
	contenders(&b, results, short, func(r *result) *figures { return &r.short })
	contenders(&b, results, long, func(r *result) *figures { return &r.long })
	return b.String()
}

// contenders is the table of the contenders.
func contenders(b *strings.Builder, results []*result, hold time.Duration, of func(*result) *figures) {
	fmt.Fprintf(b, "\n%d contenders that hold the lock for %v, and leave it for up to twice as long:\n\n", processes*threads, hold)
	b.WriteString("| lock | pairs/s | to the better library | wait p50 | wait p99 | requests | commands |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range results {
		f := of(r)
		fmt.Fprintf(b, "| %s | %.1f | %.2f | %s | %s | %.1f | %.1f |\n", cell(r.subject), median(f.rates), ratio(results, r, of),
			millis(quantile(f.waits, 0.5)), millis(quantile(f.waits, 0.99)), f.per(f.traffic.requests), f.per(f.traffic.commands))
	}
}

func cell(s subject) string {
	if s.foreign {
		return s.name
	}
	id, rest, _ := strings.Cut(s.name, ",")
	if rest != "" {
		rest = "," + rest
	}
	return "`" + id + "`" + rest
}

func micros(d time.Duration) string {
	return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// hotspotTable is the experiment beside the published figures.
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
