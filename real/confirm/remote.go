package confirm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/traces"
)

// Remote is the subject of a lock that another program has, such as a test binary. One goroutine may use it at a time.
type Remote struct {
	process *process
	answers *json.Decoder
	facts   realclient.Facts
}

// StartRemote starts a program as the process of the subject of a trace. Close ends it.
func StartRemote(program realclient.Program, t *traces.Trace) (*Remote, error) {
	p, err := startProgram(program)
	if err != nil {
		return nil, err
	}
	r := &Remote{process: p, answers: json.NewDecoder(p.out)}
	err = p.out.SetReadDeadline(time.Now().Add(timeToStart))
	if err == nil {
		err = p.orders.Encode(realclient.Outfit{Subject: &traces.Trace{
			Schema: t.Schema, Scenario: t.Scenario, Parameters: t.Parameters, Lock: t.Lock, Store: t.Store, Test: t.Test, Property: t.Property,
		}})
	}
	var first realclient.Answer
	if err == nil {
		first, err = r.answer()
	}
	if err == nil {
		err = p.out.SetReadDeadline(time.Time{})
	}
	if err == nil && first.Facts == nil {
		err = errors.New("its first answer has no facts")
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	r.facts = *first.Facts
	return r, nil
}

// Facts returns the facts about the lock, which are the same for all runs.
func (r *Remote) Facts() realclient.Facts { return r.facts }

// Extent returns how much of the trace its violation needs.
func (r *Remote) Extent(t *traces.Trace) (realclient.Extent, error) {
	a, err := r.ask(realclient.Question{Extent: t})
	if err == nil && a.Extent == nil {
		err = errors.New("the process of the lock does not say how much of the trace its violation needs")
	}
	if err != nil {
		return realclient.Extent{}, err
	}
	return *a.Extent, nil
}

// Judge returns a real run as a trace.
func (r *Remote) Judge(run realclient.Run) (*traces.Trace, error) {
	a, err := r.ask(realclient.Question{Judge: &run})
	if err == nil && a.Trace == nil {
		err = errors.New("the process of the lock has not judged the run")
	}
	return a.Trace, err
}

// Close ends the process.
func (r *Remote) Close() { r.process.kill() }

// ask asks the process.
func (r *Remote) ask(q realclient.Question) (realclient.Answer, error) {
	if err := r.process.orders.Encode(q); err != nil {
		return realclient.Answer{}, fmt.Errorf("the process of the lock has ended: %w\n%s", err, r.process.words.String())
	}
	return r.answer()
}

// answer reads its next answer.
func (r *Remote) answer() (a realclient.Answer, err error) {
	if err := r.answers.Decode(&a); err != nil {
		r.process.kill() // so that its output is complete
		return a, fmt.Errorf("the process of the lock does not answer: %w\n%s", err, r.process.words.String())
	}
	if a.Err != "" {
		return a, errors.New(a.Err)
	}
	return a, nil
}

// startProgram starts a program that calls [realclient.Serve].
func startProgram(program realclient.Program) (*process, error) {
	p := &process{command: exec.Command(program.Command[0], program.Command[1:]...), over: make(chan struct{})}
	p.command.Env, p.command.Dir = append(append(os.Environ(), program.Env...), "GOMAXPROCS=2"), program.Dir
	p.command.Stdout, p.command.Stderr = &p.words, &p.words
	p.command.WaitDelay = time.Second   // a child of the process may hold its output open
	realserver.EndWithParent(p.command) // also while it is stopped
	if err := p.start(); err != nil {
		return nil, err
	}
	p.orders = json.NewEncoder(p.in)
	return p, nil
}
