package scenarios

import (
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Params are what can be set of a scenario: its size and its budget of faults.
type Params = stage.Params

// Settings are the parameters that there are for locks in a store, by their names.
func Settings(s stage.Store) stage.Settings { return stage.SettingsOf(s, faults.All) }

// settings are the parameters that there are for the cell's lock.
func (c Cell) settings() stage.Settings { return Settings(c.Lock.store()) }

// Set sets one parameter by name.
func (c *Cell) Set(name, value string) error { return c.settings().Set(&c.Params, name, value) }

// Parameters are all parameters by name.
func (c Cell) Parameters() []traces.Parameter { return c.settings().List(c.Params) }
