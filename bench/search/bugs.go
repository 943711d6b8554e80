package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/testlocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// place is a lock in a scenario, with what is wrong with it there.
type place struct {
	scenario, lock string
	properties     []string
	params         []string // over the scenario's defaults, as name=value
	deep           bool     // it takes three deviations or more
}

func (c place) String() string {
	return strings.Join(append([]string{c.scenario, c.lock}, c.params...), " ")
}

var twoHolders = []string{checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate}

// cells are what is searched: what scenarios/table_test.go says must be found,
// and the planted locks.
var cells = []place{
	{"failover-loss", "setpx", twoHolders, nil, false},
	{"failover-loss", "setpx-twostep", twoHolders, nil, false},
	{"failover-loss", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable, checker.Fencing}, nil, false},
	{"gc-pause", "setpx", twoHolders, nil, false},
	{"gc-pause", "setpx-twostep", twoHolders, nil, false},
	{"gc-pause", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable}, nil, false},
	{"gc-pause", "setpx-wait", twoHolders, nil, false},
	{"two-step-release", "setpx-twostep", []string{checker.OwnerOnlyRelease}, nil, false},
	{"two-step-release", "setpx", twoHolders, nil, false},
	{"two-step-release", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable}, nil, false},
	{"two-step-release", "setpx-wait", twoHolders, nil, false},
	{"holder-crash", "test-immortal", []string{checker.Progress}, nil, false},
	{"clock-skew", "test-timestamped", twoHolders, nil, false},
	{"server-clock-jump", "setpx", twoHolders, nil, false},
	{"server-clock-jump", "setpx-twostep", twoHolders, nil, false},
	{"server-clock-jump", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable}, nil, false},
	{"server-clock-jump", "setpx-wait", twoHolders, nil, false},
	{"lost-reply", "setpx-twostep", []string{checker.OwnerOnlyRelease}, nil, false},
	{"lost-reply", "test-immortal", []string{checker.Progress}, nil, false},
	{"late-reply", "setpx", twoHolders, nil, false},
	{"late-reply", "setpx-twostep", twoHolders, nil, false},
	{"late-reply", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable}, nil, false},
	{"late-reply", "setpx-wait", twoHolders, nil, false},
	{"late-reply", "test-immortal", []string{checker.Progress}, nil, false},
	{"late-request", "setpx-twostep", []string{checker.OwnerOnlyRelease}, nil, false},
	{"hung-node", "setpx-del", []string{checker.OwnerOnlyRelease}, nil, false},
	{"hung-node", "test-immortal", []string{checker.Progress}, nil, false},
	{"partition", "setpx", twoHolders, nil, false},
	{"partition", "setpx-twostep", twoHolders, nil, false},
	{"partition", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable, checker.Fencing}, nil, false},
	{"node-restart", "setpx", twoHolders, nil, false},
	{"node-restart", "setpx-twostep", twoHolders, nil, false},
	{"node-restart", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable, checker.Fencing}, nil, false},
	{"node-restart", "setpx-wait", twoHolders, nil, false},
	{"cancel", "setpx", []string{checker.NoOrphan}, nil, false},
	{"cancel", "setpx-twostep", []string{checker.NoOrphan}, nil, false},
	{"cancel", "setpx-fenced", []string{checker.NoOrphan}, nil, false},
	{"cancel", "setpx-wait", []string{checker.NoOrphan}, nil, false},
	{"watchdog-late", "test-watchdog-silent", twoHolders, nil, false},
	{"watchdog-late", "setpx", []string{checker.MutualExclusion, checker.Linearizable}, nil, false},
	{"watchdog-late", "setpx-fenced", []string{checker.MutualExclusion, checker.Linearizable}, nil, false},
	{"watchdog-late", "setpx-wait", []string{checker.MutualExclusion, checker.Linearizable}, nil, false},
	{"watchdog-late", "setpx-twostep", []string{checker.OwnerOnlyRelease}, nil, false},
	{"lost-wakeup", "test-lease-deaf", []string{checker.Progress}, nil, false},
	{"lost-wakeup", "test-lease-deaf-sleeps", []string{checker.BoundedWakeup}, nil, false},
	{"lost-wakeup", "setpx-twostep", []string{checker.OwnerOnlyRelease}, nil, false},
	{"two-step-release", "test-planted-3", []string{checker.Fencing}, []string{"delays=3"}, true},
	{"two-step-release", "test-planted-4", []string{checker.Fencing}, []string{"delays=4", "rounds=3"}, true},
	{"two-step-release", "test-planted-5", []string{checker.Fencing}, []string{"delays=5", "rounds=4"}, true},
	{"two-step-release", "test-planted-resets", []string{checker.Fencing}, []string{"delays=0", "resets=3", "rounds=3"}, true},
	{"gc-pause", "test-planted-hold", []string{checker.Fencing}, []string{"pauses=3", "delays=2", "rounds=3"}, true},
	{"two-step-release", "test-planted-calm", []string{checker.Fencing}, []string{"delays=3", "rounds=3"}, false},
	{"gc-pause", "test-planted-mixed", []string{checker.Fencing}, []string{"pauses=2", "delays=1", "resets=1", "rounds=4"}, true},
	{"failover-loss", "test-planted-failover", []string{checker.OwnerOnlyRelease}, []string{"failovers=1", "pauses=2", "delays=2", "rounds=3"}, false},
	{"storm", "test-planted-heir", []string{checker.OwnerOnlyRelease}, nil, false},
	{"storm", "test-planted-quiet-heir", []string{checker.OwnerOnlyRelease}, nil, false},
	{"storm", "test-planted-lost-then-failover", []string{checker.OwnerOnlyRelease}, nil, false},
	{"storm", "test-planted-late-then-broken", []string{checker.OwnerOnlyRelease}, nil, false},
}

// resolve makes the cell.
func (c place) resolve() (cell.Cell, error) {
	var params []traces.Parameter
	for _, p := range c.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return cell.Cell{}, fmt.Errorf("%q is no parameter: want name=value", p)
		}
		params = append(params, traces.Parameter{Name: name, Value: value})
	}
	return scenarios.Registry(locks()).Cell(c.scenario, c.lock, params)
}

func locks() []cell.Lock { return append(builtin.Locks(), testlocks.All()...) }

// choose picks the cells that a list from the command line names: each a word
// of their lines in the table, or SCENARIO/LOCK/PROPERTY/name=value/... for one
// that is not there.
func choose(list string) ([]place, error) {
	if list == "" {
		return cells, nil
	}
	var chosen []place
	for _, word := range strings.Split(list, ",") {
		if part := strings.Split(word, "/"); len(part) > 2 {
			c := place{part[0], part[1], []string{part[2]}, part[3:], strings.HasPrefix(part[1], "test-planted")}
			if !slices.Contains(checker.IDs(), part[2]) {
				return nil, fmt.Errorf("there is no property %q", part[2])
			}
			if _, err := c.resolve(); err != nil {
				return nil, err
			}
			chosen = append(chosen, c)
			continue
		}
		before := len(chosen)
		for _, c := range cells {
			if strings.Contains(c.scenario+"/"+c.lock, word) {
				chosen = append(chosen, c)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("no bug is called %q: want a part of SCENARIO/LOCK, or SCENARIO/LOCK/PROPERTY[/name=value...]", word)
		}
	}
	return chosen, nil
}
