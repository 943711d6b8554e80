package holders

import "github.com/lockpick-dev/lockpick/model"

// This file finds whether an operation relied on a follower's outdated record.

// ShownStale reports whether, until an event, a follower answered an operation with a value that differed from the serving node's
// at that moment. A missing record counts as a value.
func (hs *Holders) ShownStale(op *model.Operation, until int64) bool {
	if hs.o.Nodes > 1 {
		return false // no single node is right
	}
	serving := hs.NewServing(hs.LockKey())
	var records model.Records
	for i := range hs.h.Observations {
		o := &hs.h.Observations[i]
		if o.Seq > until {
			return false
		}
		serving.See(o)
		records.See(o)
		if o.Kind != model.RecordShown || o.By.Op != op.ID || serving.node == "" {
			continue
		}
		now := ""
		if last := records.Last(serving.node, o.Key); last != nil {
			now = last.Value
		}
		if now != o.Value {
			return true
		}
	}
	return false
}
