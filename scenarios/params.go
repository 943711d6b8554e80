package scenarios

import (
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Params are what can be set of a scenario: its size and its budget of faults.
type Params = stage.Params

// DescribeParams lists the parameters with what they mean and their ranges.
func DescribeParams() []traces.Parameter { return stage.Describe(faults.All, redisTerms) }

// Set sets one parameter by name.
func (c *Cell) Set(name, value string) error { return c.Params.Set(name, value, faults.All) }
