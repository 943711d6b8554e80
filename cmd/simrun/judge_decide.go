package main

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/checker/subhistory"
	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// judgement is what came of a history.
type judgement struct {
	spec    model.Spec
	history *history.History
	// objects are the verdicts, one for each object, in the order of their first
	// operations.
	objects []objectVerdict
	clients int
	unknown int // operations of unknown outcome
}

// objectVerdict is what came of one object.
type objectVerdict struct {
	object string
	calls  []model.Call
	monitor.Result
	// shortest is, of a violation, a part of the calls that is illegal by
	// itself.
	shortest []model.Call
}

// What the search for a shorter part may cost: so many questions, and so many
// seconds in all.
const (
	shorterQuestions = 2000
	shorterTime      = 10 * time.Second
)

// judge judges the objects one after the other.
func judge(ctx context.Context, spec model.Spec, h *history.History, b monitor.Bound) *judgement {
	j := &judgement{spec: spec, history: h}
	clients := make(map[string]bool)
	for i := range h.Calls {
		c := &h.Calls[i]
		clients[c.Client] = true
		if c.Pending() && c.Op != model.Crash && c.Op != model.Expire {
			j.unknown++
		}
	}
	j.clients = len(clients)
	left := shorterTime
	for _, calls := range byObject(h.Calls) {
		if ctx.Err() != nil {
			return j
		}
		v := objectVerdict{object: objectOf(calls), calls: calls, Result: decide(spec, calls, b)}
		if v.Status == model.Violated {
			began := time.Now()
			v.shortest = shortest(spec, calls, v.Violation, began.Add(left), b)
			left = max(0, left-time.Since(began))
		}
		j.objects = append(j.objects, v)
	}
	return j
}

// byObject are the calls of each object, with the crashes of clients that used
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

// each goes over the calls that name an object: all but crashes that concern
// every one.
func each(calls []model.Call, f func(*model.Call)) {
	for i := range calls {
		if c := &calls[i]; c.Op != model.Crash || c.Object != "" {
			f(c)
		}
	}
}

// decide judges the calls of one object. The spec has been looked at.
func decide(spec model.Spec, calls []model.Call, b monitor.Bound) monitor.Result {
	r, err := monitor.Judge(spec, calls, b)
	if err != nil {
		return monitor.Result{Status: model.Undecided, Doubt: err.Error()}
	}
	return r
}

// shortest is the part of illegal calls that is illegal by itself, as far as
// it is found in time.
func shortest(spec model.Spec, calls []model.Call, v *monitor.Violation, deadline time.Time, b monitor.Bound) []model.Call {
	return subhistory.Shortest(spec, calls, subhistory.Hint{At: v.At, Calls: v.Calls}, func(part []model.Call) bool {
		left := monitor.Bound{Time: min(b.Time, time.Until(deadline)), Memory: b.Memory}
		return left.Time > 0 && decide(spec, part, left).Status == model.Violated
	}, shorterQuestions)
}

// searchMemory is what porcupine may take to remember what it has tried.
const searchMemory = 512 << 20

// result is that of the whole: a violation of one object is one of all, and
// what is not known of one is not known of all. Of nothing nothing can be said.
func (j *judgement) result() string {
	if len(j.objects) == 0 {
		return explore.Vacuous
	}
	result := explore.NoneFound
	for i := range j.objects {
		switch j.objects[i].Status {
		case model.Violated:
			return explore.Violation
		case model.Undecided:
			result = string(explore.Inconclusive)
		}
	}
	return result
}

// of counts the objects with a status.
func (j *judgement) of(status model.Status) (n int) {
	for i := range j.objects {
		if j.objects[i].Status == status {
			n++
		}
	}
	return n
}

// origin is where a call was found.
func (j *judgement) origin(c *model.Call) history.Origin { return j.history.Origins[c.ID-1] }

// call is the call with the ID, as it was recorded.
func (j *judgement) call(id int) *model.Call { return &j.history.Calls[id-1] }
