package cell

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Program is code that uses locks and stores: processes that all run one Main, and the rules that
// they have to keep. It is searched, shrunk, replayed and reported like a lock.
type Program struct {
	// ID is its name on command lines and in traces. Tests need not set it.
	ID string
	// Summary describes the program in one line.
	Summary string
	// Flawed is set if the program has known faults.
	Flawed bool
	// Stores are the stores that its processes use. Each has its own servers and faults.
	Stores []stage.Store
	// Processes is the number of processes that run Main, from 1 to 16; 0 means 2.
	Processes int
	// Main is the code of one process. It is called when a process starts, and again when it is
	// restarted after a crash: its memory is then gone, and its data in the stores is still there. It
	// may start goroutines and use unmodified clients of its stores. It returns when its work is done,
	// or soon after p.Context() has ended. An error that it returns is a finding, except the context's
	// error; so is a panic. Main must not use state outside of it, which other processes would share.
	Main func(p *Process) error
	// Rules are the rules that the processes have to keep: see package program.
	Rules []program.Rule
	// Finally, if not nil, is called after Main has returned in all processes and all faults are over.
	// It runs in a process of its own that no fault strikes, to check the contents of the stores. An
	// error that it returns is a finding.
	Finally func(p *Process) error
	// Lasts is the time until p.Context() ends; 0 means ten times the scenario's TTL, in proportion
	// to which faults last, and at least 20 s.
	Lasts time.Duration
	// Readings say how to find the holders of the watched locks, by their names. A lock whose record
	// is one value under one key needs none.
	Readings map[string]Reading
	// Needs are the minimum parameters of its runs.
	Needs Needs
	// Variants are the same program, each with a change that might prevent a
	// counterexample. Each is tried on a counterexample as a remedy, and reported by
	// its Summary.
	Variants []Program
}

// DefaultProcesses is the number of processes of a program that does not set it.
const DefaultProcesses = 2

// Lock returns the program as a [Lock], for a cell. The error says what is wrong with the
// program.
func (p Program) Lock() (Lock, error) {
	var wrong []error
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	switch {
	case p.Main == nil:
		complain("the program has no Main: add Main: func(p *locktest.Process) error { ... }")
	case len(p.Rules) == 0 && p.Finally == nil:
		complain("the program has no rule that a run could break: add Rules, such as program.AtMostOnce(\"no mail is sent twice\", \"mail\"), or Finally")
	}
	if p.Processes < 0 || p.Processes > mostProcesses {
		complain("the program has %d processes: want 1 to %d", p.Processes, mostProcesses)
	}
	if p.Lasts < 0 || p.Lasts > mostLasts {
		complain("the program lasts %v: want at most %v", p.Lasts, mostLasts)
	}
	properties, err := program.Properties(slices.Concat(program.Own(p.Finally != nil), p.Rules))
	if err != nil {
		wrong = append(wrong, err)
	}
	store, err := p.store()
	if err != nil {
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return Lock{}, err
	}
	return Lock{
		ID: p.ID, Summary: p.Summary, Flawed: p.Flawed, Store: store, Needs: p.Needs,
		Subject: &programSubject{Program: p, properties: properties},
	}, nil
}

// Locks returns the program and its variants as [Lock] values, for cells, the program first. A
// variant without an ID gets that of the program with the variant's number. The error says what is
// wrong with them.
func (p Program) Locks() (list []Lock, err error) {
	for i, v := range append([]Program{p}, p.Variants...) {
		if i > 0 {
			v.ID = p.variantID(i - 1)
		}
		l, err := v.Lock()
		switch {
		case err != nil && i > 0:
			return nil, fmt.Errorf("variant %d (%s): %w", i, v.Summary, err)
		case err != nil:
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// variantID returns the ID of the i-th variant.
func (p *Program) variantID(i int) string {
	if id := p.Variants[i].ID; id != "" {
		return id
	}
	return fmt.Sprintf("%s-variant-%d", p.ID, i+1)
}

// The limits of programs.
const (
	mostProcesses = 16
	mostLasts     = time.Hour
	leastLasts    = 20 * time.Second // by default
)

// store returns the program's stores as one.
func (p Program) store() (stage.Store, error) {
	if len(p.Stores) == 0 {
		return nil, errors.New("the program names no store: add Stores, with the Store of the package of each")
	}
	return stage.Together(p.Stores...)
}

// programSubject is a program as a subject of runs.
type programSubject struct {
	Program
	properties []checker.Property
}

func (s *programSubject) Spec() model.Spec { return model.Spec{Kind: model.KindProgram} }

func (s *programSubject) check() error { return nil } // Lock has checked it

func (s *programSubject) constructor() any { return nil }

func (s *programSubject) rules() []checker.Property { return s.properties }

// usual returns false: the properties of watched locks are judged by judgeLocks.
func (s *programSubject) usual(Lock, Params, *checker.Property) bool { return false }

func (s *programSubject) shape(p *Params) {
	p.Clients, p.Rounds, p.Threads, p.Again, p.LongHolds = s.Processes, 1, 0, 0, 0
	if p.Clients == 0 {
		p.Clients = DefaultProcesses
	}
}

func (s *programSubject) join(*Client) (member, error) {
	return member{}, errors.New("it is a program, which has no object: its processes run Main")
}

func (s *programSubject) actors() (list []traces.Actor) {
	if s.Finally != nil {
		list = append(list, traces.Actor{Name: model.Observer, Kind: traces.ClientActor})
	}
	return list
}

// lasts returns the time until the context of the program's processes ends.
func (s *programSubject) lasts(p Params) time.Duration {
	if s.Lasts > 0 {
		return s.Lasts
	}
	return max(10*p.TTL, leastLasts)
}

// all returns the rules, the program's own first.
func (s *programSubject) all() []program.Rule {
	return slices.Concat(program.Own(s.Finally != nil), s.Program.Rules)
}

// happenings returns what must happen in a search of a cell: a fault strikes, and each rule is
// reached. It omits the scenario's own, which are about holders of a lock.
func (s *programSubject) happenings(p Params) (list []Happening) {
	if len(p.Faults) > 0 {
		list = append(list, Happening{Name: "a fault struck while the program ran", In: struck})
	}
	for _, r := range s.all() {
		if name := r.Reaches(); name != "" {
			list = append(list, Happening{Name: name, In: r.Reached, Somewhere: true})
		}
	}
	return list
}

// struck reports whether a fault struck between the first statement of a process and the last one.
func struck(h *model.History) bool {
	if len(h.Statements) == 0 {
		return false
	}
	first, last := h.Statements[0].Seq, h.Statements[len(h.Statements)-1].Seq
	return slices.ContainsFunc(h.Observations, func(o model.Observation) bool {
		return (o.Kind == model.ClockOff || first < o.Seq) && o.Seq < last && o.Troubles()
	})
}
