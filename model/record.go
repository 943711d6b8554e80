package model

import (
	"cmp"
	"slices"
	"time"
)

// Record is what an authority has under one key at one moment. An authority is
// where truth lies: the node that serves, the committed state of a
// ZooKeeper ensemble or an etcd cluster, a database.
type Record struct {
	// Key is its name: a key, the path of a znode, what names a row.
	Key string
	// Value is what it has.
	Value Stored
	// Session is the session or the lease that it lives with; empty if it lives
	// with none.
	Session string
	// Revision is its place in the order in which the authority created its records,
	// such as etcd's create revision; 0 if the authority numbers none.
	Revision int64
	// ExpiresAt is when it will expire by the authority's clock, in the run's time; 0
	// if it never does, or with its session.
	ExpiresAt time.Duration
	// Owner is who wrote the value.
	Owner Origin
}

// Record is what an observation of a key shows.
func (o *Observation) Record() Record {
	return Record{Key: o.Key, Value: o.Stored(), Session: o.Session, Revision: o.Revision, ExpiresAt: o.ExpiresAt, Owner: o.Owner}
}

// Records are what each authority has, and each follower, as the observations of a
// run tell one after the other. The zero value has none.
type Records struct{ places []place }

// place is what one authority or follower has: its records by key, and the
// observations that told of them last.
type place struct {
	name    string
	records []Record
	told    []*Observation
}

// See takes an observation into account, and reports whether it tells of a record.
func (r *Records) See(o *Observation) bool {
	switch o.Kind {
	case KeyCreated, KeyChanged:
		p := r.place(o.Place())
		i, found := p.find(o.Key)
		if !found {
			p.records = slices.Insert(p.records, i, Record{})
			p.told = slices.Insert(p.told, i, nil)
		}
		p.records[i], p.told[i] = o.Record(), o
		return true
	case KeyExpired, KeyDeleted, KeyDropped:
		p := r.place(o.Place())
		if i, found := p.find(o.Key); found {
			p.records = slices.Delete(p.records, i, i+1)
			p.told = slices.Delete(p.told, i, i+1)
		}
		return true
	}
	return false
}

// At are the records of an authority or a follower by its name ([Observation.Place]),
// in the order of their keys. They are good until the next observation.
func (r *Records) At(name string) []Record { return r.place(name).records }

// Told is the observation that told last of a record that is there, or nil.
func (r *Records) Told(name, key string) *Observation {
	p := r.place(name)
	if i, found := p.find(key); found {
		return p.told[i]
	}
	return nil
}

func (r *Records) place(name string) *place {
	for i := range r.places {
		if r.places[i].name == name {
			return &r.places[i]
		}
	}
	r.places = append(r.places, place{name: name})
	return &r.places[len(r.places)-1]
}

func (p *place) find(key string) (i int, found bool) {
	return slices.BinarySearchFunc(p.records, key, func(r Record, key string) int { return cmp.Compare(r.Key, key) })
}
