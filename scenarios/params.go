package scenarios

import (
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Params are the parameters of a scenario: its size and its fault budget.
type Params = stage.Params

// Settings are the named parameters of locks in a store.
func Settings(s stage.Store) stage.Settings { return stage.SettingsOf(s, faults.All) }

// settings are the named parameters of the cell's lock.
func (c Cell) settings() stage.Settings { return Settings(c.Lock.store()) }

// Set sets one parameter by name.
func (c *Cell) Set(name, value string) error { return c.settings().Set(&c.Params, name, value) }

// Parameters are all parameters by name.
func (c Cell) Parameters() []traces.Parameter { return c.settings().List(c.Params) }
