package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// Plan is the size of a run.
type Plan struct {
	// Name is full or quick.
	Name string `json:"name"`
	// Bugs and Arms are those that run.
	Bugs []string `json:"bugs"`
	Arms []string `json:"arms"`
	// Seeds is the number of tries for each bug and arm, and Limit how long each may take, in seconds. Early is after how many
	// tries that found nothing an arm does not try a bug any more; the others count as not found.
	Seeds int     `json:"seeds"`
	Limit float64 `json:"limitSeconds"`
	Early int     `json:"early"`
	// GoodLimit is how long the one try on each repaired version may take, in seconds, and AloneLimit that of an arm that needs all
	// processors.
	GoodLimit  float64 `json:"goodLimitSeconds"`
	AloneLimit float64 `json:"aloneGoodLimitSeconds"`
	// Replays is how often what the first seed finds is replayed.
	Replays int `json:"replays"`
	// Side is how many tries of an arm that waits run side by side.
	Side int `json:"side"`
}

// mostSeeds is the largest number of seeds of a plan.
const mostSeeds = 1000

// quickBugs are the bugs of a quick run: some of each store.
var quickBugs = []string{
	"redis-del", "redis-two-step-release", "redis-no-fence", "redis-cancel-orphan",
	"etcd-mutex-orphan", "zookeeper-orphan", "mysql-named-pooled", "postgres-lease-upsert",
}

// Full is the whole benchmark: two hours and a half on two processors.
func Full(bugs []*trial.Bug, arms []trial.Arm) Plan {
	p := Plan{Name: "full", Seeds: 5, Limit: 300, Early: 1, GoodLimit: 30, AloneLimit: 20, Replays: 20, Side: 7}
	for _, b := range bugs {
		p.Bugs = append(p.Bugs, b.ID)
	}
	for _, a := range arms {
		p.Arms = append(p.Arms, a.ID())
	}
	return p
}

// Quick is a part of it: ten minutes.
func Quick(bugs []*trial.Bug, arms []trial.Arm) Plan {
	p := Full(bugs, arms)
	p.Name, p.Seeds, p.Limit, p.Early, p.GoodLimit, p.AloneLimit, p.Replays, p.Side = "quick", 2, 30, 1, 15, 10, 3, 7
	p.Bugs = slices.DeleteFunc(p.Bugs, func(id string) bool { return !slices.Contains(quickBugs, id) })
	return p
}

// Only returns the part of the plan that has the bugs whose names have one of these words, separated by commas, and the arms with these
// letters. An empty text leaves none out.
func (p Plan) Only(words, letters string) (Plan, error) {
	if words != "" {
		var part []string
		for word := range strings.SplitSeq(words, ",") {
			has := func(id string) bool { return strings.Contains(id, word) }
			if !slices.ContainsFunc(p.Bugs, has) {
				return p, fmt.Errorf("no bug of the %s plan has %q in its name: lockbench list names all bugs", p.Name, word)
			}
			for _, id := range p.Bugs {
				if has(id) && !slices.Contains(part, id) {
					part = append(part, id)
				}
			}
		}
		p.Bugs = part
	}
	if letters != "" {
		part := strings.Split(letters, "")
		for _, letter := range part {
			if !slices.Contains(p.Arms, letter) {
				return p, fmt.Errorf("there is no arm %q: want letters of %s", letter, strings.Join(p.Arms, ""))
			}
		}
		p.Arms = part
	}
	return p, nil
}

// String describes the size.
func (p Plan) String() string {
	return fmt.Sprintf("%s: %d bugs, %d seeds, %s a try, %d tries side by side", p.Name, len(p.Bugs), p.Seeds, seconds(p.Limit), p.Side)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// task is a try to make.
type task struct {
	bug, arm, version string
	seed              uint64
	limit             float64
	replays           int
}

// of reports whether an outcome is the task's.
func (t task) of(o *trial.Outcome) bool {
	return o.Bug == t.bug && o.Arm == t.arm && o.Version == t.version && o.Seed == t.seed
}

// tasks returns the tries of an arm on a bug, in their order.
func (p Plan) tasks(bug string, arm trial.Arm) (list []task) {
	good := p.AloneLimit
	if arm.Waits() {
		good = p.GoodLimit
	}
	for seed := range p.Seeds {
		t := task{bug, arm.ID(), trial.Bad, uint64(seed + 1), p.Limit, 0}
		if seed == 0 {
			t.replays = p.Replays
		}
		list = append(list, t)
	}
	return append(list, task{bug, arm.ID(), trial.Good, 1, good, 0})
}

// clear reports whether a task need not run: the tries before it have found nothing, as often as Early says.
func (p Plan) clear(t task, known []trial.Outcome) bool {
	if t.version == trial.Good || int(t.seed) <= p.Early {
		return false
	}
	tries, found := 0, 0
	for i := range known {
		if o := &known[i]; o.Bug == t.bug && o.Arm == t.arm && o.Version == trial.Bad && o.Seed < t.seed {
			tries++
			if o.Found {
				found++
			}
		}
	}
	return tries >= p.Early && found == 0
}
