package trial

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/traces"
)

// Bug is a lock with a known bug, and one without it.
type Bug struct {
	// ID names it, and About says in a sentence what the lock does wrong. From is where the code or the report is published.
	ID, About, From string
	// Property is the one that the bug violates. Limit is set if it is a limit of leases: the repaired lock has none either.
	Property string
	Limit    bool
	// Shows, if not nil, reports whether a violation of the property is this bug: for a lock whose repaired version violates the
	// property in another way.
	Shows func(*model.History, *model.Verdict) bool
	// Bad is the lock with the bug, and Good the one without it.
	Bad, Good cell.Lock
	// Real makes the real servers of the lock's store.
	Real func(confirm.Setup) confirm.Store
	// Parameters are for all arms, such as clients=3. Those of Simulated and of Stressed are for simulated runs, and for runs on
	// real servers, alone.
	Parameters, Simulated, Stressed []traces.Parameter
	// Module is the directory of the program that has the locks, below that of lockbench, if this program does not have them. It
	// has a go.mod for the bad version and a good.mod for the good one.
	Module string
}

// Shown returns the verdict that shows the bug, nil if none does.
func (b *Bug) Shown(h *model.History, list []model.Verdict) *model.Verdict {
	for i := range list {
		v := &list[i]
		if v.Status == model.Violated && v.Property == b.Property && v.Limit == b.Limit && (b.Shows == nil || b.Shows(h, v)) {
			return v
		}
	}
	return nil
}

// Versions of a bug's lock.
const (
	Bad  = "bad"
	Good = "good"
)

// Lock returns a version's lock.
func (b *Bug) Lock(version string) (cell.Lock, error) {
	switch version {
	case Bad:
		return b.Bad, nil
	case Good:
		return b.Good, nil
	}
	return cell.Lock{}, fmt.Errorf("there is no version %q: want bad or good", version)
}

// Check returns an error that says what the bug lacks.
func (b *Bug) Check() error {
	if _, known := checker.Find(b.Property); !known {
		return fmt.Errorf("bug %s: there is no property %q", b.ID, b.Property)
	}
	if b.About == "" || b.From == "" {
		return fmt.Errorf("bug %s: it lacks About or From", b.ID)
	}
	if b.Module != "" {
		return nil
	}
	if b.Real == nil {
		return fmt.Errorf("bug %s: it lacks Real, the servers", b.ID)
	}
	for _, l := range []cell.Lock{b.Bad, b.Good} {
		if err := l.Check(); err != nil {
			return fmt.Errorf("bug %s: %w", b.ID, err)
		}
	}
	return nil
}

// locks returns the locks of bugs, each once.
func locks(bugs []*Bug) (list []cell.Lock) {
	for _, b := range bugs {
		if b.Module != "" {
			continue
		}
		for _, l := range []cell.Lock{b.Bad, b.Good} {
			if !slices.ContainsFunc(list, func(o cell.Lock) bool { return o.ID == l.ID }) {
				list = append(list, l)
			}
		}
	}
	return list
}
