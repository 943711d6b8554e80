package scenarios_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	stagepkg "github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// quake is a fault that only an added scenario has.
func quake() *stagepkg.Fault {
	return &stagepkg.Fault{
		Name: "quakes", Most: 3, About: "how often the earth may shake", One: "a quake", Many: "quakes",
		Inject: func(*stagepkg.Stage, int) {}, Kinds: []sim.Kind{"fault:quake"},
	}
}

func tremor(change func(*cell.Scenario)) *cell.Scenario {
	s := &cell.Scenario{
		ID: "tremor", Summary: "the earth shakes",
		Params: cell.Params{Clients: 2, Rounds: 2, TTL: time.Second, Faults: stagepkg.Once(quake())},
	}
	change(s)
	return s
}

// TestValidate: what cannot be added is refused with what to do.
func TestValidate(t *testing.T) {
	fault := func(change func(*stagepkg.Fault)) *cell.Scenario {
		return tremor(func(s *cell.Scenario) {
			f := quake()
			change(f)
			s.Params.Faults = stagepkg.Once(f)
		})
	}
	of := func(change func(*cell.Scenario)) []*cell.Scenario { return []*cell.Scenario{tremor(change)} }
	as := func(s *cell.Scenario) {}
	for want, own := range map[string][]*cell.Scenario{
		"":                  of(as),
		"a scenario is nil": {nil},
		`scenario "gc-pause": Lockpick has a scenario with this ID: choose another`:       of(func(s *cell.Scenario) { s.ID = "gc-pause" }),
		`scenario "Big One" (the earth shakes): the ID is not usable: want lower-case`:    of(func(s *cell.Scenario) { s.ID = "Big One" }),
		`scenario "tremor": two scenarios have this ID`:                                   {tremor(as), tremor(as)},
		`scenario "tremor" has no Summary`:                                                of(func(s *cell.Scenario) { s.Summary = "" }),
		`scenario "tremor": Params: parameter clients="0": want a number from 1 to 16`:    of(func(s *cell.Scenario) { s.Params.Clients = 0 }),
		`scenario "tremor": Params: parameter quakes="9": want a number from 0 to 3`:      of(func(s *cell.Scenario) { s.Params.Faults = stagepkg.Times(9, s.Params.Faults[0].Fault) }),
		`scenario "tremor": happening 1 lacks its Name or its function In`:                of(func(s *cell.Scenario) { s.Happenings = []cell.Happening{{Name: "it shook"}} }),
		`fault "pauses": Lockpick has a parameter with this name`:                         {fault(func(f *stagepkg.Fault) { f.Name = "pauses" })},
		`fault "replicas": Lockpick has a parameter with this name`:                       {fault(func(f *stagepkg.Fault) { f.Name = "replicas" })},
		`fault "quakes!" (how often the earth may shake): the Name is not usable`:         {fault(func(f *stagepkg.Fault) { f.Name = "quakes!" })},
		`fault "quakes": two faults have this name`:                                       {tremor(as), tremor(func(s *cell.Scenario) { s.ID = "tremor-2" })},
		`fault "quakes" lacks Many, Inject or Late: see stage.Fault`:                      {fault(func(f *stagepkg.Fault) { f.Many, f.Inject = "", nil })},
		`the kind "quake" of its decisions must begin with "fault:"`:                      {fault(func(f *stagepkg.Fault) { f.Kinds = []sim.Kind{"quake"} })},
		`the kind "fault:pause" of its decisions is that of the fault pauses`:             {fault(func(f *stagepkg.Fault) { f.Kinds = []sim.Kind{"fault:pause"} })},
		`the kind "fault:unread" of its decisions is that of the network: choose another`: {fault(func(f *stagepkg.Fault) { f.Kinds = []sim.Kind{sim.Unread} })},
	} {
		err := scenarios.Validate(own, redis.Store)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %q", err, want)
		}
	}
}

// TestAddedFault: the parameter of an added fault works in all scenarios of the registry, and a
// cell with it comes to a worker as it is.
func TestAddedFault(t *testing.T) {
	own := tremor(func(*cell.Scenario) {})
	known := scenarios.Registry(builtin.Locks(), own)
	f := own.Params.Faults[0].Fault
	c, err := known.Cell("gc-pause", "setpx", []traces.Parameter{{Name: "quakes", Value: "2"}})
	if err != nil || c.Params.Faults.Of(f) != 2 || c.Params.Faults.Of(faults.Pauses) != 1 {
		t.Fatalf("%v, %v", c.Params.Faults, err)
	}
	again, err := known.Decode(c.Encode())
	if err != nil || again.Params.Faults.Of(f) != 2 {
		t.Errorf("%v, %v", again.Params.Faults, err)
	}
	if _, err := scenarios.Registry(builtin.Locks()).Decode(c.Encode()); err == nil || !strings.Contains(err.Error(), `there is no parameter "quakes"`) {
		t.Errorf("a program without the fault says %v", err)
	}
	if _, err := known.Cell("tremor", "setpx", []traces.Parameter{{Name: "quakes", Value: "4"}}); err == nil {
		t.Error("a budget above Most is accepted")
	}
}
