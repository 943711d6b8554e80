package explore

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// A Runner runs one thing under test once.
type Runner func(Run) Outcome

// Run says how to make a run.
type Run struct {
	// Tape answers its decisions.
	Tape sim.Tape
	// Record asks for the recording, and Trail for the dependences between events.
	Record, Trail bool
	// Printed, if not nil, returns output of the run's code: see [sim.Config].
	Printed func() []byte
	// Progress, if not nil, grows while the run moves.
	Progress *atomic.Int64
	// Judging, if not nil, is set to the number of the run's events when it is
	// over and is being judged.
	Judging *atomic.Int64
	// alive, if not nil, is called again and again while the run goes on.
	alive func()
	// printing collects the output of the run, nil if it is not wanted.
	printing *printing
}

// Over reports to Judging that the run itself has ended, with the given number of
// events, and is now being judged.
func (r Run) Over(events int64) {
	if r.Judging != nil {
		r.Judging.Store(max(events, 1))
	}
}

// Outcome is the result of one run.
type Outcome struct {
	// Verdicts are those on every property that was judged; none if the run failed.
	Verdicts []model.Verdict
	// Happened is a bit set of the happenings that occurred: see [Search].Happenings.
	Happened uint64
	// Hash covers events, history and verdicts: equal hashes, equal runs.
	Hash uint64
	// Class is a hash of the run's visible events without their times: runs of one
	// class have the same visible events.
	Class uint64
	// Features are hashes of parts of these events. A search that learns treats a
	// run with a new feature as progress.
	Features []uint64
	// Served are hashes of the sorts of requests of the run, each once ([sim.Report].Served). A search that
	// learns extends runs with requests that few runs make.
	Served []uint64
	// Events is the number of events, and Simulated the virtual time that they
	// took.
	Events    int64
	Simulated time.Duration
	// Failure is set if code of the run panicked or left goroutines behind, or a server
	// refused a request.
	Failure *sim.Failure
	// FailedTest is not nil if code of the run failed the test that it belongs to, as by t.Error. It has the lines that
	// the test logged.
	FailedTest []string
	// Extra is further JSON of the runner, passed on without being read.
	Extra json.RawMessage
	// Recording and Trail are set if they were asked for.
	Recording *Recording
	Trail     *sim.Trail
}

// Recording is everything that a trace needs.
type Recording struct {
	Events  []sim.Event
	Choices []sim.Choice
	History model.History
	// Remarks are not part of the run: two recordings that differ only in them are
	// equal.
	Remarks []sim.Remark
	// Nondeterminism has the reasons why the run may not repeat: see
	// [sim.Process.NoteNondeterminism].
	Nondeterminism []string
}

// Violated lists the violations, in the order of the verdicts.
func (o *Outcome) Violated() []model.Violation {
	var list []model.Violation
	for i := range o.Verdicts {
		if o.Verdicts[i].Status == model.Violated {
			list = append(list, o.Verdicts[i].Violation())
		}
	}
	return list
}
