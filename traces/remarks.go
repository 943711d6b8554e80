package traces

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// maxCode is the maximum number of bytes of a code location: a path and a line number.
const maxCode = 400

// about returns the remarks about events that the trace has, and those of printed lines.
func about(list []sim.Remark, t *Trace) []sim.Remark {
	return slices.DeleteFunc(slices.Clone(list), func(r sim.Remark) bool {
		_, there := t.place(r.Seq)
		return r.Code != "" && !there
	})
}

// checkRemarks checks that the remarks are in order, have one content each, and are no longer than a run's.
func (t *Trace) checkRemarks() error {
	last, lines := int64(0), 0
	for i, r := range t.Remarks {
		said := 0
		for _, says := range []bool{r.Code != "", r.Line != "", r.Unkept > 0} {
			if says {
				said++
			}
		}
		if r.Line != "" {
			lines++
		}
		switch {
		case r.Seq < last || r.Seq > t.LastSeq() || r.Seq == 0 && r.Code != "":
			return fmt.Errorf("remarks[%d]: event %d is not in the run, or before event %d", i, r.Seq, last)
		case said != 1:
			return fmt.Errorf("remarks[%d]: has %d of code, line and unkept; it must have one", i, said)
		case len(r.Code) > maxCode:
			return fmt.Errorf("remarks[%d].code: has %d bytes; it may have %d", i, len(r.Code), maxCode)
		case len(r.Line) > sim.MaxLine+len("…"):
			return fmt.Errorf("remarks[%d].line: has %d bytes; it may have %d", i, len(r.Line), sim.MaxLine)
		case lines > sim.MaxLines:
			return fmt.Errorf("remarks[%d].line: a run has at most %d lines", i, sim.MaxLines)
		case r.Line == "" && (r.At != 0 || r.Actor != "") || r.At < 0 || !plausible(r.At):
			return fmt.Errorf("remarks[%d]: nothing was printed at %dns", i, r.At)
		case r.Actor != "" && !sim.IsName(r.Actor, sim.MaxName):
			return noName(fmt.Sprintf("remarks[%d].actor", i), r.Actor, sim.MaxName)
		}
		last = r.Seq
	}
	return nil
}
