package checker

import (
	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// A Judge is the input of a property: a history, the [Options], who had the lock ([Holders]), and how grants of it ended
// ([Endings]). It is not safe for concurrent use.
type Judge struct {
	*endings.Endings
	h *model.History
	o Options
	// behind are operations that decide the cause of the verdict besides those that the verdict names.
	behind []int
	index  struct {
		busy    map[string]*spans.Set // operations, by their clients
		claimed map[string]*spans.Set // claims, by their clients
		holds   map[string]*spans.Set // acquisitions, by their clients: from the number of their return to the time of hasUntil
	}
}

// History returns the history that is judged. It must not be changed.
func (j *Judge) History() *model.History { return j.h }

// Options returns the inputs of judging besides the history.
func (j *Judge) Options() Options { return j.o }

// Who names the client of an operation for a sentence, with its thread if the client has several.
func (j *Judge) Who(op *model.Operation) string { return j.who(op) }

func newJudge(h *model.History, o Options) *Judge {
	o.Terms = o.Terms.Usual()
	return &Judge{Endings: endings.New(h, o.holding()), h: h, o: o}
}

// holding returns the options that say how the lock is kept.
func (o *Options) holding() holders.Options {
	return holders.Options{
		Spec: o.Spec, LockKeys: o.LockKeys, Ownership: o.Ownership, Queue: o.Queue,
		Nodes: o.Nodes, Servers: o.Servers, Apart: o.Apart, Part: o.Part, Measured: o.Terms.Measured,
	}
}
