package stage

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// MostTogether is the largest number of stores of a world.
const MostTogether = 6

// Together returns several stores of one world as one store. Each has its own servers, and a fault
// strikes one server at a time. Settings that are kept in the same field of [Params] are one setting,
// with the name that the first store has for it and the values that all allow; so are settings of one
// name and with the same values, such as [PoolSize]. Equal lists make equal stores. It returns an error
// if there is no store, if two have one ID, if there are more than [MostTogether], or if a name would
// stand for two settings. A single store is returned as it is.
func Together(stores ...Store) (Store, error) {
	var wrong []error
	t := together{}
	for i, s := range stores {
		switch {
		case s == nil:
			wrong = append(wrong, fmt.Errorf("store %d is nil", i+1))
		case slices.ContainsFunc(stores[:i], func(o Store) bool { return o != nil && o.ID() == s.ID() }):
			wrong = append(wrong, fmt.Errorf("the store %s is there twice: name it once, and give its servers by parameters", s.ID()))
		case i < MostTogether:
			t.all[i] = s
		}
	}
	switch {
	case len(stores) == 0:
		wrong = append(wrong, errors.New("there is no store"))
	case len(stores) > MostTogether:
		wrong = append(wrong, fmt.Errorf("there are %d stores, and at most %d are possible", len(stores), MostTogether))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	if len(stores) == 1 {
		return stores[0], nil
	}
	if _, err := t.shape(); err != nil {
		return nil, err
	}
	return t, nil
}

// Parts returns the stores of a store made by [Together], and otherwise the store itself.
func Parts(s Store) []Store {
	if t, is := s.(together); is {
		return t.parts()
	}
	return []Store{s}
}

// PartOf returns the part of a store that has the node with a name, or the store itself if none
// has.
func PartOf(s Store, p Params, node string) Store {
	for _, part := range Parts(s) {
		for _, lane := range part.Lanes(p) {
			if slices.Contains(lane, node) {
				return part
			}
		}
		if e, elects := part.(Electing); elects && slices.Contains(e.ElectorLanes(p), node) {
			return part
		}
	}
	return s
}

// together has the stores in order, in an array, so that == compares them.
type together struct{ all [MostTogether]Store }

func (t together) parts() []Store {
	return slices.DeleteFunc(slices.Clone(t.all[:]), func(s Store) bool { return s == nil })
}

// over collects something of all parts.
func over[T any](t together, of func(Store) []T) (list []T) {
	for _, s := range t.parts() {
		list = append(list, of(s)...)
	}
	return list
}

// ID joins the IDs of the stores, in order.
func (t together) ID() string {
	return strings.Join(over(t, func(s Store) []string { return []string{s.ID()} }), "+")
}

// Terms returns the terms that all stores share, and neutral ones otherwise.
func (t together) Terms() Terms {
	all := over(t, func(s Store) []Terms { return []Terms{s.Terms()} })
	common := func(of func(*Terms) string, otherwise string) string {
		for i := range all {
			if of(&all[i]) != of(&all[0]) {
				return otherwise
			}
		}
		return of(&all[0])
	}
	var names, ways []string
	one := Terms{Terms: model.Terms{
		Node:     common(func(t *Terms) string { return t.Node }, "node"),
		Serving:  common(func(t *Terms) string { return t.Serving }, "serving node"),
		Follower: common(func(t *Terms) string { return t.Follower }, "follower"),
		Record:   common(func(t *Terms) string { return t.Record }, "record"),
		Endless:  true,
	}}
	for _, t := range all {
		names, ways = append(names, t.Store), append(ways, t.Way)
		if len(t.Kept) > len(one.Kept) {
			one.Kept = t.Kept
		}
		if one.Session == "" {
			one.Session = t.Session
		}
		one.Endless = one.Endless && t.Endless
	}
	one.Store, one.Way = wording.And(names), wording.Or(ways)
	return one
}

// Faults returns the faults of all stores.
func (t together) Faults() (list []*Fault) {
	for _, f := range over(t, Store.Faults) {
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// Traits returns the traits that any store has.
func (t together) Traits(p Params) (any Traits) {
	for _, s := range t.parts() {
		one := s.Traits(p)
		any = Traits{
			Splits: any.Splits || one.Splits, Abandons: any.Abandons || one.Abandons, Sessions: any.Sessions || one.Sessions,
			KeepsAlive: any.KeepsAlive || one.KeepsAlive, LocalReads: any.LocalReads || one.LocalReads, Elects: any.Elects || one.Elects,
			Moves: any.Moves || one.Moves,
		}
	}
	return any
}

// Timing returns the longest of each time.
func (t together) Timing() (most Timing) {
	for _, s := range t.parts() {
		one := s.Timing()
		most = Timing{
			Timeout: max(most.Timeout, one.Timeout), Usual: max(most.Usual, one.Usual), Long: max(most.Long, one.Long),
			Shortest: max(most.Shortest, one.Shortest), Recovery: max(most.Recovery, one.Recovery),
		}
	}
	return most
}

// Lanes returns the lanes of all stores.
func (t together) Lanes(p Params) [][]string {
	return over(t, func(s Store) [][]string { return s.Lanes(p) })
}

// Build builds the servers of all stores, in order.
func (t together) Build(w *sim.World, p Params, observe func(model.Observation)) Cluster {
	return over(t, func(s Store) []*Server {
		servers := s.Build(w, p, observe)
		for _, one := range servers {
			one.Of = s
		}
		return servers
	})
}

// Versions returns the versions of all stores.
func (t together) Versions() map[string]string {
	all := map[string]string{}
	for _, s := range t.parts() {
		maps.Copy(all, s.Versions())
	}
	return all
}

// ElectorLanes returns the electors of all stores.
func (t together) ElectorLanes(p Params) []string {
	return over(t, func(s Store) []string {
		if e, elects := s.(Electing); elects {
			return e.ElectorLanes(p)
		}
		return nil
	})
}

// Elector returns the noun of the first store that has electors.
func (t together) Elector() string {
	for _, s := range t.parts() {
		if e, elects := s.(Electing); elects {
			return e.Elector()
		}
	}
	return ""
}

// Settles returns the longest time.
func (t together) Settles(p Params) (most time.Duration) {
	for _, s := range t.parts() {
		if one, settles := s.(Settling); settles {
			most = max(most, one.Settles(p))
		}
	}
	return most
}

// Guard returns the settings of all stores.
func (t together) Guard(p Params) (settings []OwnSetting, text string) {
	var texts []string
	for _, s := range t.parts() {
		if g, guards := s.(Guarding); guards {
			own, says := g.Guard(p)
			if settings = append(settings, own...); says != "" {
				texts = append(texts, says)
			}
		}
	}
	return settings, wording.And(texts)
}

// Parts returns Parts of the first store whose records are divided.
func (t together) Parts(p Params) func(key string) string {
	for _, s := range t.parts() {
		if d, divides := s.(Dividing); divides {
			if part := d.Parts(p); part != nil {
				return part
			}
		}
	}
	return nil
}

// Describe returns the description of the first store that knows the choice.
func (t together) Describe(choice *Choice) string {
	for _, s := range t.parts() {
		if describer, tells := s.(Describer); tells {
			if text := describer.Describe(choice); text != "" {
				return text
			}
		}
	}
	return ""
}
