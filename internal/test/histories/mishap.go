package histories

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// mishap makes something go wrong: a client crashes, learns that its hold is lost, or a hold ends by itself.
func (s *simulation) mishap() {
	switch pick(s.t, "mishap", 4) {
	case 0:
		s.crash()
	case 1:
		s.expire()
	default:
		s.lapse()
	}
}

// crash ends a client. Its calls may still take effect.
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
	c := &model.Call{Client: oneOf(s.t, "crashes", clients), Op: model.Crash}
	s.record(c)
	s.idle = slices.DeleteFunc(s.idle, func(client string) bool { return client == c.Client })
	for _, o := range s.open {
		if o.call.Client == c.Client {
			o.left = true
			s.forgetAnswers(o)
		}
	}
}

// expire records that a hold may end.
func (s *simulation) expire() {
	if len(s.object.entries) == 0 || len(s.calls) >= s.most || !slices.Contains(s.spec.Kind.Ops(), model.Expire) {
		return
	}
	e := oneOf(s.t, "lost", s.object.entries)
	s.record(&model.Call{Client: e.owner, Op: model.Expire, Of: e.id})
}

// lapse ends a hold that may have ended by now.
func (s *simulation) lapse() {
	if len(s.object.entries) == 0 {
		return
	}
	e := oneOf(s.t, "lapses", s.object.entries)
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
