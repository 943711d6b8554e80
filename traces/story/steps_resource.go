package story

import (
	"fmt"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// resourceSteps finds the steps of the protected resource.
type resourceSteps struct{ plot *Plot }

// resourceSteps returns the steps of accesses that the protected resource accepted or refused.
func (s resourceSteps) resourceSteps(o *model.Observation) []candidate {
	if !s.plot.Concerns(o.By.Op) {
		return nil
	}
	client := o.By.Client
	switch o.Kind {
	case model.ResourceRead:
		return []candidate{step(o.Stamp, client, fmt.Sprintf("reads %d", o.Number)+s.overdue(o), helpful-1)}
	case model.ResourceRefused:
		text := "is refused by the resource"
		if highest, found := s.plot.highestToken(o); o.Fenced && found {
			text += fmt.Sprintf(": its token %d is lower than %d", o.Token, highest)
		}
		return []candidate{step(o.Stamp, client, text, major-1)}
	case model.ResourceWritten:
		text := fmt.Sprintf("writes %d", o.Number)
		over := s.plot.Overwritten[o.Seq]
		if over != nil {
			text += " over " + Owned(strconv.FormatInt(over.Number, 10), over.By, client) + ": an update is lost"
		}
		overdue := s.overdue(o)
		written := step(o.Stamp, client, text+overdue, helpful+1)
		written.harm = over != nil || overdue != "" && s.plot.Broken.Subject == model.LateAccess
		if written.harm {
			written.weight = major + 1
		}
		return []candidate{written}
	}
	return nil
}

// overdue returns how long after the end of the claim an access came. If the verdict is about that, it is the verdict's
// window.
func (s resourceSteps) overdue(o *model.Observation) string {
	c := s.plot.ClaimBy(AcquisitionOf(s.plot.Trace, o.By.Op), o.Seq)
	if c == nil || o.Seq < c.To.Seq || o.At <= c.To.At {
		return ""
	}
	if v := s.plot.Verdict; s.plot.Broken.Subject == model.LateAccess && v.To == o.Stamp && v.From.At < o.At && v.From.At != c.To.At {
		return fmt.Sprintf(", %s after its lease had ended", traces.Briefly(o.At-v.From.At))
	}
	return fmt.Sprintf(", %s after its claim had ended (%s)", traces.Briefly(o.At-c.To.At), c.End)
}
