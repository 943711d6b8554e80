package traces

import (
	"fmt"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// checkOperations checks the operations of clients.
func (t *Trace) checkOperations() error {
	last := int64(0)
	for i := range t.History.Operations {
		o := &t.History.Operations[i]
		where := fmt.Sprintf("history.operations[%d]", i)
		if o.ID != i+1 {
			return fmt.Errorf("%s: has id %d; ids count from 1 without gaps", where, o.ID)
		}
		if o.Call.Seq <= last {
			return fmt.Errorf("%s: is called at event %d, not after the one before, at %d", where, o.Call.Seq, last)
		}
		last = o.Call.Seq
		if err := t.checkOperation(where, o); err != nil {
			return err
		}
	}
	return t.checkCalls()
}

// checkCalls checks the calls on an object that is not a mutex: those of the operations,
// then the crashes.
func (t *Trace) checkCalls() error {
	last := 0
	for i := range t.History.Calls {
		c := &t.History.Calls[i]
		where := fmt.Sprintf("history.calls[%d]", i)
		if c.ID <= last {
			return fmt.Errorf("%s: has id %d, not greater than the one before, %d", where, c.ID, last)
		}
		last = c.ID
		o := t.History.Operation(c.ID)
		switch {
		case c.Op == model.Crash && o != nil:
			return fmt.Errorf("%s: is a crash, and has the id of operation %d", where, c.ID)
		case c.Op == model.Crash && (c.Call < 1 || c.Call > t.LastSeq()):
			return fmt.Errorf("%s: there is no event %d", where, c.Call)
		case c.Op == model.Crash:
		case o == nil:
			return fmt.Errorf("%s: there is no operation %d", where, c.ID)
		case c.Client != o.Client || c.Thread != o.Thread || c.Call != o.Call.Seq || c.Return != o.Return.Seq || c.Outcome != o.Result:
			return fmt.Errorf("%s: differs from operation %d, which has the same id", where, c.ID)
		}
	}
	return nil
}

func (t *Trace) checkOperation(where string, o *model.Operation) error {
	if !o.Kind.Recorded() {
		return fmt.Errorf("%s: there is no kind %s", where, quote(string(o.Kind)))
	}
	switch o.Result {
	case model.OK, model.Failed, model.Unknown:
	default:
		return fmt.Errorf("%s: there is no outcome %s", where, quote(string(o.Result)))
	}
	if o.Client == "" || o.Thread < 0 {
		return fmt.Errorf("%s: belongs to no client", where)
	}
	if !plausible(o.Until) {
		return fmt.Errorf("%s.untilNanos: %d is not a time", where, o.Until)
	}
	if err := t.checkAcquisition(where, o); err != nil {
		return err
	}
	if err := t.checkStamp(where+".call", o.Call); err != nil {
		return err
	}
	if o.Return.Happened() {
		if err := t.checkStamp(where+".return", o.Return); err != nil {
			return err
		}
		if o.Return.Seq <= o.Call.Seq {
			return fmt.Errorf("%s: returns (event %d) before it is called (event %d)", where, o.Return.Seq, o.Call.Seq)
		}
	} else if o.Result != model.Unknown {
		return fmt.Errorf("%s: never returns, so its outcome cannot be %q", where, o.Result)
	}
	if o.Lost.Happened() {
		return t.checkStamp(where+".lost", o.Lost)
	}
	return nil
}

// checkAcquisition checks the acquisition of an operation. Zero is none: an access by a client that needs no lock.
func (t *Trace) checkAcquisition(where string, o *model.Operation) error {
	if o.Kind == model.Acquire {
		if o.Acquisition != o.ID {
			return fmt.Errorf("%s: is an acquire, so its acquisition is %d and not %d", where, o.ID, o.Acquisition)
		}
		return nil
	}
	if o.Acquisition == 0 {
		return nil
	}
	a := t.History.Operation(o.Acquisition)
	if a == nil || a.Kind != model.Acquire || a.ID > o.ID {
		return fmt.Errorf("%s: belongs to acquisition %d, which is not an earlier acquire", where, o.Acquisition)
	}
	return nil
}

// checkObservations checks the observations.
func (t *Trace) checkObservations() error {
	last := int64(0)
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		where := fmt.Sprintf("history.observations[%d]", i)
		if o.Seq < last {
			return fmt.Errorf("%s: event %d is before the previous one, %d", where, o.Seq, last)
		}
		last = o.Seq
		if o.Kind == "" || o.Node == "" {
			return fmt.Errorf("%s: the kind or the node is missing", where)
		}
		if err := t.checkStamp(where, o.Stamp); err != nil {
			return err
		}
		for _, by := range []model.Origin{o.Owner, o.OldOwner, o.By} {
			if by.Op != 0 && t.History.Operation(by.Op) == nil {
				return fmt.Errorf("%s: there is no operation %d", where, by.Op)
			}
		}
		if err := checkNote(where, o); err != nil {
			return err
		}
		if parts := o.Kind == model.Parted || o.Kind == model.United; parts && (o.Sides == nil || len(o.Sides.A) == 0) {
			return fmt.Errorf("%s: the sides of the partition are missing", where)
		}
		if o.For < 0 || !plausible(o.For) || !plausible(o.Ahead) || !plausible(o.ExpiresAt) {
			return fmt.Errorf("%s: a duration of %dns or an expiry at %dns makes no sense", where, o.For, o.ExpiresAt)
		}
	}
	return nil
}

// checkProgram checks the program's facts and actions.
func (t *Trace) checkProgram() error {
	last := int64(0)
	for i := range t.History.Statements {
		s := &t.History.Statements[i]
		where := fmt.Sprintf("history.statements[%d]", i)
		if s.Seq <= last || s.Process == "" || s.Kind == "" || s.Life < 1 {
			return fmt.Errorf("%s: has no process, no kind or no life, or is not after the one before", where)
		}
		last = s.Seq
		if err := t.checkStamp(where, s.Stamp); err != nil {
			return err
		}
	}
	for i := range t.History.Actions {
		a := &t.History.Actions[i]
		where := fmt.Sprintf("history.actions[%d]", i)
		if a.ID != i+1 || a.Process == "" || a.Object == "" || a.Life < 1 {
			return fmt.Errorf("%s: has no process, no object or no life, or its id is not %d", where, i+1)
		}
		if err := t.checkStamp(where+".call", a.Call); err != nil {
			return err
		}
		if !a.Return.Happened() {
			continue
		}
		if err := t.checkStamp(where+".return", a.Return); err != nil {
			return err
		}
		if a.Return.Seq <= a.Call.Seq {
			return fmt.Errorf("%s: returns (event %d) before it is called (event %d)", where, a.Return.Seq, a.Call.Seq)
		}
	}
	return nil
}

// checkNote checks the note of an observation.
func checkNote(where string, o *model.Observation) error {
	n := o.Note
	switch {
	case (n != nil) != (o.Kind == model.Noted):
		return fmt.Errorf("%s: a note belongs to the kind %q, and to no other", where, model.Noted)
	case o.Epoch < 0:
		return fmt.Errorf("%s: epoch %d is negative", where, o.Epoch)
	case n == nil:
	case n.Event == "":
		return fmt.Errorf("%s: the note has no event", where)
	case n.Phase != "" && n.Subject == "":
		return fmt.Errorf("%s: the note's subject is missing", where)
	case n.Place == model.PlaceRecord && n.Record == "":
		return fmt.Errorf("%s: the record that the note's subject waits for is missing", where)
	}
	return nil
}

// Event returns the event with a number, or nil if the trace does not have it.
func (t *Trace) Event(seq int64) *sim.Event {
	i := sort.Search(len(t.Events), func(i int) bool { return t.Events[i].Seq >= seq })
	if i < len(t.Events) && t.Events[i].Seq == seq {
		return &t.Events[i]
	}
	return nil
}

// LastSeq returns the number of the run's last event.
func (t *Trace) LastSeq() int64 {
	last := t.History.End.Seq
	if n := len(t.Events); n > 0 {
		last = max(last, t.Events[n-1].Seq)
	}
	return last
}

// EndAt returns the time of the run's last event.
func (t *Trace) EndAt() time.Duration {
	end := t.History.End.At
	if n := len(t.Events); n > 0 {
		end = max(end, t.Events[n-1].At)
	}
	return end
}
