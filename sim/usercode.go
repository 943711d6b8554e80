package sim

import (
	"runtime"
	"strconv"

	"github.com/lockpick-dev/lockpick/sim/internal/callpath"
)

// writer describes a Write in a recorded run: the stack of the goroutine that wrote, and the goroutine that the task
// belongs to.
type writer struct {
	stack []uintptr
	owner gid
}

// noteWriter notes the writer of data that is sent for a task, and returns the line of the user's code that wrote it.
// It is for the conductor.
func (c *Conn) noteWriter(t *Task, by sender) (code string) {
	if by.stack == nil {
		return ""
	}
	w := writer{stack: by.stack, owner: c.process.routines().first()}
	if by.b != nil && t != nil {
		w.owner = by.b.owner()
	}
	if c.writers == nil {
		c.writers = map[*Task]writer{}
	}
	c.writers[t] = w
	return c.process.world.Network().code.of(c.process.world, t, w)
}

// callers returns the calls that led to the last Write for a task, or, if there is none, to the last Write without a
// task: those of the goroutine that wrote; and those that the task's own goroutine is in now, since client libraries
// have goroutines that write for others.
func (c *Conn) callers(t *Task) (lists [][]runtime.Frame) {
	w, known := c.writers[t]
	if !known {
		w.owner = c.process.routines().first()
	}
	return [][]runtime.Frame{callpath.Frames(w.stack), c.process.world.Network().code.framesOf(c.process.world, w.owner)}
}

// userCode finds the lines of the user's code that have made requests and calls, in a recorded run. Only the conductor
// uses it, while all goroutines are blocked, so nothing in it depends on the scheduler.
type userCode struct {
	dump callpath.Dump // of the goroutines
	step int64         // the step in which dump was made
}

// of returns the line of a request. If the request is the first of its task with a line, it is also the
// task's line.
func (u *userCode) of(world *World, t *Task, w writer) string {
	c := callpath.CodeOf(w.stack)
	if c.Hired && w.owner != 0 {
		c = c.Or(callpath.CodeIn(u.framesOf(world, w.owner)))
	}
	if t != nil && t.code == "" {
		t.code = c.Outer
		world.locate(t)
	}
	return c.Inner
}

// framesOf returns the calls that a goroutine is in.
func (u *userCode) framesOf(world *World, g gid) []runtime.Frame {
	if step := world.steps.Load(); u.dump == nil || u.step != step {
		u.dump, u.step = callpath.AllStacks(), step
	}
	return u.dump.FramesOf(strconv.FormatUint(uint64(g), 10))
}
