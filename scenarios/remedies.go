package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Remedied is a remedy with the cell in which it was applied.
type Remedied struct {
	Remedy
	Cell Cell
}

// note says why the remedy helps by construction, if it does: the lease is longer
// than anything that a fault does here.
func (r Remedied) note() string {
	lease, most := r.Cell.Params.LeaseAsked(), longest(r.Cell.Params)
	if r.Lease == 0 || most == 0 || lease <= most {
		return ""
	}
	return fmt.Sprintf("a lease of %v is longer than any fault here lasts (%v at most): this says nothing about longer ones", lease, most)
}

// longest is for how long a fault of the budget lasts at most, be it a pause, a
// delay, a partition or the jump of a clock, where clients wait no longer for an
// answer than go-redis does unless it is told to; 0 if there is none that lasts.
func longest(p Params) (most time.Duration) {
	for _, a := range p.Faults {
		if a.Fault.Lasts != nil {
			most = max(most, a.Fault.Lasts(p).Longest(goRedisTimeout))
		}
	}
	return most
}

// excepted says why a remedy does not apply: what the property is about is not
// there with it, as the calm runs of both cells show; empty if it applies, or if
// that is not known.
func (r Remedied) excepted(ctx context.Context, h *explore.Hand, from Cell, property string) (string, error) {
	now, err := r.Cell.calmly(ctx, h, property)
	if err != nil || now.Status != model.NotApplicable {
		return "", err
	}
	before, err := from.calmly(ctx, h, property)
	if err != nil || before.Status == model.NotApplicable {
		return "", err
	}
	return now.Sentence, nil
}

// calmly is the verdict on the property in the calm run of the cell, the zero
// Verdict if that comes to no proper end.
func (c Cell) calmly(ctx context.Context, h *explore.Hand, property string) (v model.Verdict, err error) {
	err = h.Do(ctx, explore.Request{Cell: c.Encode(), Replay: true, Record: true}, func(r explore.Result) bool {
		if i := slices.IndexFunc(r.Verdicts, func(v model.Verdict) bool { return v.Property == property }); i >= 0 {
			v = r.Verdicts[i]
		}
		return true
	})
	if trouble := (*explore.Trouble)(nil); errors.As(err, &trouble) {
		return model.Verdict{}, nil
	}
	return v, err
}

// applying parts remedies into those that are to be searched and those of which it
// is known that they do not apply; list has a place for each, in their order.
func (c Cell) applying(ctx context.Context, o AttributeOptions, remedies []Remedied) (list []traces.Remedy, searched []int, err error) {
	h := &explore.Hand{Worker: o.Worker}
	defer h.Close()
	for i, r := range remedies {
		except := ""
		if r.Lock != "" {
			if except, err = r.excepted(ctx, h, c, o.Property); err != nil {
				return nil, nil, err
			}
		}
		list = append(list, traces.Remedy{Text: r.Text, Except: except, Bound: -1})
		if except == "" {
			searched = append(searched, i)
		}
	}
	return list, searched, nil
}

// Remedies are the scenario's remedies, applied to the cell. Those that change
// nothing, or name a lock that is not among the given ones, are left out.
func (c Cell) Remedies(locks []Lock) []Remedied {
	var list []Remedied
	for _, r := range c.Scenario.Remedies {
		cell := c
		if r.Lock != "" {
			l, err := FindLock(locks, r.Lock)
			if err != nil || l.ID == c.Lock.ID {
				continue
			}
			cell.Lock = l
			l.needs(&cell.Params)
		}
		if r.Lease > 0 {
			cell.Params.Lease = min(cell.Params.LeaseAsked()*time.Duration(r.Lease), stage.MaxLease)
		}
		list = append(list, Remedied{r, cell})
	}
	return list
}
