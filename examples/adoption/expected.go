package main

import (
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// violates are the expectations of a library that may violate properties as a fault, in any scenario: every other fault is unexpected.
// The reason says why it does.
func violates(id, reason string, properties ...string) expect.Expectations {
	e := expect.NoFaults(id, scenarios.Registry(nil))
	e.Reason = reason
	for i := range e.In {
		e.In[i].Vacuous = true // a library may prevent what a scenario is about
		e.In[i].May = append(e.In[i].May, expect.Faults(properties...)...)
	}
	return e
}

// except adds why a scenario does not apply.
func except(e expect.Expectations, scenario, why string) expect.Expectations {
	for i := range e.In {
		if e.In[i].Scenario == scenario {
			e.In[i].Except = why
		}
	}
	return e
}

// slug is the id of a rule's property.
func slug(rule string) string { return strings.ReplaceAll(rule, " ", "-") }
