package histories

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

// mishap is what goes wrong: a client crashes, it learns that its hold is lost,
// or a hold ends by itself.
func (s *simulation) mishap() {
	switch rapid.IntRange(0, 3).Draw(s.t, "mishap") {
	case 0:
		s.crash()
	case 1:
		s.expire()
	default:
		s.lapse()
	}
}

// crash ends a client. What it has called may still take effect.
func (s *simulation) crash() {
	clients := slices.Clone(s.idle)
	for _, o := range s.open {
		if !o.left {
			clients = append(clients, o.call.Client)
		}
	}
	if len(clients) == 0 || len(s.calls) >= s.most {
		return
	}
	c := &model.Call{Client: rapid.SampledFrom(clients).Draw(s.t, "crashes"), Op: model.Crash}
	s.record(c)
	s.idle = slices.DeleteFunc(s.idle, func(client string) bool { return client == c.Client })
	for _, o := range s.open {
		if o.call.Client == c.Client {
			o.left = true
			s.forgetAnswers(o)
		}
	}
}

// expire says that a hold may end.
func (s *simulation) expire() {
	if len(s.object.entries) == 0 || len(s.calls) >= s.most || !slices.Contains(s.spec.Kind.Ops(), model.Expire) {
		return
	}
	e := rapid.SampledFrom(s.object.entries).Draw(s.t, "lost")
	s.record(&model.Call{Client: e.owner, Op: model.Expire, Of: e.id})
}

// lapse ends a hold that may end by now.
func (s *simulation) lapse() {
	if len(s.object.entries) == 0 {
		return
	}
	e := rapid.SampledFrom(s.object.entries).Draw(s.t, "lapses")
	if at, may := (&search{calls: s.soFar(), name: objectName}).mayEnd(s.object, e); may && at <= s.event {
		s.object.end(s.object.group(e))
	}
}

func (s *simulation) soFar() []model.Call {
	calls := make([]model.Call, len(s.calls))
	for i, c := range s.calls {
		calls[i] = *c
	}
	return calls
}
