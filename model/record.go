package model

import (
	"cmp"
	"slices"
	"time"
)

// Record is the content of one key at one authority at one moment. An authority
// decides who holds the lock: the serving node, the committed state of a ZooKeeper
// ensemble or an etcd cluster, a database.
type Record struct {
	// Key is its name: a key, the path of a znode, the name of a row.
	Key string
	// Value is its content.
	Value Stored
	// Session is the session or the lease that it lives with, empty if there is
	// none.
	Session string
	// Revision is its place in the order in which the authority created its
	// records, such as etcd's create revision; 0 if the authority has no such
	// numbers.
	Revision int64
	// ExpiresAt is its expiry by the authority's clock, in the run's time; 0 if it
	// never expires, or ends with its session.
	ExpiresAt time.Duration
	// Owner is the origin of the value.
	Owner Origin
}

// Record returns the record that an observation of a key shows.
func (o *Observation) Record() Record {
	return Record{Key: o.Key, Value: o.Stored(), Session: o.Session, Revision: o.Revision, ExpiresAt: o.ExpiresAt, Owner: o.Owner}
}

// Records are the records of each authority and each follower. [Records.See] builds
// them from a run's observations, one after the other. The zero value is empty.
type Records struct{ places []place }

// place is what one authority or follower has: its records by key, and the
// last observation of each.
type place struct {
	name    string
	records []Record
	last    []*Observation
}

// See applies an observation, and reports whether it concerns a record.
func (r *Records) See(o *Observation) bool {
	switch o.Kind {
	case RecordCreated, RecordChanged:
		p := r.place(o.Place())
		i, found := p.find(o.Key)
		if !found {
			p.records = slices.Insert(p.records, i, Record{})
			p.last = slices.Insert(p.last, i, nil)
		}
		p.records[i], p.last[i] = o.Record(), o
		return true
	case RecordExpired, RecordDeleted, RecordDropped:
		p := r.place(o.Place())
		if i, found := p.find(o.Key); found {
			p.records = slices.Delete(p.records, i, i+1)
			p.last = slices.Delete(p.last, i, i+1)
		}
		return true
	}
	return false
}

// At returns the records of an authority or a follower by its name
// ([Observation.Place]), in the order of their keys. The slice is valid until the
// next call of See.
func (r *Records) At(name string) []Record { return r.place(name).records }

// Last returns the last observation of a present record, or nil.
func (r *Records) Last(name, key string) *Observation {
	p := r.place(name)
	if i, found := p.find(key); found {
		return p.last[i]
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
