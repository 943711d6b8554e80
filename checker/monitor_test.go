package checker

import (
	"cmp"
	"flag"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// manyChecks runs a property on at least n cases, or as many as the command
// line asks for.
func manyChecks(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if old := checks.Value.String(); old == checks.DefValue {
		if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Value.Set(old) }() // it was that before
	}
	rapid.Check(t, property)
}

// below draws a number below n, all about as likely. (rapid's own integers
// lean to small ones, and histories of small numbers are all alike.)
func below(t *rapid.T, n int, label string) int {
	return rapid.Custom(func(t *rapid.T) int {
		v := 0
		for range 8 {
			v *= 2
			if rapid.Bool().Draw(t, "bit") {
				v++
			}
		}
		return v % n
	}).Draw(t, label)
}

// walker is one thread of a random history.
type walker struct {
	client string
	// op is the open operation, hold the acquisition that was won last.
	op, hold int
	// done is set once hold was released, dead after a crash for good.
	done, dead bool
}

// randomHistory draws a well-formed history of up to four threads: every
// thread does one thing at a time, acquires before it releases, and has no
// voice once it has crashed. Whether Acquires succeed is drawn with a leaning
// to what a correct lock would say, or hardly any history would be legal.
func randomHistory(t *rapid.T) *model.History {
	var s script
	names := []string{"c1", "c2", "c2/1", "c3"}
	threads := make([]walker, 1+below(t, len(names), "threads"))
	for i := range threads {
		threads[i].client = names[i]
	}
	fenced := rapid.Bool().Draw(t, "fenced")
	faulty := below(t, 30, "one in so many answers is wrong")
	top := int64(0)
	for range 8 + below(t, 60, "steps") {
		w := &threads[below(t, len(threads), "thread")]
		action := below(t, 20, "action")
		wrong := faulty > 0 && below(t, faulty, "wrong") == 1
		switch {
		case w.dead:
		case action == 0 && below(t, 2, "crash") == 1:
			crash(&s, threads, w.client, rapid.Bool().Draw(t, "for good"))
		case w.op == 0 && w.hold != 0 && !w.done:
			w.op = s.release(w.client, w.hold)
		case w.op == 0 && w.hold != 0 && action < 4:
			w.op = s.release(w.client, w.hold) // a second one
		case w.op == 0:
			w.op, w.hold, w.done = s.acquire(w.client), 0, false
		case s.h.Operation(w.op).Kind == model.Release:
			w.done = true
			answerRelease(&s, w, action)
		case !taken(threads) != wrong && action < 16:
			w.hold = w.op
			s.ok(w.op)
			if fenced && action != 15 {
				top++
				token(top)(s.h.Operation(w.op))
				if faulty > 0 && below(t, 2*faulty, "wrong token") == 1 {
					token(int64(below(t, int(top+1), "token")))(s.h.Operation(w.op))
				}
			}
			w.op = 0
		case action%2 == 0:
			s.failed(w.op)
			w.op = 0
		default:
			s.unknown(w.op)
			w.op = 0
		}
	}
	return s.history()
}

func answerRelease(s *script, w *walker, action int) {
	switch action % 5 {
	case 0:
		s.notHeld(w.op)
	case 1:
		s.unknown(w.op)
	case 2:
		s.failed(w.op)
	default:
		s.ok(w.op)
	}
	w.op = 0
}

// taken reports whether somebody holds the lock and is not releasing it.
func taken(threads []walker) bool {
	return slices.ContainsFunc(threads, func(w walker) bool {
		return w.hold != 0 && !w.done && w.op == 0
	})
}

// crash ends a process: what its threads have open stays open.
func crash(s *script, threads []walker, client string, forGood bool) {
	client = client[:2]
	s.world(model.Crashed, client)
	for i := range threads {
		if w := &threads[i]; w.client[:2] == client {
			*w = walker{client: w.client, dead: forGood}
		}
	}
}

// TestMonitorAgainstPorcupine is the proof by trial that the monitor, which
// decides alone on recorded histories, decides like porcupine.
func TestMonitorAgainstPorcupine(t *testing.T) {
	slowtest.SkipIfShort(t)
	counts := map[bool]int{}
	fenced := map[bool]int{}
	manyChecks(t, 6000, func(t *rapid.T) {
		h := randomHistory(t)
		j := linearizableJudge{newJudge(h, Options{})}
		a, b, exact := j.monitor()
		if !exact {
			t.Fatalf("a well-formed history that the monitor does not decide")
		}
		m := objects.MutexModel()
		tokens := slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return holders.Acquired(&op) && op.Fenced })
		if tokens {
			m = objects.FencedMutexModel()
		}
		ops := objects.LockOperations(h)
		legal := porcupine.CheckOperations(m, ops)
		if legal != (b == nil) {
			t.Fatalf("porcupine: legal %v; monitor: %+v and %+v\n%+v", legal, a, b, h)
		}
		if without := porcupine.CheckOperations(m, slices.DeleteFunc(ops, unconstraining)); without != legal {
			t.Fatalf("legal %v, and %v without what cannot matter\n%+v", legal, without, h)
		}
		counts[legal]++
		fenced[tokens && !legal && a.Stop.Happened() && a.Stop.Seq <= b.Start.Seq]++
	})
	t.Logf("%d legal, %d illegal, %d of them for their tokens alone", counts[true], counts[false], fenced[true])
	if total := counts[true] + counts[false]; counts[true] < total/10 || counts[false] < total/10 || fenced[true] == 0 {
		t.Errorf("too few of a kind to prove anything")
	}
}

// TestClaimsPointwise compares mutualExclusion with its definition: there is
// an event at which two threads may believe that they hold the lock.
func TestClaimsPointwise(t *testing.T) {
	counts := map[bool]int{}
	manyChecks(t, 3000, func(t *rapid.T) {
		h := randomHistory(t)
		for i := range h.Operations {
			op := &h.Operations[i]
			if holders.Acquired(op) && below(t, 3, "leased") == 0 {
				until(op.Return.At + time.Duration(below(t, 8, "for")-1)*time.Millisecond)(op)
			}
			if holders.Acquired(op) && below(t, 4, "lost") == 0 {
				n := int64(below(t, 7, "after"))
				op.Notifies, op.Lost = true, model.Stamp{Seq: op.Return.Seq + n, At: op.Return.At + time.Duration(n)*time.Millisecond}
			}
		}
		both := false
		for seq := int64(1); seq <= h.End.Seq; seq++ {
			at := model.Stamp{Seq: seq, At: time.Duration(seq) * time.Millisecond}
			in := map[lockThread]bool{}
			for i := range h.Operations {
				if op := &h.Operations[i]; believes(h, op, at) {
					in[lockThread{op.Client, op.Thread}] = true
				}
			}
			both = both || len(in) > 1
		}
		v := Check(h, Options{}, MutualExclusion)[0]
		if (v.Status == model.Violated) != both {
			t.Fatalf("%v: %s; both: %v\n%+v", v.Status, v.Sentence, both, h)
		}
		counts[both]++
	})
	if counts[true] == 0 || counts[false] == 0 {
		t.Errorf("vacuous: %v", counts)
	}
}

type lockThread struct {
	client string
	thread int
}

// believes is the definition of a claim, one place at a time.
func believes(h *model.History, op *model.Operation, at model.Stamp) bool {
	if op.Kind != model.Acquire || op.Result != model.OK || at.Seq < op.Return.Seq {
		return false
	}
	for i := range h.Operations {
		r := &h.Operations[i]
		if r.Kind == model.Release && r.Acquisition == op.ID && r.Call.Seq <= at.Seq {
			return false
		}
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Kind == model.Crashed && o.Node == op.Client && o.Seq > op.Call.Seq && o.Seq <= at.Seq {
			return false
		}
	}
	return !(op.Leased && op.Until <= at.At) && !(op.Lost.Happened() && op.Lost.Seq <= at.Seq)
}

// TestAnyHistory feeds Check with histories that nobody would record: it must
// answer, twice the same, and keep what every verdict promises.
func TestAnyHistory(t *testing.T) {
	manyChecks(t, 2000, func(rt *rapid.T) {
		h := anyHistory(rt)
		o := Options{ProgressBound: 10 * time.Millisecond}
		vs := Check(h, o)
		again := Check(h, o)
		for i, v := range vs {
			w := again[i]
			if v.Sentence != w.Sentence || v.Status != w.Status || !slices.Equal(v.Operations, w.Operations) ||
				!slices.Equal(v.Observations, w.Observations) || v.From != w.From || v.To != w.To {
				rt.Fatalf("%+v, and then %+v", v, w)
			}
			if (v.Sentence == "") != (v.Status == model.Holds) {
				rt.Fatalf("%+v", v)
			}
		}
	})
}

func anyHistory(t *rapid.T) *model.History {
	var s script
	small := rapid.IntRange(-1, 12)
	stamp := func() model.Stamp {
		n := max(0, small.Draw(t, "at"))
		return model.Stamp{Seq: int64(n), At: time.Duration(n) * time.Millisecond}
	}
	who := rapid.SampledFrom([]string{"", "c1", "c2", "r1", "r2"})
	origin := func() model.Origin { return model.Origin{Client: who.Draw(t, "by"), Op: small.Draw(t, "op")} }
	for i := range rapid.IntRange(0, 10).Draw(t, "operations") {
		s.h.Operations = append(s.h.Operations, model.Operation{
			ID:     i + 1,
			Kind:   rapid.SampledFrom([]model.OpKind{model.Acquire, model.Acquire, model.Release, model.Extend, model.Read, model.Write}).Draw(t, "kind"),
			Client: who.Draw(t, "client"), Acquisition: small.Draw(t, "acquisition"),
			Call: stamp(), Return: stamp(), Lost: stamp(),
			Result:  rapid.SampledFrom([]model.Outcome{model.OK, model.OK, model.Failed, model.Unknown}).Draw(t, "outcome"),
			NotHeld: rapid.Bool().Draw(t, "not held"), Fenced: rapid.Bool().Draw(t, "fenced"), Token: int64(small.Draw(t, "token")),
			Value: int64(small.Draw(t, "value")),
		})
	}
	for range rapid.IntRange(0, 12).Draw(t, "observations") {
		s.h.Observations = append(s.h.Observations, model.Observation{
			Stamp: stamp(), Node: who.Draw(t, "node"), Authority: rapid.SampledFrom([]string{"", "r1"}).Draw(t, "authority"), Key: rapid.SampledFrom([]string{lockName, ""}).Draw(t, "key"),
			Kind: rapid.SampledFrom([]model.ObservationKind{model.RecordCreated, model.RecordChanged, model.RecordExpired, model.RecordDeleted,
				model.RecordDropped, model.ResourceWritten, model.Paused, model.Resumed, model.Crashed, model.Returned, model.Promoted, model.Delayed}).Draw(t, "kind"),
			Owner: origin(), OldOwner: origin(), By: origin(), Number: int64(small.Draw(t, "number")),
		})
	}
	slices.SortStableFunc(s.h.Observations, func(a, b model.Observation) int { return cmp.Compare(a.Seq, b.Seq) })
	s.h.End = model.Stamp{Seq: 12, At: 12 * time.Millisecond}
	return s.history()
}
