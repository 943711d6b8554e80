package judging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/checker/subhistory"
	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/model"
)

// Judgement is the result for a history.
type Judgement struct {
	Spec    model.Spec
	History *history.History
	// Objects are the verdicts, one for each object, in the order of their first
	// operations.
	Objects []Object
	// Clients is the number of clients, and Unknown the number of operations of
	// unknown outcome.
	Clients, Unknown int
}

// Object is the result for one object.
type Object struct {
	Name string
	// Calls are the operations on it, with the crashes of clients that used it.
	Calls []model.Call
	monitor.Result
	// Shortest is, for a violation, a part of the calls that is illegal by itself.
	Shortest []model.Call
}

// Check returns an error for the first line with a malformed call for such an object.
func Check(spec model.Spec, h *history.History) error {
	for i := range h.Calls {
		if err := spec.Check(&h.Calls[i]); err != nil {
			if inner := errors.Unwrap(err); inner != nil {
				err = inner // without the number of the call, which the user has not seen
			}
			return fmt.Errorf("%s: %w", h.Origins[i], err)
		}
	}
	return nil
}

// The budget of the search for a shorter part: the number of judgements, and the seconds in all.
const (
	shorterQuestions = 2000
	shorterTime      = 10 * time.Second
)

// Judge judges the objects of a history one after the other. The spec must be valid, and the calls must have passed
// [Check]. The bound limits the search of one object's orders if no monitor can decide. When the context ends the
// remaining objects are left out.
func Judge(ctx context.Context, spec model.Spec, h *history.History, b monitor.Bound) *Judgement {
	j := &Judgement{Spec: spec, History: h}
	clients := make(map[string]bool)
	for i := range h.Calls {
		c := &h.Calls[i]
		clients[c.Client] = true
		if c.Pending() && c.Op != model.Crash && c.Op != model.Expire {
			j.Unknown++
		}
	}
	j.Clients = len(clients)
	left := shorterTime
	for _, calls := range byObject(h.Calls) {
		if ctx.Err() != nil {
			return j
		}
		v := Object{Name: objectOf(calls), Calls: calls, Result: decide(spec, calls, b)}
		if v.Status == model.Violated {
			began := time.Now()
			v.Shortest = shortest(spec, calls, v.Violation, began.Add(left), b)
			left = max(0, left-time.Since(began))
		}
		j.Objects = append(j.Objects, v)
	}
	return j
}

// byObject returns the calls of each object, with the crashes of clients that used
// it, none if there is no object.
func byObject(calls []model.Call) [][]model.Call {
	place := make(map[string]int)
	used := make(map[string]map[int]bool) // by client
	var sizes []int
	each(calls, func(c *model.Call) {
		at, ok := place[c.Object]
		if !ok {
			at = len(sizes)
			place[c.Object] = at
			sizes = append(sizes, 0)
		}
		sizes[at]++
		if used[c.Client] == nil {
			used[c.Client] = make(map[int]bool)
		}
		used[c.Client][at] = true
	})
	if len(sizes) == 1 {
		return [][]model.Call{calls} // crashes of others do no harm
	}
	objects := make([][]model.Call, len(sizes))
	for at, n := range sizes {
		objects[at] = make([]model.Call, 0, n)
	}
	each(calls, func(c *model.Call) { objects[place[c.Object]] = append(objects[place[c.Object]], *c) })
	for i := range calls {
		if c := &calls[i]; c.Op == model.Crash && c.Object == "" {
			for at := range used[c.Client] { // unordered: each object gets its own copy
				objects[at] = append(objects[at], *c)
			}
		}
	}
	return objects
}

// objectOf names the object of calls and crashes.
func objectOf(calls []model.Call) (name string) {
	for i := 0; name == "" && i < len(calls); i++ {
		name = calls[i].Object
	}
	return name
}

// each calls f for the calls that name an object: all but crashes that concern every object.
func each(calls []model.Call, f func(*model.Call)) {
	for i := range calls {
		if c := &calls[i]; c.Op != model.Crash || c.Object != "" {
			f(c)
		}
	}
}

// decide judges the calls of one object. The spec has been checked.
func decide(spec model.Spec, calls []model.Call, b monitor.Bound) monitor.Result {
	r, err := monitor.Judge(spec, calls, b)
	if err != nil {
		return monitor.Result{Status: model.Undecided, Doubt: err.Error()}
	}
	return r
}

// shortest returns the part of illegal calls that is illegal by itself, as far as it is found in time.
func shortest(spec model.Spec, calls []model.Call, v *monitor.Violation, deadline time.Time, b monitor.Bound) []model.Call {
	return subhistory.Shortest(spec, calls, subhistory.Hint{At: v.At, Calls: v.Calls}, func(part []model.Call) bool {
		left := monitor.Bound{Time: min(b.Time, time.Until(deadline)), Memory: b.Memory}
		return left.Time > 0 && decide(spec, part, left).Status == model.Violated
	}, shorterQuestions)
}

// Status returns the status of the whole history: Violated if one object is, else Undecided if one is. A history without
// objects is NotApplicable.
func (j *Judgement) Status() model.Status {
	if len(j.Objects) == 0 {
		return model.NotApplicable
	}
	status := model.Holds
	for i := range j.Objects {
		switch j.Objects[i].Status {
		case model.Violated:
			return model.Violated
		case model.Undecided:
			status = model.Undecided
		}
	}
	return status
}

// Count counts the objects with a status.
func (j *Judgement) Count(status model.Status) (n int) {
	for i := range j.Objects {
		if j.Objects[i].Status == status {
			n++
		}
	}
	return n
}

// Origin returns the place of a call in its file.
func (j *Judgement) Origin(c *model.Call) history.Origin { return j.History.Origins[c.ID-1] }

// Call returns the call with the ID, as it was recorded.
func (j *Judgement) Call(id int) *model.Call { return &j.History.Calls[id-1] }
