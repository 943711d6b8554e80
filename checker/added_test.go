package checker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// briefHolds is a property that only this test knows: nobody holds the lock for long.
var briefHolds = checker.Property{
	ID: "brief-holds", Letter: "B", Legend: "held for too long",
	About: "nobody holds the lock for longer than a second",
	Description: model.Description{
		Asks:   "Nobody holds the lock for longer than a second.",
		Window: "held for too long",
	},
	Verdict: func(j *checker.Judge) model.Verdict {
		for _, c := range model.Claims(j.History()) {
			if c.Stop.Happened() && c.Stop.At-c.Start.At > time.Second {
				return model.Verdict{
					Status: model.Violated, Sentence: j.Who(c.Acquire) + " held the lock for " + (c.Stop.At - c.Start.At).String() + ".",
					Operations: []int{c.Acquire.ID}, From: c.Start, To: c.Stop,
				}
			}
		}
		return model.Verdict{Status: model.Holds}
	},
}

// longHold is a history in which c1 holds the lock for two seconds.
func longHold() *model.History {
	at := func(seq int64, millis int) model.Stamp {
		return model.Stamp{Seq: seq, At: time.Duration(millis) * time.Millisecond}
	}
	return &model.History{
		LockName: "lock",
		Operations: []model.Operation{
			{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1, 0), Return: at(3, 2), Result: model.OK},
			{ID: 2, Client: "c1", Kind: model.Release, Acquisition: 1, Call: at(4, 2002), Return: at(6, 2004), Result: model.OK},
		},
		Observations: []model.Observation{
			{Stamp: at(2, 1), Node: "r1", Kind: model.RecordCreated, Authority: "r1", Key: "lock", Owner: model.Origin{Client: "c1", Op: 1}, By: model.Origin{Client: "c1", Op: 1}},
			{Stamp: at(5, 2003), Node: "r1", Kind: model.RecordDeleted, Authority: "r1", Key: "lock", Owner: model.Origin{Client: "c1", Op: 1}, By: model.Origin{Client: "c1", Op: 2}},
		},
		End: at(7, 3000),
	}
}

// A property of one's own is judged after the checker's.
func ExampleProperty() {
	verdicts := checker.Check(longHold(), checker.Options{Added: []checker.Property{briefHolds}})
	v := verdicts[len(verdicts)-1]
	fmt.Printf("%s: %s\n%s\n", v.Property, v.Status, v.Sentence)
	// Output:
	// brief-holds: violated
	// c1 held the lock for 2s.
}

// TestAddedHolds: an added property can ask who has the lock in the store.
func TestAddedHolds(t *testing.T) {
	p := briefHolds
	var before, while, after, known bool
	p.Verdict = func(j *checker.Judge) model.Verdict {
		acquire := j.History().Operation(1)
		before, known = j.Holds(acquire, 1, 1)
		while, _ = j.Holds(acquire, 3, 4)
		after, _ = j.Holds(acquire, 6, 7)
		return model.Verdict{Status: model.Holds}
	}
	checker.Check(longHold(), checker.Options{Added: []checker.Property{p}}, p.ID)
	if before || !while || after || !known {
		t.Errorf("held before %v, while %v, after %v; known %v", before, while, after, known)
	}
}

// TestAddedFails: a property that panics, or returns what is no verdict, is undecided with
// the reason, and the others are judged.
func TestAddedFails(t *testing.T) {
	returns := func(v model.Verdict) func(*checker.Judge) model.Verdict {
		return func(*checker.Judge) model.Verdict { return v }
	}
	late := model.Stamp{Seq: 70, At: time.Hour}
	for _, test := range []struct {
		verdict func(*checker.Judge) model.Verdict
		want    string
	}{
		{func(*checker.Judge) model.Verdict { panic("no idea") }, "The property brief-holds panicked: no idea (added_test.go:"},
		{func(j *checker.Judge) model.Verdict { return model.Verdict{Sentence: j.History().Operation(9).Client} }, "panicked: runtime error: invalid memory address or nil pointer dereference (added_test.go:"},
		{returns(model.Verdict{}), `with the status ""`},
		{returns(model.Verdict{Status: model.Violated, Operations: []int{9}}), "names the operation 9"},
		{returns(model.Verdict{Status: model.Violated, Observations: []int64{3}}), "an observation at event 3"},
		{returns(model.Verdict{Status: model.Violated, From: late}), "event 70 at 1h0m0s"},
		{returns(model.Verdict{Status: model.Violated, From: model.Stamp{Seq: 4, At: 4}, To: model.Stamp{Seq: 3, At: 3}}), "ends before it begins"},
	} {
		p := briefHolds
		p.Verdict = test.verdict
		for range 2 {
			verdicts := checker.Check(longHold(), checker.Options{Added: []checker.Property{p, briefHoldsToo()}}, checker.MutualExclusion, p.ID, "brief-holds-too")
			if len(verdicts) != 3 || verdicts[0].Status != model.Holds || verdicts[2].Status != model.Violated {
				t.Fatalf("%s: others: %+v", test.want, verdicts)
			}
			if v := verdicts[1]; v.Status != model.Undecided || v.Cause != model.Panicked || !strings.Contains(v.Sentence, test.want) || v.Property != p.ID {
				t.Errorf("want %s: %+v", test.want, v)
			}
		}
	}
}

func briefHoldsToo() checker.Property {
	p := briefHolds
	p.ID, p.Letter = "brief-holds-too", "D"
	return p
}

// TestValidate: what stands in the way of other properties is refused.
func TestValidate(t *testing.T) {
	with := func(change func(*checker.Property)) checker.Property {
		p := briefHolds
		change(&p)
		return p
	}
	for _, test := range []struct {
		added []checker.Property
		want  string // empty for nothing
	}{
		{[]checker.Property{briefHolds, briefHoldsToo()}, ""},
		{[]checker.Property{with(func(p *checker.Property) { p.ID = checker.Fencing })}, "fencing is one of the checker's own properties"},
		{[]checker.Property{with(func(p *checker.Property) { p.ID = "Brief holds" })}, `cannot have the ID "Brief holds"`},
		{[]checker.Property{with(func(p *checker.Property) { p.Letter = "H" })}, "the letter H of the property brief-holds is that of mutual-exclusion"},
		{[]checker.Property{with(func(p *checker.Property) { p.Letter = "BH" })}, "a Letter of one character"},
		{[]checker.Property{with(func(p *checker.Property) { p.About = "" })}, "lacks About or Verdict"},
		{[]checker.Property{with(func(p *checker.Property) { p.Weak = true })}, "cannot be Weak or Promised"},
		{[]checker.Property{briefHolds, briefHolds}, "two properties with the ID brief-holds"},
		{[]checker.Property{briefHolds, with(func(p *checker.Property) { p.ID = "other" })}, "the letter B of the property other is that of brief-holds"},
	} {
		err := checker.Validate(test.added)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestAddedLimit: a property of one's own blames leases only with an observation that its cause may rest on.
func TestAddedLimit(t *testing.T) {
	excused := briefHolds
	excused.Verdict = func(j *checker.Judge) model.Verdict {
		return checker.WithCause(briefHolds.Verdict(j), model.HolderStopped)
	}
	for _, stopped := range []string{"c1", "c2", ""} {
		h := longHold()
		if stopped != "" {
			at := h.Observations[0].Stamp
			h.Observations = append(h.Observations[:1:1], append([]model.Observation{{Stamp: at, Node: stopped, Kind: model.Paused, For: time.Second}}, h.Observations[1:]...)...)
		}
		v := checker.Check(h, checker.Options{Added: []checker.Property{excused}}, excused.ID)[0]
		want := model.NotEstablished
		if stopped == "c1" {
			want = model.HolderStopped
		}
		if v.Status != model.Violated || v.Cause != want || v.Limit != (stopped == "c1") {
			t.Errorf("stopped %q: %s, %q, a limit: %t, want %q", stopped, v.Status, v.Cause, v.Limit, want)
		}
	}
}
