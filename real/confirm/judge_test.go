package confirm

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// turns is a history, made by hand, of two clients that each acquire the lock, read, write and release it, in an order: "1" is
// the next operation of c1, and "2" that of c2. Each reads what was written last.
func turns(order string) *model.History {
	h := &model.History{LockName: "lock", TTL: 2 * time.Second}
	kinds := []model.OpKind{model.Acquire, model.Read, model.Write, model.Release}
	next, acquired := map[rune]int{}, map[rune]int{}
	value, seq := int64(0), int64(0)
	stamp := func() model.Stamp {
		seq++
		return model.Stamp{Seq: seq, At: time.Duration(seq) * time.Millisecond}
	}
	for i, who := range order {
		op := model.Operation{ID: i + 1, Client: "c" + string(who), Kind: kinds[next[who]], Call: stamp(), Return: stamp(), Result: model.OK}
		next[who]++
		switch op.Kind {
		case model.Acquire:
			acquired[who] = op.ID
		case model.Write:
			value++
			op.Value = value
		case model.Read:
			op.Value = value
		}
		op.Acquisition = acquired[who]
		h.Operations = append(h.Operations, op)
	}
	h.End = stamp()
	return h
}

// judging is a subject that judges by the checker's defaults.
type judging struct{ realclient.Subject }

func (judging) Judge(r realclient.Run) (*traces.Trace, error) {
	return &traces.Trace{Verdicts: checker.Check(&r.History, checker.Options{}, r.Property)}, nil
}

// TestJudge: only the trace's property, violated in the same class by the same cause, confirms it. A clean history confirms
// nothing.
func TestJudge(t *testing.T) {
	const property = checker.MutualExclusion
	overlap, clean := turns("12112212"), turns("11112222")
	trace := checker.Check(overlap, checker.Options{}, property)[0]
	if trace.Status != model.Violated {
		t.Fatalf("%+v", trace)
	}
	for _, test := range []struct {
		what   string
		real   *model.History
		change func(v *model.Verdict) // in the trace's verdict
		want   string                 // what the try says, empty if it confirms
	}{
		{"the same", overlap, func(*model.Verdict) {}, ""},
		{"clean", clean, func(*model.Verdict) {}, property + ": holds"},
		{"another class", overlap, func(v *model.Verdict) { v.Limit = !v.Limit }, property + " is violated by another cause"},
		{"another cause", overlap, func(v *model.Verdict) { v.Cause = "store-forgot" }, "not store-forgot"},
	} {
		want := trace
		test.change(&want)
		try := Try{History: test.real}
		if err := try.judge(Confirmation{Subject: judging{}, Trace: &traces.Trace{}}, &want); err != nil {
			t.Fatal(err)
		}
		if try.Confirmed != (test.want == "") || !strings.Contains(try.Other, test.want) {
			t.Errorf("%s: confirmed %v, %q, want %q", test.what, try.Confirmed, try.Other, test.want)
		}
	}
}
