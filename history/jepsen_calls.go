package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lockpick-dev/lockpick/history/internal/edn"
	"github.com/lockpick-dev/lockpick/model"
)

// readJepsen reads EDN. Operations that failed are left out: Jepsen's :fail only says
// that the operation had no effect.
func readJepsen(in io.Reader, o Options) (*History, error) {
	ops := slices.DeleteFunc(o.Kind.Ops(), func(op model.OpKind) bool { return op == model.Crash || op == model.Expire })
	if len(ops) == 0 {
		return nil, errors.New("EDN: the meaning of a :value depends on the kind of object: set Options.Kind")
	}
	r, err := pairJepsen(in, o.MaxCalls)
	if err != nil {
		return nil, err
	}
	h := &History{Annotations: r.notes}
	for i := range r.ops {
		op := &r.ops[i]
		if note, ok := op.note(); ok {
			h.Annotations = append(h.Annotations, note)
		}
		if op.outcome == model.Failed {
			h.Dropped++
			continue
		}
		if !slices.Contains(ops, model.OpKind(op.f)) {
			return nil, &LineError{Line: op.line, Problem: fmt.Sprintf(":f %s: a %s has %s", quote(":"+op.f), o.Kind, keywords(ops))}
		}
		c, err := op.toCall(o.Kind, o.Independent)
		if err != nil {
			return nil, &LineError{Line: op.line, Problem: err.Error()}
		}
		c.ID = len(h.Calls) + 1
		h.Calls = append(h.Calls, c)
		h.Origins = append(h.Origins, Origin{Line: op.line, Call: op.called, Return: op.ended})
	}
	slices.SortStableFunc(h.Annotations, func(a, b Annotation) int { return cmp.Compare(a.From, b.From) })
	return h, nil
}

// note returns an annotation for facts that calls cannot express: a release or an extension without effect, and the
// reason for an unknown outcome. Ok is false if there is nothing to note.
func (op *jepsenOp) note() (note Annotation, ok bool) {
	note = Annotation{Text: ":" + clip(op.f), On: op.process, From: op.call, To: op.ret, Began: op.called, Ended: op.ended}
	switch {
	case op.outcome == model.Failed && slices.Contains([]model.OpKind{model.Release, model.ReleaseRead, model.ReleaseWrite, model.Extend}, model.OpKind(op.f)):
		note.Text += " failed, and had no effect"
	case op.outcome == model.Unknown && op.err != "":
		note.To, note.Ended = note.From, note.Began
		note.Text += " has an unknown outcome"
	default:
		return note, false
	}
	if op.err != "" {
		note.Text += ": " + op.err
	}
	return note, true
}

func keywords(ops []model.OpKind) string {
	var list string
	for i, op := range ops {
		if i > 0 {
			list += ", "
		}
		list += ":" + string(op)
	}
	return list
}

// toCall returns the operation as a call on an object of the kind.
func (op *jepsenOp) toCall(kind model.Kind, independent bool) (c model.Call, err error) {
	c = model.Call{
		Client: op.process, Object: string(kind), Op: model.OpKind(op.f),
		Call: op.call, Return: op.ret, Outcome: op.outcome,
	}
	asked, answered := op.asked, op.answered
	if independent {
		if c.Object, asked, err = pair(asked); err != nil {
			return c, err
		}
		if op.outcome == model.OK {
			var object string
			if object, answered, err = pair(answered); err != nil {
				return c, err
			}
			if object != c.Object {
				return c, fmt.Errorf(":invoke names the object %s, and :ok names %s: want the same", quote(c.Object), quote(object))
			}
		}
	}
	if err := argument(&c, kind, asked); err != nil {
		return c, fmt.Errorf(":%s with :value %s: %w", c.Op, brief(asked), err)
	}
	if op.outcome == model.OK {
		if err := result(&c, kind, answered); err != nil {
			return c, fmt.Errorf(":%s answered with :value %s: %w", c.Op, brief(answered), err)
		}
	}
	return c, nil
}

// pair splits [object value].
func pair(v edn.Value) (string, edn.Value, error) {
	if v.Kind == edn.Tagged {
		v = v.Items[0]
	}
	if v.Kind != edn.Vector || len(v.Items) != 2 {
		return "", v, fmt.Errorf(":value %s: want a pair of object and value, as independent objects have", brief(v))
	}
	return name(v.Items[0]), v.Items[1], nil
}

// argument reads the value of an :invoke.
func argument(c *model.Call, kind model.Kind, v edn.Value) error {
	switch {
	case c.Op == model.Cas:
		if v.Kind != edn.Vector || len(v.Items) != 2 || v.Items[0].Kind != edn.Int || v.Items[1].Kind != edn.Int {
			return errors.New("want a pair of whole numbers, the expected value and the new one, such as [0 2]")
		}
		c.Expected, c.N = v.Items[0].Int, v.Items[1].Int
		return nil
	case c.Op == model.Write || c.Op == model.Add:
		if v.Kind != edn.Int {
			return errors.New("want a whole number")
		}
		c.N = v.Int
		return nil
	case c.Op == model.Read || c.Op == model.Await:
		return nil // it asks for something
	case v.Kind == edn.Nil:
		return nil
	case v.Kind == edn.Int && (kind == model.KindSemaphore || kind == model.KindStock || c.Op == model.CountDown):
		c.N = v.Int
		return nil
	case v.Kind == edn.Map && c.Op != model.CountDown:
		return details(c, kind, v)
	}
	return errors.New("want nil, a map such as {:client \"c1\"}, or, for permits, items and counts, a whole number")
}

// result reads the value of an :ok. If an operation has no result, Jepsen repeats its
// argument.
func result(c *model.Call, kind model.Kind, v edn.Value) error {
	switch {
	case v.Kind == edn.Int && (c.Op == model.Read || kind == model.KindBarrier):
		c.Value, c.Valued = v.Int, true
		return nil
	case c.Op == model.Read && v.Kind != edn.Nil:
		return errors.New("want a whole number, or nil for no answer")
	case v.Kind == edn.Map:
		return details(c, kind, v)
	}
	return nil
}

// details reads the map that Jepsen's tests of locks add to an operation.
func details(c *model.Call, kind model.Kind, v edn.Value) error {
	acquired := c.Op == model.Acquire && c.Outcome == model.OK
	for i := 0; i+1 < len(v.Items); i += 2 {
		key, value := v.Items[i], v.Items[i+1]
		if key.Kind != edn.Keyword {
			return fmt.Errorf("want keywords as keys, not %s", brief(key))
		}
		whole := value.Kind == edn.Int
		switch {
		case value.Kind == edn.Nil:
		case key.Text == "client":
			c.Owner = name(value)
		case key.Text == "uid": // of the request: it distinguishes retries
		case key.Text == "fence" && whole:
			if acquired && (kind == model.KindFenced || kind == model.KindReentrantFenced) && value.Int != invalidFence {
				c.Token, c.Fenced = value.Int, true
			}
		case key.Text == "permits" && whole && kind == model.KindSemaphore:
			c.N = value.Int
		case key.Text == "permit" && kind == model.KindPermitSemaphore:
			c.Permit = name(value)
		default:
			return fmt.Errorf("%s %s: want :client, :uid, :fence with a number, or, for semaphores, :permits with a number or :permit", brief(key), brief(value))
		}
	}
	return nil
}

// invalidFence is Hazelcast's value for no token.
const invalidFence = 0

// name returns a value as a name: strings and keywords without their marks.
func name(v edn.Value) string {
	if v.Kind == edn.String || v.Kind == edn.Keyword || v.Kind == edn.Symbol {
		return v.Text
	}
	return v.String()
}
