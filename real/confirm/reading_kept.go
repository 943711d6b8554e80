package confirm

import "github.com/lockpick-dev/lockpick/model"

// kept is what a node that died has when it comes back and serves.
type kept string

const (
	keptNothing kept = "nothing" // or it does not come back
	keptAll     kept = "all"
	keptPart    kept = "part" // or its records of some time ago
)

// keeps returns what a dying node keeps, by the observations when it comes back.
func (r *reading) keeps(dies *model.Observation) kept {
	has := map[string]bool{}
	list := r.trace.History.Observations
	for i := range list {
		o := &list[i]
		if o.Node != dies.Node {
			continue
		}
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged:
			has[o.Key] = true
		case model.RecordDeleted, model.RecordExpired, model.RecordDropped:
			delete(has, o.Key)
		case model.Returned:
			if o.Seq > dies.Seq {
				return keptBy(o, list[i+1:], has)
			}
		}
	}
	return keptNothing
}

// keptBy returns how much a node that comes back has kept.
func keptBy(back *model.Observation, later []model.Observation, has map[string]bool) kept {
	changed := false
	for i := range later {
		o := &later[i]
		if o.Node != back.Node || o.At != back.At {
			continue
		}
		switch o.Kind {
		case model.RecordDropped:
			delete(has, o.Key)
			changed = true
		case model.RecordCreated:
			has[o.Key] = true
		}
	}
	switch {
	case back.Authority == "":
		return keptNothing // it follows another
	case !changed:
		return keptAll
	case len(has) == 0:
		return keptNothing
	}
	return keptPart
}

// keep makes a node keep its present records until it comes back.
func (d *driver) keep(s *step) error {
	k, may := d.servers.(Keeping)
	switch {
	case !may:
		return nil
	case s.keeps == keptPart:
		return cannot("%s comes back with a part of what it had, or with what it had some time ago, which is not supported yet (event %d)", s.node, s.seq)
	case s.keeps == keptAll:
		return k.Keep(s.node)
	}
	return nil
}
