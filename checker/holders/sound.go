package holders

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// sound returns an error if tenures are inconsistent. Programs built with the tag invariants check every history.
func (hs *Holders) sound(all []Tenure) error {
	type share struct {
		node, key, holder string
		writes            bool
	}
	last := map[share]*Tenure{}
	for i := range all {
		t := &all[i]
		s := share{t.Node, t.Key, t.Holder, t.Writes}
		x := hs.h.Operation(t.Acquisition)
		switch before := last[s]; {
		case t.Over != nil && t.Over.Seq < t.From.Seq:
			return fmt.Errorf("tenure %d of %q on %s ends at event %d, before it begins at %d", i, t.Key, t.Node, t.Over.Seq, t.From.Seq)
		case before != nil && (before.Over == nil || before.Over.Seq > t.From.Seq):
			return fmt.Errorf("tenure %d of %q on %s begins at event %d, before the one ends that it had until then", i, t.Key, t.Node, t.From.Seq)
		case t.First < 0 || t.First > i || all[t.First].First != t.First:
			return fmt.Errorf("tenure %d goes on from tenure %d, which is no first one", i, t.First)
		case t.Wrote == nil || t.Wrote.Seq > t.From.Seq:
			return fmt.Errorf("tenure %d begins at event %d, before its record was written", i, t.From.Seq)
		case t.Acquisition != 0 && (x == nil || x.Kind != model.Acquire):
			return fmt.Errorf("tenure %d is of operation %d, which is no Acquire", i, t.Acquisition)
		case t.Unknown && t.Acquisition != 0:
			return fmt.Errorf("tenure %d is of an unknown holder and of operation %d", i, t.Acquisition)
		}
		last[s] = t
	}
	return nil
}
