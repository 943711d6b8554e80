package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
	"github.com/lockpick-dev/lockpick/real/internal/recording"
)

// Checked is the result of checking one rule of the protocol.
type Checked struct {
	Rule string
	// Wrong is what the client does instead, empty if it keeps the rule. Note is what is worth knowing though no rule has it.
	Wrong, Note string
}

// Check checks two processes of a target against the rules of docs/attach.md, one after the other, without faults but for
// one lost answer. It ends at the first rule that makes the others meaningless; the last result then says why. The error
// is why there is no result.
func (t *Target) Check(ctx context.Context) ([]Checked, error) {
	servers, err := t.Store.Start(t.nodes(), false, t.Lease)
	if err != nil {
		return nil, err
	}
	defer servers.Stop()
	two := *t
	two.Clients, two.Lease = 2, max(t.Lease, checkedLease) // so that no lease ends on a busy machine
	r := &run{
		Target: &two, work: Turns, servers: servers, passes: make(chan gate.Passage, 64), heard: make(chan heard, 64),
		counts: map[Point]int{}, sessions: map[string]time.Time{}, Recorder: recording.New(t.Lease),
	}
	defer r.stop()
	c := &conformance{run: r, ctx: ctx}
	for _, step := range []func() error{c.prepares, c.acquires, c.excludes, c.extends, c.releases, c.survives, c.ends} {
		err := step()
		if err == nil {
			continue
		}
		var broken *ClientError
		if !errors.As(err, &broken) {
			return c.list, err
		}
		c.add(c.rule, broken.Error(), "")
		return c.list, nil
	}
	return c.list, nil
}

// checkedLease is the shortest lease of a check.
const checkedLease = 4 * time.Second

// conformance is a check under way.
type conformance struct {
	*run
	ctx  context.Context
	rule string // the one that is checked
	list []Checked
}

// add adds a result.
func (c *conformance) add(rule, wrong, note string) {
	c.list = append(c.list, Checked{rule, wrong, note})
}

// spare is the time that a client has for an answer besides the wait that it was given.
const spare = 5 * time.Second

// ask sends an order, and waits for the answer and a moment more, in which nothing else may come.
func (c *conformance) ask(a *actor, kind model.OpKind, wait time.Duration) (*model.Operation, error) {
	if kind == model.Acquire {
		a.round++
	}
	id := len(c.History.Operations) + 1
	c.order(a, kind, wait)
	for end := time.Now().Add(wait + spare); a.op != 0; {
		if time.Now().After(end) {
			return nil, errClient(a, "does not answer the order to %s within %s", kind, wait+spare)
		}
		if err := c.pump(10 * time.Millisecond); err != nil {
			return nil, err
		}
	}
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
		if err := c.pump(10 * time.Millisecond); err != nil {
			return nil, err
		}
	}
	return c.History.Operation(id), nil
}

// pump lets messages through for a while.
func (c *conformance) pump(long time.Duration) error {
	if err := c.listen(c.ctx, long); err != nil {
		return err
	}
	err := c.passAll()
	c.hangUp()
	return errors.Join(err, c.failed, c.lookExpired())
}

func (c *conformance) prepares() error {
	c.rule = "prepare is answered with ready and the version of the protocol"
	if err := c.prepare(c.ctx); err != nil {
		return err
	}
	c.add(c.rule, "", cmp.Or(c.actors[0].lock, "it gives no name for the lock"))
	return nil
}

func (c *conformance) acquires() error {
	c.rule = "acquire of a free lock is ok, and the store has a record"
	op, err := c.ask(c.actors[0], model.Acquire, 0)
	if err != nil {
		return err
	}
	if op.Result != model.OK {
		return errClient(c.actors[0], "answers %s: %s", op.Result, op.Err)
	}
	wrong := ""
	if len(c.Known[c.seats.of(0)]) == 0 {
		wrong = "it answers ok, and the store has no record"
	}
	c.add(c.rule, wrong, "")
	c.validity(op)
	return nil
}

// validity checks until when a lock is valid.
func (c *conformance) validity(op *model.Operation) {
	rule := "the end of the validity is a time in milliseconds, near the lease's length from now"
	if !op.Leased {
		c.add(rule, "", "it gives none")
		return
	}
	wrong, left := "", op.Until-op.Return.At
	if left < -time.Minute || left > 10*max(c.Lease, c.actors[0].lease)+time.Minute {
		wrong = fmt.Sprintf("the lock is valid for %s from now", left.Round(time.Millisecond))
	}
	c.add(rule, wrong, "")
}

func (c *conformance) excludes() error {
	a := c.actors[1]
	for _, wait := range []time.Duration{0, 200 * time.Millisecond} {
		c.rule = fmt.Sprintf("acquire with \"wait_ms\":%d of another client's lock fails in time", wait.Milliseconds())
		op, err := c.ask(a, model.Acquire, wait)
		if err != nil {
			return err
		}
		took, wrong := op.Return.At-op.Call.At, ""
		switch {
		case op.Result != model.Failed:
			wrong = fmt.Sprintf("it answers %s: %s", op.Result, op.Err)
		case took > wait+time.Second:
			wrong = fmt.Sprintf("it takes %s", took.Round(time.Millisecond))
		}
		c.add(c.rule, wrong, "")
	}
	return nil
}

func (c *conformance) extends() error {
	c.rule = "extend of a held lock is ok, or unsupported"
	a := c.actors[0]
	op, err := c.ask(a, model.Extend, 0)
	if err != nil {
		return err
	}
	switch {
	case !a.extends:
		c.add(c.rule, "", "unsupported")
	case op.Result != model.OK:
		c.add(c.rule, fmt.Sprintf("it answers %s: %s", op.Result, op.Err), "")
	default:
		c.add(c.rule, "", "")
	}
	return nil
}

func (c *conformance) releases() error {
	c.rule = "release of a held lock is ok, and another client can acquire it"
	op, err := c.ask(c.actors[0], model.Release, 0)
	if err != nil {
		return err
	}
	if op.Result != model.OK {
		c.add(c.rule, fmt.Sprintf("it answers %s: %s", op.Result, op.Err), "")
		return nil
	}
	other, err := c.ask(c.actors[1], model.Acquire, 0)
	if err != nil {
		return err
	}
	wrong := ""
	if other.Result != model.OK {
		wrong = fmt.Sprintf("the other client's acquire answers %s: %s", other.Result, other.Err)
	} else if _, err := c.ask(c.actors[1], model.Release, 0); err != nil {
		return err
	}
	c.add(c.rule, wrong, "")
	return nil
}

// survives loses the answer to a request of an acquire.
func (c *conformance) survives() error {
	c.rule = "after a connection was reset the client answers, and works on"
	a := c.actors[0]
	i := slices.IndexFunc(c.profile, func(s Seen) bool { return s.Client == a.name && s.Phase == Acquiring && s.Changes })
	if i < 0 {
		return nil
	}
	at := c.profile[i].Point
	at.Round = a.round + 1
	c.faults = []*fault{{Fault: Fault{At: at, Do: LoseAnswer}}}
	op, err := c.ask(a, model.Acquire, 0)
	if err != nil {
		return err
	}
	note := fmt.Sprintf("that acquire answers %s", op.Result)
	if op.Result == model.OK {
		if _, err := c.ask(a, model.Release, 0); err != nil {
			return err
		}
	}
	wrong := ""
	for end := time.Now().Add(c.Lease + 2*time.Second); ; {
		again, err := c.ask(a, model.Acquire, 0)
		if err != nil {
			return err
		}
		if again.Result == model.OK {
			_, err = c.ask(a, model.Release, 0)
			c.add(c.rule, wrong, note)
			return err
		}
		if time.Now().After(end) { // a lock without a lease has kept its record
			c.add(c.rule, wrong, note+", and the lock cannot be acquired after it")
			return nil
		}
	}
}

// timeToEnd is the time within which a client ends, with some for a busy machine.
const timeToEnd = 3 * time.Second

func (c *conformance) ends() error {
	for i, how := range []string{"end ends the client with exit status 0", "the end of its standard input ends the client"} {
		c.rule = how
		a := c.actors[i]
		a.dead = true // its reports do not matter any more
		if i == 0 {
			a.send(order{Do: doEnd})
		} else {
			_ = a.in.Close()
		}
		done := make(chan error, 1)
		go func() { done <- a.command.Wait() }()
		wrong := ""
		timer := time.NewTimer(timeToEnd)
		select {
		case err := <-done:
			if err != nil && i == 0 {
				wrong = "it ends with " + err.Error()
			}
		case <-timer.C:
			wrong = fmt.Sprintf("it still runs after %s", timeToEnd)
			killGroup(a.command.Process)
			<-done //nolint:errcheck // it was killed
		}
		timer.Stop()
		c.add(how, wrong, "")
	}
	return nil
}
