package render

import "github.com/lockpick-dev/lockpick/model"

// accesses are those that a resource saw.
func (s *story) accesses(resource string) []model.Observation {
	var seen []model.Observation
	for _, o := range s.t.History.Observations {
		if o.Node == resource && isAccess(o.Kind) {
			seen = append(seen, o)
		}
	}
	return seen
}

func isAccess(k model.ObservationKind) bool {
	return k == model.ResourceRead || k == model.ResourceWritten || k == model.ResourceRefused
}

// valued is a stretch in which the resource had one value.
type valued struct {
	from, to model.Stamp
	value    int64
	writer   string // empty if it was written before the run
	op       int
}

// values are the values of the resource, as far as accesses show them.
func (s *story) values(seen []model.Observation) []valued {
	var all []valued
	now, known := valued{}, false
	end := func(at model.Stamp) {
		if now.to = at; known && now.to.At > now.from.At {
			all = append(all, now)
		}
	}
	for _, o := range seen {
		switch {
		case o.Kind == model.ResourceWritten:
			end(o.Stamp)
			now, known = valued{from: o.Stamp, value: o.Number, writer: o.By.Client, op: o.By.Op}, true
		case o.Kind == model.ResourceRead && !known:
			now.value, known = o.Number, true
		}
	}
	end(model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()})
	return all
}
