package traces

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// maxCode is the most bytes of a line of code: a path and a number.
const maxCode = 400

// about are the remarks about events that the trace has, as far as they may be kept.
func about(list []sim.Remark, t *Trace) []sim.Remark {
	return slices.DeleteFunc(slices.Clone(list), func(r sim.Remark) bool {
		_, there := t.place(r.Seq)
		return !there
	})
}

// checkRemarks checks that each remark is about an event of the run and says something, and that they are in order.
func (t *Trace) checkRemarks() error {
	last := int64(1)
	for i, r := range t.Remarks {
		switch {
		case r.Seq < last || r.Seq > t.LastSeq():
			return fmt.Errorf("remarks[%d]: event %d is none of the run behind event %d", i, r.Seq, last)
		case r.Code == "" || len(r.Code) > maxCode:
			return fmt.Errorf("remarks[%d].code: has %d bytes; it has 1 to %d", i, len(r.Code), maxCode)
		}
		last = r.Seq
	}
	return nil
}
