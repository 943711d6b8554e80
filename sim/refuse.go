package sim

import (
	"fmt"
	"runtime"

	"github.com/lockpick-dev/lockpick/sim/internal/callpath"
)

// Refuse fails the run, because the simulated server does not support what the client has asked for, though a real server
// may: no verdict on such a run would be worth anything, whatever the client makes of the answer. What is a sentence
// without its point, such as "the simulated server does not support this"; t is the task of the request, nil if that is not
// known. A recorded run names the line of the user's code that made the request. Only the first refusal of a run counts.
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

// AnswerUnsupported lets the run go on after requests that a simulated server does not support, with whatever it answers. It is
// for tests that compare answers; call it while the world is set up.
func (w *World) AnswerUnsupported() { w.answersUnsupported = true }

// Sent follows in the reason of a refusal what is not supported, and precedes who sent it.
const Sent = ": sent by "

// writer is what is known of a Write in a recorded run: the stack of the goroutine that wrote, and the goroutine that the
// task belongs to.
type writer struct {
	stack []uintptr
	owner gid
}

// stackHere is the stack of the calling goroutine, nil in a run that is not recorded.
func (w *World) stackHere() []uintptr {
	if !w.config.Record {
		return nil
	}
	stack := make([]uintptr, 128)
	return stack[:runtime.Callers(2, stack)]
}

// noteWriter notes who wrote what is sent for a task. It is for the conductor.
func (c *Conn) noteWriter(t *Task, by sender) {
	if by.stack == nil {
		return
	}
	w := writer{stack: by.stack, owner: c.process.set().first()}
	if by.b != nil && t != nil {
		w.owner = by.b.owner()
	}
	if c.writers == nil {
		c.writers = map[*Task]writer{}
	}
	c.writers[t] = w
}

// callers are the calls that led to the last Write for a task, or to that before any task was known: those of the goroutine that
// wrote; and, as client libraries have goroutines that write for others, those that the task's own goroutine is in now.
func (c *Conn) callers(t *Task) (lists [][]runtime.Frame) {
	w, known := c.writers[t]
	if !known {
		w.owner = c.process.set().first()
	}
	return [][]runtime.Frame{callpath.Frames(w.stack), callpath.FramesOf(fmt.Sprint(uint64(w.owner)))}
}
