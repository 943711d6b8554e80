package labreport

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Style is the look of a text.
type Style struct {
	// Color allows ANSI escape sequences. The text is the same without.
	Color bool
	// Width is the maximum number of characters of a line, if words and tables allow it.
	Width int
}

// The escape sequences.
const (
	bold   = "1"
	faint  = "2"
	bad    = "1;31"
	good   = "32"
	middle = "33"
)

// Text writes the report for a terminal: the question, whether the claims hold, the tables and the notes. Below a median
// are its confidence interval, and the published and the real figure, each with the ratio of the median to it.
func (r *Report) Text(w io.Writer, s Style) error {
	t := &texter{Style: s}
	fmt.Fprintf(&t.out, "%s  %s\n", t.paint(bold, r.Experiment), r.Question)
	if r.Source != "" {
		t.paragraph("  ", "Published: "+r.Source, faint)
	}
	t.paragraph("  ", r.Runs(), faint)
	var settings []string
	for _, p := range r.Settings {
		settings = append(settings, p.Name+"="+p.Value)
	}
	if len(settings) > 0 {
		t.paragraph("  ", strings.Join(settings, " "), faint)
	}
	t.claims(r.Claims)
	for i := range r.Tables {
		t.table(&r.Tables[i])
	}
	if remarks := r.Remarks(); len(remarks) > 0 {
		fmt.Fprintf(&t.out, "\n%s\n", t.paint(bold, "Notes"))
		for _, n := range remarks {
			t.item("- ", n)
		}
	}
	fmt.Fprintf(&t.out, "\nagain   %s\n", r.Command)
	if r.Look != "" {
		fmt.Fprintf(&t.out, "look    %s\n", r.Look)
	}
	_, err := w.Write(t.out.Bytes())
	return err
}

// Runs describes the basis of the figures.
func (r *Report) Runs() string {
	if r.Seeds == 1 {
		return fmt.Sprintf("Seed %d, one run of each variant.", r.Seed)
	}
	text := fmt.Sprintf("Medians of %s, from seed %d on, ", wording.Count(r.Seeds, "run"), r.Seed)
	if r.Seeds < enough {
		return text + "with the least and the greatest value."
	}
	return text + "with a confidence interval of 95 %."
}

type texter struct {
	Style
	out bytes.Buffer
}

func (t *texter) paint(code, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t *texter) paragraph(indent, text, code string) {
	for _, line := range wording.Wrap(text, t.Width-len(indent)) {
		fmt.Fprintf(&t.out, "%s%s\n", indent, t.paint(code, line))
	}
}

// item writes a paragraph whose first line has a mark.
func (t *texter) item(mark, text string) {
	n := utf8.RuneCountInString(mark)
	for i, line := range wording.Wrap(text, t.Width-2-n) {
		if i > 0 {
			mark = strings.Repeat(" ", n)
		}
		fmt.Fprintf(&t.out, "  %s%s\n", mark, line)
	}
}

func (t *texter) claims(list []Claim) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(&t.out, "\n%s\n", t.paint(bold, "What holds"))
	for _, c := range list {
		mark, code := c.mark()
		for i, line := range wording.Wrap(c.Sentence, t.Width-4) {
			fmt.Fprintf(&t.out, "  %s %s\n", []string{t.paint(code, mark), " "}[min(i, 1)], line)
		}
		fmt.Fprintf(&t.out, "    %s\n", t.paint(code, c.Verdict()))
		if c.Note != "" {
			t.paragraph("    ", c.Note, faint)
		}
	}
}

// mark returns a sign for how often the claim holds, and its colour.
func (c *Claim) mark() (mark, code string) {
	switch {
	case c.Of == 0:
		return "–", middle
	case c.Holds == c.Of:
		return "✓", good
	case 2*c.Holds > c.Of:
		return "~", middle
	}
	return "✗", bad
}

// Verdict returns the number of seeds for which the claim is true: "holds in 20 of 20 seeds", or that no seed tests it.
func (c *Claim) Verdict() string {
	if c.Of == 0 {
		return "not tested: no seed has such a case"
	}
	return fmt.Sprintf("holds in %d of %s", c.Holds, wording.Count(c.Of, "seed"))
}
