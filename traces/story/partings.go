package story

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Partition is a partition of the network.
type Partition struct {
	From, To model.Stamp
	*model.Observation
}

// Partitions returns the partitions, in the order of their beginnings. One that never ends, ends with the run.
func Partitions(t *traces.Trace) []Partition {
	var all []Partition
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		switch o.Kind {
		case model.Parted:
			all = append(all, Partition{o.Stamp, RunEnd(t), o})
		case model.United:
			for j := range all {
				if all[j].Value == o.Value && all[j].To.Seq > o.Seq {
					all[j].To = o.Stamp
				}
			}
		}
	}
	return all
}

// Parts returns the actors on either side, the node's own first.
func (p *Partition) Parts() (a, b []string) {
	return p.Sides.A, p.Sides.B
}

// Text describes who is separated by the partition, and for how long. The sentence continues the name of the first actor
// of its side.
func (p *Partition) Text() string {
	a, b := p.Parts()
	phrase, also := "is cut off from %s", [...]string{"and so is ", "and so are "}
	switch p.Sides.Held {
	case model.FromAToB:
		phrase, also = "is not heard by %s any more", [...]string{"nor is ", "nor are "}
	case model.FromBToA:
		phrase, also = "does not hear %s any more", [...]string{"nor does ", "nor do "}
	}
	text := fmt.Sprintf(phrase, List(b)) + " for " + traces.Briefly(lasting(p.Observation, p.To.At))
	if others := a[1:]; len(others) > 0 {
		text += ", " + also[min(len(others), 2)-1] + List(others)
	}
	return text
}

// lasting returns the length of a pause or delay: the length that it was set to, or else the time until it ended.
func lasting(o *model.Observation, end time.Duration) time.Duration {
	if o.For > 0 {
		return o.For
	}
	return max(0, end-o.At)
}
