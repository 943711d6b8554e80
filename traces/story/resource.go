package story

import "github.com/lockpick-dev/lockpick/model"

// Accesses returns the accesses that a resource saw.
func (s *Facts) Accesses(resource string) []model.Observation {
	var seen []model.Observation
	for _, o := range s.Trace.History.Observations {
		if o.Node == resource && isAccess(o.Kind) {
			seen = append(seen, o)
		}
	}
	return seen
}

func isAccess(k model.ObservationKind) bool {
	return k == model.ResourceRead || k == model.ResourceWritten || k == model.ResourceRefused
}

// ResourceValue is a stretch in which the resource had one value.
type ResourceValue struct {
	From, To model.Stamp
	Value    int64
	Writer   string // empty if it was written before the run
	Op       int
}

// Values returns the values of the resource, as far as accesses show them.
func (s *Facts) Values(seen []model.Observation) []ResourceValue {
	var all []ResourceValue
	now, known := ResourceValue{}, false
	end := func(at model.Stamp) {
		if now.To = at; known && now.To.At > now.From.At {
			all = append(all, now)
		}
	}
	for _, o := range seen {
		switch {
		case o.Kind == model.ResourceWritten:
			end(o.Stamp)
			now, known = ResourceValue{From: o.Stamp, Value: o.Number, Writer: o.By.Client, Op: o.By.Op}, true
		case o.Kind == model.ResourceRead && !known:
			now.Value, known = o.Number, true
		}
	}
	end(RunEnd(s.Trace))
	return all
}
