package cell

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Cell is one lock in one scenario, with parameters. A run depends on its cell and its
// tape only.
type Cell struct {
	Scenario *Scenario
	Params   Params
	Lock     Lock
	// Properties are the ids of the properties to judge, nil for the usual ones. Encode
	// omits them: a worker has its own.
	Properties []string
	// Added are properties beside the checker's own. They are always judged. Encode omits
	// them, too: a worker's [Registry] has them.
	Added []checker.Property
	// faults are those that the registry's scenarios add.
	faults []*stage.Fault
	// drawn is the size of the run beside its parameters.
	drawn size
	// twin selects the respect in which a calm run differs from the plain one.
	twin twin
}

// properties are the checker's own.
var properties = checker.Properties()

// Judged returns the ids of the properties to judge.
func (c Cell) Judged() (ids []string) {
	ids = slices.Clone(c.Properties)
	for i := range properties {
		if p := &properties[i]; c.Properties == nil && c.Lock.Subject.usual(c.Lock, c.Params, p) {
			ids = append(ids, p.ID)
		}
	}
	for i := range c.Added {
		if id := c.Added[i].ID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Property returns the property with the id: one of the checker's own, or an added one.
func (c Cell) Property(id string) (p checker.Property, known bool) {
	if i := slices.IndexFunc(c.Added, func(p checker.Property) bool { return p.ID == id }); i >= 0 {
		return c.Added[i], true
	}
	return checker.Find(id)
}

// Settings returns the parameters that differ from those of a [Registry.Cell] without parameters.
func (c Cell) Settings() []traces.Parameter {
	usual := c.Scenario.Params
	c.Lock.needs(&usual)
	return c.settings().Unlike(c.Params, usual)
}

// wireCell is a cell as it is sent to a worker process.
type wireCell struct {
	Scenario   string             `json:"scenario"`
	Lock       string             `json:"lock"`
	Parameters []traces.Parameter `json:"parameters"`
	Twin       twin               `json:"twin,omitempty"`
}

// Encode encodes the cell for a worker, which decodes it with [Registry.Decode].
func (c Cell) Encode() json.RawMessage {
	return encode(wireCell{c.Scenario.ID, c.Lock.ID, c.Parameters(), c.twin})
}

// encode encodes a cell for a worker.
func encode(w wireCell) json.RawMessage {
	raw, err := json.Marshal(w)
	must(err) // strings and numbers only
	return raw
}

// Smaller returns the encoded cells that are one step smaller than the given one, of the
// same lock: with fewer clients, fewer rounds or a smaller fault budget, the largest step
// first. It is for [explore.Shrink].
func (c Cell) Smaller(raw json.RawMessage) []json.RawMessage {
	var w wireCell
	if json.Unmarshal(raw, &w) != nil {
		return nil // resolving it reports the error
	}
	var p Params
	if c.settings().SetAll(&p, w.Parameters) != nil {
		return nil
	}
	var list []json.RawMessage
	for _, q := range c.settings().Smaller(p) {
		list = append(list, encode(wireCell{Scenario: w.Scenario, Lock: w.Lock, Parameters: c.settings().List(q)}))
	}
	return list
}

// spec returns the kind of the cell's lock with all its parameters.
func (c Cell) spec() model.Spec {
	return shared(c.Lock.Subject.Spec(), c.Params.Clients*c.Params.ThreadCount())
}

// Summary describes the cell's scenario in one line.
func (c Cell) Summary() string { return c.Lock.Store.Terms().Fill(c.Scenario.Summary) }

// Happenings returns what must happen at least once in a search of the cell, in the terms
// of its store.
func (c Cell) Happenings() []Happening {
	list := c.happenings()
	for i := range list {
		list[i].Name = c.Lock.Store.Terms().Fill(list[i].Name)
	}
	return list
}

// happenings returns the same without the terms of a store.
func (c Cell) happenings() []Happening {
	if s, is := c.program(); is {
		return s.happenings(c.Params)
	}
	return slices.DeleteFunc(slices.Clone(c.Scenario.Happenings), func(h Happening) bool {
		return h.Where != nil && !h.Where(c.Lock.Store.Traits(c.Params))
	})
}

// program returns the cell's subject if that is a program.
func (c Cell) program() (*programSubject, bool) {
	s, is := c.Lock.Subject.(*programSubject)
	return s, is
}

// IsProgram reports whether the cell's subject is a program.
func (c Cell) IsProgram() bool {
	_, is := c.program()
	return is
}

// Noun returns what the subject is called: "lock" or "program".
func (c Cell) Noun() string { return c.Lock.Noun() }

// Variants returns the ids of the variants of the cell's program; none if its subject is no program.
func (c Cell) Variants() (ids []string) {
	if s, is := c.program(); is {
		for i := range s.Program.Variants {
			ids = append(ids, s.variantID(i))
		}
	}
	return ids
}

// processName returns the name of the i-th client process, from 0.
func (c Cell) processName(i int) string {
	if c.IsProgram() {
		return "p" + strconv.Itoa(i+1)
	}
	return "c" + strconv.Itoa(i+1)
}

// settings returns the named parameters of the cell's lock.
func (c Cell) settings() stage.Settings {
	return stage.SettingsOf(c.Lock.Store, faults.All, c.faults...)
}

// Set sets one parameter by name. It returns an error, and changes nothing, if the name
// is unknown or the value is out of range.
func (c *Cell) Set(name, value string) error { return c.settings().Set(&c.Params, name, value) }

// set sets parameters. A lock that does not run with the topology that they choose may need something that the
// topology lacks. That is not an error of the parameters; Lacks reports it.
func (c *Cell) set(params []traces.Parameter) error {
	settings := c.settings()
	for _, p := range params {
		if err := settings.Set(&c.Params, p.Name, p.Value); err != nil {
			return err
		}
	}
	if c.deployedWrongly() != "" {
		return nil
	}
	return settings.Check(c.Params)
}

// Deploys reports whether the servers of the cell's store can be deployed in several ways.
func (c Cell) Deploys() bool {
	return slices.ContainsFunc(c.Lock.Store.Shape(), func(d stage.Setting) bool { return d.Name == stage.Topology })
}

// Deploy sets the parameter topology. The store must have the topology, and the other parameters must allow
// it. [Cell.Lacks] says whether the lock runs with it.
func (c *Cell) Deploy(topology string) error {
	return c.set([]traces.Parameter{{Name: stage.Topology, Value: topology}})
}

// Parameters returns all parameters by name.
func (c Cell) Parameters() []traces.Parameter { return c.settings().List(c.Params) }

// must panics on errors that only a bug of this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
