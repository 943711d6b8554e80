package arch

import "strings"

// Rule names one thing that is enforced.
type Rule string

// The rules. Parse, Types and Place are the conditions under which the others
// mean anything.
const (
	Imports Rule = "imports" // only what lies below
	Clock   Rule = "clock"   // package time's clock
	Random  Rule = "random"  // random sources that no run can seed
	Shared  Rule = "shared"  // process-wide random sources, seeded for the code under test
	Order   Rule = "order"   // the order of a map
	Length  Rule = "length"  // a function's lines
	Words   Rule = "words"   // words of one store

	Parse Rule = "parse" // the file does not parse
	Types Rule = "types" // the package does not type-check
	Place Rule = "place" // the package is not in the layout
)

// MaxLines is how many lines a function may have, from its first to its
// closing brace.
const MaxLines = 70

// A Unit is a package of the layout with everything in the directories below
// it that is not a unit itself. Packages of one unit may import each other.
type Unit struct {
	// Dir is the unit's directory below the module's root.
	Dir string
	// Below are the units that it may import.
	Below []string
	// Tests are units that its test files may import besides.
	Tests []string
	// Rules are those of Clock, Random, Shared and Order that hold here.
	// The other rules hold everywhere.
	Rules []Rule
}

// What is below scenarios, in the order of the layout.
var (
	vocabulary = []string{"sim", "model"}
	parts      = append([]string{"sim/explore", "sim/payload", "sim/simredis", "lock", "lock/redislocks", "checker", "history", "traces", "traces/render", "internal/wording"}, vocabulary...)
)

// What a unit may be held to. Lock code runs in production, and may draw from
// process-wide sources that the bubble seeds for each run. Scenarios start and
// report searches, which take real time.
var (
	pure     = []Rule{Clock, Random, Shared, Order}
	lockCode = []Rule{Clock, Random, Order}
	frontEnd = []Rule{Random, Order}
)

// Layout is the module: imports go one way,
//
//	simrun -> scenarios -> {sim/explore, sim/simredis, lock, checker, history, traces/render} -> {sim, model}
//
// and packages of one level do not import each other.
var Layout = []Unit{
	{Dir: "model", Rules: pure},
	// The sequential models, for porcupine.
	{Dir: "model/objects", Below: []string{"model"}, Tests: []string{"internal/golden"}, Rules: pure},
	{Dir: "sim", Rules: pure},
	{Dir: "sim/explore", Below: append([]string{"internal/packed"}, vocabulary...), Rules: pure},
	// What went over connections, in words.
	{Dir: "sim/payload", Below: []string{"sim", "internal/wording"}, Rules: pure},
	// What the servers of all stores are made of, those that replicate a log, and those that follow a
	// primary.
	{Dir: "sim/internal/server", Below: vocabulary, Rules: pure},
	{Dir: "sim/internal/quorum", Below: append([]string{"sim/internal/server"}, vocabulary...), Rules: pure},
	{Dir: "sim/internal/failover", Below: append([]string{"sim/internal/server"}, vocabulary...), Rules: pure},
	{Dir: "sim/simredis", Below: append([]string{"sim/internal/failover", "sim/payload", "internal/wording"}, vocabulary...), Tests: []string{"internal/realredis"}, Rules: pure},
	// The transport of gRPC: the servers of stores that speak it stand on it.
	{Dir: "sim/simh2", Below: []string{"sim"}, Rules: pure},
	{Dir: "sim/simzk", Below: append([]string{"sim/internal/quorum", "sim/internal/server", "sim/payload", "internal/wording"}, vocabulary...), Tests: []string{"internal/realzk", "internal/fidelity"}, Rules: pure},
	{Dir: "sim/simetcd", Below: append([]string{"sim/internal/quorum", "sim/internal/server", "sim/payload", "sim/simh2", "internal/wording"}, vocabulary...), Tests: []string{"internal/realetcd", "internal/fidelity", "sim/explore"}, Rules: pure},
	{Dir: "sim/simmysql", Below: append([]string{"sim/internal/failover", "sim/payload", "internal/wording"}, vocabulary...), Tests: []string{"internal/realmysql", "internal/fidelity", "sim/explore"}, Rules: pure},
	{Dir: "checker", Below: []string{"model", "model/objects", "internal/wording"}, Tests: []string{"internal/histories"}, Rules: pure},
	{Dir: "traces", Below: append([]string{"internal/packed", "internal/wording"}, vocabulary...), Tests: []string{"internal/golden"}, Rules: pure},
	{Dir: "traces/render", Below: append([]string{"traces", "sim/payload", "internal/wording"}, vocabulary...), Tests: []string{"internal/sampletraces", "internal/golden"}, Rules: pure},
	// Histories as files, and their recorder: programs in production use it.
	// What searches have found as a page, for simrun and for tests.
	{Dir: "internal/report", Below: append([]string{"sim/explore", "traces", "traces/render", "internal/wording", "internal/causes"}, vocabulary...), Tests: []string{"internal/sampletraces", "internal/golden"}, Rules: pure},
	{Dir: "history", Below: []string{"model", "internal/wording"}, Tests: []string{"internal/histories", "model/objects"}, Rules: pure},
	{Dir: "lock", Rules: lockCode},
	{Dir: "lock/redislocks", Below: []string{"lock"}, Rules: lockCode},
	{Dir: "lock/zklocks", Below: []string{"lock"}, Tests: []string{"internal/realzk"}, Rules: lockCode},
	{Dir: "lock/sqllocks", Below: []string{"lock"}, Rules: lockCode},
	{Dir: "scenarios/internal", Below: parts, Rules: pure},
	// Which findings of a search have one cause, and how each cause is told.
	{Dir: "internal/causes", Below: append([]string{"sim/explore", "checker", "traces", "traces/render", "internal/wording"}, vocabulary...), Rules: pure},
	// What faults see of a run, and what can go wrong: neither knows a store.
	{Dir: "scenarios/stage", Below: append([]string{"scenarios/internal", "traces", "internal/wording"}, vocabulary...), Rules: pure},
	{Dir: "scenarios/faults", Below: append([]string{"scenarios/internal", "scenarios/stage", "sim/payload", "traces", "traces/render"}, vocabulary...), Rules: pure},
	// The stores, each with the clients that reach it: what runs are built of.
	{Dir: "scenarios/redis", Below: append([]string{"scenarios/stage", "sim/simredis"}, vocabulary...), Rules: pure},
	{Dir: "scenarios", Below: append([]string{"scenarios/internal", "scenarios/stage", "scenarios/faults", "scenarios/redis", "internal/causes", "internal/ci", "internal/report"}, parts...), Tests: []string{"internal/golden"}, Rules: frontEnd},
	{Dir: "scenarios/zookeeper", Below: append([]string{"scenarios", "scenarios/stage", "sim/simzk"}, vocabulary...), Tests: []string{"lock"}, Rules: pure},
	{Dir: "scenarios/etcd", Below: append([]string{"scenarios/stage", "sim/simetcd", "sim/simh2"}, vocabulary...), Rules: pure},
	{Dir: "scenarios/mysql/store", Below: append([]string{"scenarios/stage", "sim/simmysql"}, vocabulary...), Rules: pure},
	{Dir: "scenarios/mysql", Below: append([]string{"scenarios", "scenarios/mysql/store", "scenarios/stage"}, vocabulary...), Rules: pure},
	// Performance, in virtual time and on real servers.
	{Dir: "scenarios/lab", Below: append([]string{"scenarios", "scenarios/internal", "scenarios/stage", "sim/explore", "lock"}, vocabulary...), Tests: []string{"scenarios/redis", "lock/redislocks", "internal/realredis"}, Rules: frontEnd},
	// Locks with what is expected of them, and the vocabulary of that.
	{Dir: "internal/expect", Below: []string{"scenarios", "checker", "traces", "model"}, Rules: pure},
	{Dir: "scenarios/redis/builtin", Below: []string{"scenarios", "internal/expect", "lock", "lock/redislocks", "checker", "traces", "model"}, Tests: []string{"internal/golden", "scenarios/redis"}, Rules: pure},
	{Dir: "scenarios/zookeeper/builtin", Below: []string{"scenarios", "scenarios/zookeeper", "internal/expect", "lock", "lock/zklocks", "checker", "traces", "model"}, Tests: []string{"internal/golden"}, Rules: pure},
	{Dir: "scenarios/mysql/builtin", Below: []string{"scenarios", "scenarios/mysql", "internal/expect", "lock", "lock/sqllocks", "checker", "model"}, Tests: []string{"internal/golden"}, Rules: pure},
	// Histories that were recorded elsewhere, judged.
	{Dir: "internal/judging", Below: []string{"model", "model/objects", "checker", "history", "internal/wording"}, Tests: []string{"internal/histories"}, Rules: frontEnd},
	// What was judged, as a page.
	{Dir: "internal/judgepage", Below: []string{"model", "model/objects", "history", "internal/judging", "traces/render", "internal/wording"}, Tests: []string{"checker", "internal/golden", "internal/histories"}, Rules: frontEnd},
	// Locks under scenarios, compared with what is expected of them.
	{Dir: "internal/matrix", Below: append([]string{"scenarios", "internal/expect"}, parts...), Tests: []string{"scenarios/redis/builtin"}, Rules: frontEnd},
	// Experiments with the performance of locks, and how what they show is told.
	{Dir: "internal/labreport", Below: []string{"internal/wording"}, Tests: []string{"internal/golden"}, Rules: pure},
	{Dir: "internal/experiments", Below: append([]string{"scenarios", "scenarios/lab", "scenarios/stage", "scenarios/redis", "lock", "lock/redislocks", "internal/labreport", "internal/wording", "internal/realserver", "internal/realredis", "internal/realzk", "internal/realetcd", "internal/realmysql", "sim/explore", "traces"}, vocabulary...), Tests: []string{"internal/experiments/experimentstest", "scenarios/redis/builtin", "scenarios/zookeeper/builtin", "scenarios/mysql/builtin"}, Rules: frontEnd},
	{Dir: "internal/experiments/experimentstest", Below: []string{"scenarios", "internal/experiments", "internal/repeat", "sim/explore"}, Rules: frontEnd},
	{Dir: "simrun", Below: append([]string{"scenarios", "scenarios/lab", "internal/experiments", "internal/labreport", "internal/expect", "internal/judging", "internal/judgepage", "internal/matrix", "scenarios/stage", "internal/causes", "internal/ci", "internal/report", "internal/packed"}, parts...), Tests: []string{"scenarios/redis/builtin", "scenarios/zookeeper/builtin", "scenarios/mysql/builtin", "internal/testlocks", "internal/teststore", "internal/golden", "model/objects", "scenarios/redis"}, Rules: frontEnd},
	{Dir: "cmd/simrun", Below: []string{"simrun", "scenarios/redis/builtin", "scenarios/zookeeper/builtin", "scenarios/mysql/builtin"}, Rules: frontEnd},
	// Writes what the experiments answer into docs/locks.md.
	{Dir: "internal/whichlock", Below: []string{"internal/experiments", "internal/labreport", "scenarios/redis/builtin", "scenarios/zookeeper/builtin", "scenarios/mysql/builtin"}, Rules: frontEnd},
	{Dir: "internal/arch", Rules: frontEnd},
	// Texts for people.
	{Dir: "internal/wording", Rules: pure},
	// Reports for continuous integration, of what was judged.
	{Dir: "internal/ci", Rules: frontEnd},
	// Files that are compressed if they are long.
	{Dir: "internal/packed", Rules: pure},
	// Files that tests compare with.
	{Dir: "internal/golden", Below: []string{"internal/wording"}, Rules: frontEnd},
	// Histories for tests of what judges them.
	{Dir: "internal/histories", Below: []string{"model"}, Tests: []string{"model/objects"}, Rules: pure},
	// Traces for tests of their format and of what shows them.
	{Dir: "internal/sampletraces", Below: append([]string{"traces", "sim/simredis"}, vocabulary...), Rules: pure},
	// A real Redis, a real ZooKeeper, a real etcd and a real MariaDB for tests, and what
	// it takes to run any of them.
	{Dir: "internal/realserver", Rules: frontEnd},
	{Dir: "internal/realredis", Below: []string{"internal/realserver"}, Rules: frontEnd},
	{Dir: "internal/realzk", Below: []string{"internal/realserver"}, Rules: frontEnd},
	{Dir: "internal/realetcd", Below: []string{"internal/realserver"}, Rules: frontEnd},
	{Dir: "internal/realmysql", Below: []string{"internal/realserver"}, Rules: frontEnd},
	// Simulated servers, compared with real ones.
	{Dir: "internal/fidelity", Below: []string{"sim"}, Rules: frontEnd},
	// A store that is no Redis, for tests.
	{Dir: "internal/teststore", Below: []string{"scenarios", "scenarios/stage", "lock", "sim", "model"}, Rules: pure},
	// Locks that misbehave on purpose.
	{Dir: "internal/testlocks", Below: append([]string{"scenarios"}, parts...)},
	// Shows for the examples, which are modules of their own, that runs repeat.
	{Dir: "internal/repeat", Below: append([]string{"scenarios", "scenarios/faults", "scenarios/stage"}, parts...), Rules: frontEnd},
	// Measures the monitors against porcupine.
	{Dir: "internal/benchchecker", Below: []string{"model", "model/objects", "checker", "internal/histories"}, Rules: frontEnd},
	// Measures the strategies, in worker processes.
	{Dir: "internal/benchsearch", Below: append([]string{"scenarios", "scenarios/redis", "scenarios/redis/builtin", "internal/expect", "internal/testlocks"}, parts...), Rules: frontEnd},
}

// Owners are the files that may break the named rules, as a whole.
var Owners = map[string][]Rule{
	// The bubble: its clock is the simulated one.
	"sim/bubble.go": {Clock},
	// The process-wide random sources are seeded here for each run.
	"sim/globals.go": {Random, Shared},
	// The watchdog outside the bubble waits in real time for a worker that
	// may never answer.
	"sim/explore/watchdog.go": {Clock},
}

// unitOf is the unit with the longest directory that holds dir, or nil.
func unitOf(dir string) *Unit {
	var best *Unit
	for i := range Layout {
		u := &Layout[i]
		if (dir == u.Dir || strings.HasPrefix(dir, u.Dir+"/")) && (best == nil || len(u.Dir) > len(best.Dir)) {
			best = u
		}
	}
	return best
}
