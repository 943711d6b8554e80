package stage

import (
	"errors"
	"fmt"
	"slices"
)

// Shape returns the settings of all stores, each once.
func (t together) Shape() []Setting {
	list, _ := t.shape() // Together has returned the error
	return list
}

// shared is a setting, with the stores that have it.
type shared struct {
	Setting
	of []Store
}

// shape returns each setting once. The error lists names that stand for two settings, and settings
// that no value fits.
func (t together) shape() ([]Setting, error) {
	var all []shared
	var wrong []error
	for _, s := range t.parts() {
		for _, d := range s.Shape() {
			d.Needs = needing(s, d.Needs)
			i := slices.IndexFunc(all, func(o shared) bool { return same(&o.Setting, &d) })
			if clash := slices.IndexFunc(all, func(o shared) bool { return o.Name == d.Name }); clash >= 0 && (clash != i || !alike(&all[i].Setting, &d)) {
				wrong = append(wrong, fmt.Errorf("the setting %s of %s is another one than that of %s: the two stores cannot be in one world", d.Name, s.ID(), all[clash].of[0].ID()))
				continue
			}
			if i < 0 {
				all = append(all, shared{d, []Store{s}})
				continue
			}
			if all[i].join(s, d); all[i].Min > all[i].Max {
				wrong = append(wrong, fmt.Errorf("no value of the setting %s fits %s and %s: one wants at least %d, and the other at most %d", all[i].Name, all[i].of[0].ID(), s.ID(), all[i].Min, all[i].Max))
			}
		}
	}
	var list []Setting
	for i := range all {
		list = append(list, all[i].Setting)
	}
	return list, errors.Join(wrong...)
}

// same reports whether two settings are kept in one place.
func same(a, b *Setting) bool {
	if a.Field == nil || b.Field == nil {
		return a.Field == nil && b.Field == nil && a.Name == b.Name
	}
	var p Params
	return a.Field(&p) == b.Field(&p)
}

// alike reports whether two settings of one name can be one setting: those that describe the
// size of the servers can, and others if they have the same values.
func alike(a, b *Setting) bool {
	return a.Field != nil || a.Min == b.Min && a.Max == b.Max && a.Fixed == b.Fixed && a.Whole == b.Whole && slices.Equal(a.Names, b.Names)
}

// join makes the setting serve another store as well.
func (d *shared) join(s Store, other Setting) {
	if len(d.of) == 1 {
		d.About = d.of[0].Terms().Store + ": " + d.About
	}
	d.About += "; " + s.Terms().Store + ": " + other.About
	d.of = append(d.of, s)
	d.Min, d.Max = max(d.Min, other.Min), min(d.Max, other.Max)
	d.Rare, d.Fixed, d.Whole = d.Rare && other.Rare, d.Fixed || other.Fixed, d.Whole || other.Whole
	d.Needs, d.Implies = both(d.Needs, other.Needs), follow(d.Implies, other.Implies)
}

// needing returns a setting's Needs, with texts in the terms of its store.
func needing(s Store, needs func(Params) string) func(Params) string {
	if needs == nil {
		return nil
	}
	return func(p Params) string { return s.Terms().Fill(needs(p)) }
}

// both returns the Needs of two settings.
func both(a, b func(Params) string) func(Params) string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(p Params) string {
		if lacks := a(p); lacks != "" {
			return lacks
		}
		return b(p)
	}
}

// follow returns the Implies of two settings.
func follow(a, b func(*Params)) func(*Params) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(p *Params) { a(p); b(p) }
}
