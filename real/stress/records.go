package stress

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// This file finds what has changed at the servers, and whose request has changed it.

// lookAll looks at the records of all serving nodes.
func (r *run) lookAll() error {
	for server := range r.nodes {
		if err := r.look(r.nodes[server][0], model.Origin{}, nil); err != nil {
			return err
		}
	}
	return nil
}

// lookExpired looks at the records of nodes that have one whose end has come, or may have come.
func (r *run) lookExpired() error {
	now := time.Now()
	for server := range r.nodes {
		node, _ := r.seats.of("", server)
		if node == "" {
			continue
		}
		due := false
		for _, k := range r.Known[r.place(node)] { // unordered: any
			due = due || !k.Ends.IsZero() && !now.Before(k.Ends) || k.Session != "" && k.Ends.IsZero() && now.Sub(r.looked) > glance
		}
		if due {
			if err := r.look(node, model.Origin{}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// look compares a node's records with the last seen ones, and records the changes with their origin. Without an origin, a
// record has ended by itself. A record of a session is of the session's client.
func (r *run) look(node string, by model.Origin, from *link) error {
	now, err := r.servers.Records(node)
	if err != nil {
		return fmt.Errorf("the records of %s: %w", node, err)
	}
	r.looked = time.Now()
	place := r.place(node)
	before := r.At(place)
	for _, key := range slices.Sorted(maps.Keys(before)) {
		new, there := now[key]
		if !there || new.Session != before[key].Session && before[key].Session != "" || before[key].ExpiredBefore(new, r.looked) {
			r.Ended(node, place, key, r.byGiver(before[key].Record, by, from))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if old, there := before[key]; !there || !old.Equal(now[key]) {
			r.Changed(node, place, key, now[key], r.byTaker(now[key], by))
		}
	}
	return nil
}

// ends reports whether the end of a record of a node has passed.
func (r *run) ends(node string) bool {
	for _, k := range r.Known[r.place(node)] { // unordered: any
		if !k.Ends.IsZero() && !time.Now().Before(k.Ends) {
			return true
		}
	}
	return false
}

// bySession returns the link of a session, nil if none is known.
func (r *run) bySession(session string) *link {
	for _, k := range slices.Backward(r.links) {
		if name, has := k.Session(); has && name != "" && name == session {
			return k
		}
	}
	return nil
}

// byTaker returns the origin of a record that a session has: that of its last request, which may have waited at the server.
func (r *run) byTaker(rec confirm.Record, by model.Origin) model.Origin {
	if rec.Session == "" {
		return by
	}
	k := r.bySession(rec.Session)
	if k == nil || k.last.Client == "" {
		return by
	}
	return k.last
}

// byGiver returns the origin of the end of a session's record: the request that is executed, if it is of that session, and
// otherwise none, since the session has ended.
func (r *run) byGiver(rec confirm.Record, by model.Origin, from *link) model.Origin {
	if rec.Session == "" || from == nil {
		return by
	}
	if _, has := from.Session(); !has || r.bySession(rec.Session) == from {
		return by
	}
	return model.Origin{}
}
