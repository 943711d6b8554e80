package cell

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/peers"
)

// Process is a process of a [Program], as its Main sees it. It has what a [Client] has: the stores'
// addresses, a clock, a random source, a dialer. Its own methods report what happens in it, as
// marks in the run's history. They take no time; in a paused process they block until the pause
// ends. Any goroutine of the process may call them, but not while it holds a mutex that others
// want.
type Process struct {
	*Client
	of   *Program
	rec  *record.Recorder
	n    int // its number, from 0
	life int // from 1
	ctx  context.Context
	over bool // it has ended; only for the conductor
}

// Context returns a context that ends when the program's time is over: see
// [Program].Lasts. Main must then return.
func (p *Process) Context() context.Context { return p.ctx }

// Listen makes the process accept connections of others at a port, as net.Listen does. A crash of
// the process closes the listener; the restarted process has to listen again.
func (p *Process) Listen(port int) (net.Listener, error) { return peers.Listen(p.process, port) }

// AddressOf returns the address of a port of the process with the given number. Others pass it
// to Dial.
func (p *Process) AddressOf(number, port int) string {
	return net.JoinHostPort(hostOf(number), strconv.Itoa(port))
}

// Number returns the number of the process, from 0. A process that is restarted after a crash keeps
// its number. The process that runs [Program].Finally has the number -1.
func (p *Process) Number() int { return p.n }

// Life returns the number of the process's life: 1, and one more after each restart.
func (p *Process) Life() int { return p.life }

// Always checks the rule [program.Always] of the same text: ok says whether the condition
// holds. If it does not, the details are added to the report, formatted by fmt.Sprint.
func (p *Process) Always(ok bool, text string, details ...any) {
	p.mustKnow(model.SaidAlways, text, "Always")
	said, shown := model.Statement{Kind: model.SaidAlways, Name: text, OK: ok, Detail: joined(details)}, ""
	if !ok {
		shown = "{node}: the rule is broken: " + text + inParentheses(said.Detail)
	}
	p.say(said, shown, !ok)
}

// Sometimes reports to the rule [program.Sometimes] of the same text whether its condition
// holds.
func (p *Process) Sometimes(ok bool, text string) {
	p.mustKnow(model.SaidSometimes, text, "Sometimes")
	p.say(model.Statement{Kind: model.SaidSometimes, Name: text, OK: ok}, "", false)
}

// Reachable reports that the process has reached the place of the rule [program.Reachable] of the same
// text.
func (p *Process) Reachable(text string) {
	p.mustKnow(model.SaidReached, text, "Reachable")
	p.say(model.Statement{Kind: model.SaidReached, Name: text, OK: true}, "", false)
}

// Unreachable reports that the process has reached the place of the rule [program.Unreachable] of
// the same text, and so has broken it. Details are added to the report, formatted by fmt.Sprint.
func (p *Process) Unreachable(text string, details ...any) {
	p.mustKnow(model.SaidReached, text, "Unreachable")
	detail := joined(details)
	p.say(model.Statement{Kind: model.SaidReached, Name: text, Detail: detail}, "{node}: comes by "+text+inParentheses(detail), true)
}

// Effect records an effect outside of the world that cannot be taken back, such as a mail that is
// sent. Key, formatted by fmt.Sprint, distinguishes effects of one name. Effect takes two
// milliseconds, and the effect happens after the first: a pause or a crash may come before it, or
// after it and before Effect returns. The rules [program.AtMostOnce] and [program.ExactlyOnce] count
// effects.
func (p *Process) Effect(name string, key any) {
	said := model.Statement{Kind: model.SaidEffect, Name: name, Key: fmt.Sprint(key), OK: true}
	what := name + " " + said.Key
	p.process.Step(what, halfEffect)
	p.say(said, "{node}: the effect "+name+" of "+said.Key, false)
	p.process.Step("return of "+what, halfEffect)
}

// halfEffect is the time until an effect happens, and again until Effect returns.
const halfEffect = time.Millisecond

// Event adds a step for the reader to the run's story. Details are formatted by
// fmt.Sprint.
func (p *Process) Event(name string, details ...any) {
	detail := joined(details)
	p.say(model.Statement{Kind: model.SaidEvent, Name: name, OK: true, Detail: detail}, "{node}: "+name+inParentheses(detail), false)
}

// ErrNoEffect is an error that the function of [Process.Do] returns, wrapped or not, if the operation is
// known to have had no effect. After any other error it may have had one, or may yet have one.
var ErrNoEffect = errors.New("no effect")

// Do runs an operation on an object for which a rule [program.Linearizable] has a model. Op is an
// operation of the model, such as models.Take{N: 2}, and do returns its answer. If the process
// crashes meanwhile, or do returns an error other than [ErrNoEffect], the operation may have taken
// effect, or may do so later. Do returns the results of do.
func (p *Process) Do(object string, op any, do func() (any, error)) (any, error) {
	p.mustKnowObject(object)
	a := p.rec.Act(p.process, p.life, object, op)
	out, err := do()
	switch {
	case err == nil:
		a.End(model.OK, out, nil)
	case errors.Is(err, ErrNoEffect):
		a.End(model.Failed, nil, err)
	default:
		a.End(model.Unknown, nil, err)
	}
	return out, err
}

// say records a statement.
func (p *Process) say(s model.Statement, shown string, bad bool) {
	s.Life = p.life
	p.rec.State(p.process, s, shown, bad)
}

// mustKnow panics if the program has no such rule.
func (p *Process) mustKnow(kind model.StatementKind, text, method string) {
	for i := range p.of.Rules {
		if p.of.Rules[i].Knows(kind, text) {
			return
		}
	}
	panic(fmt.Sprintf("Process.%s: the program has no rule %q: add program.%s(%q) to its Rules", method, text, method, text))
}

// mustKnowObject panics if the program has no model of an object.
func (p *Process) mustKnowObject(object string) {
	for i := range p.of.Rules {
		if p.of.Rules[i].Models(object) {
			return
		}
	}
	panic(fmt.Sprintf("Process.Do: the program has no model of the object %q: add program.Linearizable(\"the %s is correct\", %q, model) to its Rules", object, object, object))
}

func joined(details []any) string {
	return strings.TrimSpace(fmt.Sprintln(details...))
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
