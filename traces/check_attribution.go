package traces

import (
	"fmt"
	"unicode/utf8"
)

const (
	// maxText is the maximum length of the text of a deviation or a remedy, which is a clause of a sentence.
	maxText = 500
	// maxListed is the maximum number of deviations or remedies of a trace. A counterexample that was not shrunk has some
	// dozens.
	maxListed = 10_000
)

// checkShrunk checks the description of the run before shrinking.
func (t *Trace) checkShrunk() error {
	s := t.Shrunk
	if s == nil {
		return nil
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"from", s.From}, {"to", s.To}, {"runs", s.Runs}} {
		if n.value < 0 {
			return fmt.Errorf("shrunk.%s: %d is negative", n.name, n.value)
		}
	}
	if s.To > s.From {
		return fmt.Errorf("shrunk: from %d deviations to %d is not smaller", s.From, s.To)
	}
	return checkParameters("shrunk.parameters", s.Parameters)
}

// checkAttribution checks the attribution.
func (t *Trace) checkAttribution() error {
	a := t.Attribution
	if a == nil {
		return nil
	}
	for _, l := range []struct {
		name string
		size int
	}{{"deviations", len(a.Deviations)}, {"remedies", len(a.Remedies)}} {
		if l.size > maxListed {
			return fmt.Errorf("attribution.%s: there are %d; a trace has at most %d", l.name, l.size, maxListed)
		}
	}
	for i := range a.Deviations {
		if err := t.checkDeviation(&a.Deviations[i]); err != nil {
			return fmt.Errorf("attribution.deviations[%d]%w", i, err)
		}
	}
	for i := range a.Remedies {
		if err := a.Remedies[i].check(); err != nil {
			return fmt.Errorf("attribution.remedies[%d]%w", i, err)
		}
	}
	return nil
}

func (t *Trace) checkDeviation(d *Deviation) error {
	switch {
	case d.Decision == "":
		return fmt.Errorf(": names no decision")
	case d.Option < 1:
		return fmt.Errorf(": option %d of %s does not deviate", d.Option, quote(d.Decision))
	case d.Seq < 0 || d.Seq > t.LastSeq():
		return fmt.Errorf(".seq: there is no event %d; the last is %d", d.Seq, t.LastSeq())
	}
	return checkText(d.Text)
}

func (r *Remedy) check() error {
	switch {
	case r.Schedules < 0:
		return fmt.Errorf(".schedules: %d is negative", r.Schedules)
	case r.Bound < -1:
		return fmt.Errorf(".bound: %d is no bound; -1 is none", r.Bound)
	case r.Except != "" && (r.Gone || r.Schedules > 0):
		return fmt.Errorf(".except: a remedy that does not apply has not been searched")
	}
	return checkText(r.Text)
}

func checkText(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return fmt.Errorf(".text: is missing")
	case n > maxText:
		return fmt.Errorf(".text: has %d characters; it may have %d", n, maxText)
	}
	return nil
}
