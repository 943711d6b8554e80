package traces

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/lockpick-dev/lockpick/sim"
)

// The names in a trace become flags, file names and source, so they are checked on reading. Keys, values, reasons and
// other texts for a reader are not restricted; every use quotes them.

const (
	// maxID is the maximum number of bytes of the id of a property: that of a program's rule is derived from its text.
	maxID = 500
	// maxTestName is the maximum number of bytes of the name of a test, or of the path of its package.
	maxTestName = 1000
)

// noName returns the error for a name that is malformed or longer than most bytes.
func noName(where, name string, most int) error {
	return fmt.Errorf("%s: %s is no name: want up to %d letters, digits, dots, hyphens and underscores, a letter or a digit first", where, quote(name), most)
}

// checkNames refuses malformed names. Whether a name may be missing is checked elsewhere.
func (t *Trace) checkNames() error {
	for _, n := range []struct {
		where, name string
		most        int
	}{
		{"scenario", t.Scenario, sim.MaxName}, {"store", t.Store, sim.MaxName}, {"strategy", t.Strategy, sim.MaxName}, {"property", t.Property, maxID},
	} {
		if n.name != "" && !sim.IsName(n.name, n.most) {
			return noName(n.where, n.name, n.most)
		}
	}
	free := (t.Test != nil || t.Experiment != nil) && isPrinted(t.Lock) // the name of a test, or of a variant such as "setpx, 50 %"
	if !free && !sim.IsName(t.Lock, sim.MaxName) {
		return noName("lock", t.Lock, sim.MaxName)
	}
	if err := t.Test.check(); err != nil {
		return err
	}
	return t.checkActing()
}

// check checks the name of a test as go test prints it: without spaces, and otherwise free. The path of its package may be
// missing.
func (t *Test) check() error {
	switch {
	case t == nil:
		return nil
	case !isPrinted(t.Name) || strings.Contains(t.Name, " ") || !sim.IsName(t.Name[:1], 1):
		return fmt.Errorf("test.name: %s is not the name of a test: want up to %d printable characters without spaces, a letter first", quote(t.Name), maxTestName)
	case t.Package == "":
		return nil
	}
	for element := range strings.SplitSeq(t.Package, "/") {
		plain := strings.NewReplacer("~", "a", "+", "a", "_", "a").Replace(strings.TrimLeft(element, "."))
		if !sim.IsName(plain, maxTestName) {
			return fmt.Errorf("test.package: %s is no import path", quote(t.Package))
		}
	}
	return nil
}

// isPrinted reports whether a text can be printed as it is, and is not too long.
func isPrinted(text string) bool {
	return text != "" && len(text) <= maxTestName && !strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) })
}

// checkActing checks the names of the run's actors.
func (t *Trace) checkActing() (err error) {
	check := func(name, part string, i int, field string) {
		if err == nil && name != "" && !sim.IsName(name, sim.MaxName) {
			err = noName(fmt.Sprintf("%s[%d].%s", part, i, field), name, sim.MaxName)
		}
	}
	for i := range t.Actors {
		check(t.Actors[i].Name, "actors", i, "name")
	}
	for i := range t.Tape {
		check(t.Tape[i].Actor, "tape", i, "actor")
	}
	for i := range t.Events {
		check(t.Events[i].Actor, "events", i, "actor")
		check(t.Events[i].Peer, "events", i, "peer")
	}
	h := &t.History
	for i := range h.Operations {
		check(h.Operations[i].Client, "history.operations", i, "client")
	}
	for i := range h.Calls {
		check(h.Calls[i].Client, "history.calls", i, "client")
	}
	for i := range h.Statements {
		check(h.Statements[i].Process, "history.statements", i, "process")
	}
	for i := range h.Actions {
		check(h.Actions[i].Process, "history.actions", i, "process")
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		check(o.Node, "history.observations", i, "node")
		check(o.Owner.Client, "history.observations", i, "owner.client")
		check(o.OldOwner.Client, "history.observations", i, "oldOwner.client")
		check(o.By.Client, "history.observations", i, "by.client")
		if o.Sides != nil {
			for _, name := range append(o.Sides.A[:len(o.Sides.A):len(o.Sides.A)], o.Sides.B...) {
				check(name, "history.observations", i, "sides")
			}
		}
	}
	return err
}
