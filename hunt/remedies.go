package hunt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Remedied is a remedy with the cell in which it was applied.
type Remedied struct {
	cell.Remedy
	Cell cell.Cell

	cures []string // what the cell's lock does better, if the remedy is that lock
}

// named returns the text of the lock with its cures.
func (r Remedied) named() string {
	return fmt.Sprintf("%s (%s)", r.Cell.Lock.ID, strings.Join(r.cures, ", "))
}

// note returns why the remedy helps by construction, or "": the lease is longer than any fault of the scenario.
func (r Remedied) note() string {
	lease, most := r.Cell.Params.LeaseAsked(), longest(r.Cell)
	if r.Lease == 0 || most == 0 || lease <= most {
		return ""
	}
	return fmt.Sprintf("a lease of %v is longer than any fault here lasts (%v at most): this says nothing about longer ones", lease, most)
}

// longest returns the longest duration of a fault of the budget (a pause, a delay, a partition, a clock jump), for clients
// with the store's default time-out. It is 0 if no fault has a duration.
func longest(c cell.Cell) (most time.Duration) {
	timing := c.Lock.Store.Timing()
	for _, a := range c.Params.Faults {
		if a.Fault.Lasts != nil {
			most = max(most, a.Fault.Lasts(c.Params, timing).Longest(timing.Timeout))
		}
	}
	return most
}

// excepted returns why a remedy does not apply, as the calm runs of both cells show: the lock does not promise the
// property, the property is not applicable with the remedy, or the lock has no lease that could be longer. It returns ""
// if the remedy applies, or if that is unknown.
func (r Remedied) excepted(ctx context.Context, h *explore.Hand, from cell.Cell, property string) (string, error) {
	now, err := calmly(ctx, r.Cell, h)
	if err != nil || now == nil {
		return "", err
	}
	before, err := calmly(ctx, from, h)
	if err != nil || before == nil {
		return "", err
	}
	if r.Lease > 0 {
		if keepsTheSame(before.Recording.History, now.Recording.History) {
			return "what this lock keeps does not depend on the lease, and does not end by itself", nil
		}
		return "", nil
	}
	switch v, was := verdictOn(now, property), verdictOn(before, property); {
	case v.Status == "" && was.Status != "":
		return "The lock does not promise it.", nil
	case v.Status == model.NotApplicable && was.Status != model.NotApplicable:
		return v.Sentence, nil
	}
	return "", nil
}

// calmly returns the calm run of the cell, nil if it does not finish.
func calmly(ctx context.Context, c cell.Cell, h *explore.Hand) (*explore.Result, error) {
	r, err := h.Replay(ctx, c.Encode(), nil)
	if trouble := (*explore.Trouble)(nil); errors.As(err, &trouble) {
		return nil, nil
	}
	return r, err
}

// verdictOn returns the run's verdict on the property, the zero Verdict if there is none.
func verdictOn(r *explore.Result, property string) (v model.Verdict) {
	if i := slices.IndexFunc(r.Verdicts, func(v model.Verdict) bool { return v.Property == property }); i >= 0 {
		v = r.Verdicts[i]
	}
	return v
}

// keepsTheSame reports whether two runs, with leases of two lengths, keep the same records in the store, and nothing in
// either expires: neither a record, nor a session, nor a client's lease.
func keepsTheSame(a, b model.History) bool {
	return slices.EqualFunc(a.Observations, b.Observations, func(a, b model.Observation) bool {
		return a.Kind == b.Kind && a.Key == b.Key && a.Value == b.Value && slices.Equal(a.Items, b.Items) &&
			a.ExpiresAt == 0 && b.ExpiresAt == 0
	}) && !slices.ContainsFunc(slices.Concat(a.Operations, b.Operations), func(o model.Operation) bool { return o.Leased || o.Until != 0 })
}

// distinct leaves out locks whose cure the cell's lock already has, as its calm run shows. A lock with several cures is
// one remedy that names them all, since a search does not show which of them helped.
func distinct(ctx context.Context, c cell.Cell, o AttributeOptions, remedies []Remedied) (list []Remedied, err error) {
	h := &explore.Hand{Worker: o.Worker}
	defer h.Close()
	seen := map[string]int{} // where in list, by the cell
	for _, r := range remedies {
		if r.Cure == cell.Expires {
			calm, err := calmly(ctx, c, h)
			if err != nil {
				return nil, err
			}
			if calm != nil && expires(calm.Recording.History) {
				continue
			}
		}
		encoded := string(r.Cell.Encode())
		i, again := seen[encoded]
		switch {
		case !again:
			seen[encoded] = len(list)
			list = append(list, r)
		case r.Cure != "":
			list[i].cures = append(list[i].cures, r.cures...)
			list[i].Text = list[i].named()
		}
	}
	return list, nil
}

// expires reports whether each record of a run had an expiry from its creation on.
func expires(h model.History) bool {
	made := false
	for _, o := range h.Observations {
		if o.Kind == model.RecordCreated {
			if o.ExpiresAt == 0 && o.Session == "" {
				return false
			}
			made = true
		}
	}
	return made
}

// applying separates the remedies to search from those that are known not to apply. List has an entry for each, in their
// order.
func applying(ctx context.Context, c cell.Cell, o AttributeOptions, remedies []Remedied) (list []traces.Remedy, searched []int, err error) {
	h := &explore.Hand{Worker: o.Worker}
	defer h.Close()
	for i, r := range remedies {
		except, err := r.excepted(ctx, h, c, o.Property)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, traces.Remedy{Text: r.Text, Except: except, Bound: -1})
		if except == "" {
			searched = append(searched, i)
		}
	}
	return list, searched, nil
}

// Remedies returns the scenario's remedies, applied to the cell, and those of the property. It leaves out those that
// change nothing, that cannot cure a violation of the property, or for which none of the given locks fits.
func Remedies(c cell.Cell, property string, locks []cell.Lock) []Remedied {
	list := variants(c, locks)
	scenario := c.Scenario.Remedies
	if ofRelease(property) {
		scenario = withAtomic(scenario)
	}
	for _, r := range scenario {
		if ofRelease(property) && (r.Cure == cell.Fences || r.Cure == cell.Waits) {
			continue // fencing and waiting cure no release: a lock that has them may also release in another way
		}
		if applied, ok := remedied(c, locks, r); ok {
			list = append(list, applied)
		}
	}
	return list
}

// withAtomic returns the list with a lock that releases in one step, after the other locks.
func withAtomic(list []cell.Remedy) []cell.Remedy {
	list = slices.DeleteFunc(slices.Clone(list), func(r cell.Remedy) bool { return r.Cure == cell.Atomic })
	at := slices.IndexFunc(list, func(r cell.Remedy) bool { return r.Cure == "" })
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(list, at, cell.Remedy{Cure: cell.Atomic})
}

// ofRelease reports whether a property is about releases: they remove no other lock, and report the truth.
func ofRelease(property string) bool {
	return property == checker.OwnerOnlyRelease || property == checker.TruthfulRelease
}

// remedied applies a remedy to the cell, unless it changes nothing or no lock fits.
func remedied(c cell.Cell, locks []cell.Lock, r cell.Remedy) (applied Remedied, ok bool) {
	applied = Remedied{Remedy: r, Cell: c}
	if r.Cure != "" {
		if c.IsProgram() {
			return applied, false // its locks are its own
		}
		l := curing(locks, c.Lock, r.Cure)
		if l == nil || l.ID == c.Lock.ID {
			return applied, false
		}
		applied.Cell.Lock, applied.cures = *l, []string{l.Cures[r.Cure]}
		applied.Text = applied.named()
		applied.Cell.Params = l.AtLeast(applied.Cell.Params)
	}
	if r.Guarded {
		if applied.Text = guard(&applied.Cell); applied.Text == "" {
			return applied, false
		}
	}
	if r.Lease > 0 {
		p := &applied.Cell.Params
		p.Lease = min(p.LeaseAsked()*time.Duration(r.Lease), stage.MaxLease)
	}
	return applied, true
}

// variants returns the variants of the cell's program, which are remedies in every scenario.
func variants(c cell.Cell, locks []cell.Lock) (list []Remedied) {
	for _, id := range c.Variants() {
		i := slices.IndexFunc(locks, func(l cell.Lock) bool { return l.ID == id })
		if i < 0 {
			continue
		}
		r := Remedied{Cell: c}
		r.Cell.Lock, r.Text = locks[i], locks[i].Summary
		n := c.Params.Clients
		r.Cell.Params = locks[i].AtLeast(c.Params)
		r.Cell.Params.Clients = n // as many as it was shrunk to
		list = append(list, r)
	}
	return list
}

// guard makes the servers refuse writes that they might lose, and returns a description of that. It returns "" if the
// store has no such settings, or all are set already.
func guard(c *cell.Cell) (text string) {
	g, can := c.Lock.Store.(stage.Guarding)
	if !can {
		return ""
	}
	settings, says := g.Guard(c.Params)
	for _, s := range settings {
		if c.Params.Own.Of(s.Name) != s.Value {
			c.Params.Own, text = c.Params.Own.With(s.Name, s.Value), says
		}
	}
	return text
}

// curing returns the first lock of the same store and kind as another that has a cure, or nil.
func curing(locks []cell.Lock, of cell.Lock, cure cell.Cure) *cell.Lock {
	for i := range locks {
		if l := &locks[i]; l.Store == of.Store && l.Cures[cure] != "" && l.Subject.Spec().Kind == of.Subject.Spec().Kind {
			return l
		}
	}
	return nil
}
