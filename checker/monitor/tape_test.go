package monitor_test

import "github.com/lockpick-dev/lockpick/model"

// tape writes a history by hand: every call and every return is the next event.
type tape struct {
	calls []model.Call
	event int64
}

func (h *tape) next() int64 {
	h.event++
	return h.event
}

// call is called now, and has no answer yet.
func (h *tape) call(client string, op model.OpKind) int {
	h.calls = append(h.calls, model.Call{
		ID: len(h.calls) + 1, Client: client, Object: "o", Op: op, Call: h.next(), Outcome: model.Unknown,
	})
	return len(h.calls)
}

func (h *tape) answer(id int, outcome model.Outcome) *model.Call {
	c := &h.calls[id-1]
	c.Return, c.Outcome = h.next(), outcome
	return c
}

// does is a call that succeeds at once.
func (h *tape) does(client string, op model.OpKind) *model.Call {
	return h.answer(h.call(client, op), model.OK)
}
