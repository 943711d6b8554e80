package sim

import "github.com/lockpick-dev/lockpick/sim/internal/callpath"

// Refuse fails the run, because the simulated server does not support a request that a real server may support: no
// verdict on such a run would be worth anything. What is a sentence without its full stop, such as "the simulated
// server does not support this"; t is the task of the request, nil if unknown. A recorded run names the line of the
// user's code that made the request. Only the first refusal of a run counts.
func (s *ServerConn) Refuse(t *Task, what string) {
	p := s.conn.process
	if p.world.answersUnsupported {
		return
	}
	f := &Failure{Actor: p.name, Refused: true, Reason: what + Sent + p.name + " to " + s.actor.name}
	if t != nil && t.Name != "" {
		f.Reason += ", in " + t.Name
	}
	if p.world.config.Record {
		if line, stack := callpath.UsersLine(s.conn.callers(t)); line != "" {
			f.Reason, f.Stack = f.Reason+", at "+line, stack
		}
	}
	p.world.fail(f)
}

// AnswerUnsupported lets the run go on after requests that a simulated server does not support, with the server's
// answers. It is for tests that compare answers; call it while the world is set up.
func (w *World) AnswerUnsupported() { w.answersUnsupported = true }

// Sent separates, in the reason of a refusal, the unsupported request from its sender.
const Sent = ": sent by "
