package arch

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
	Plain   Rule = "plain"   // words that need a second reading
	Groups  Rule = "groups"  // within a package, only what lies below

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
	// Groups, if there are any, are the files of the package in Dir, from the lowest
	// group to the highest. Packages in directories below Dir have none.
	Groups []Group
}

// A Group is some files of one package that belong together. Within a package that has
// groups, uses go one way, as imports do between packages: what a file uses of its own
// package is declared in its own group or in one below it.
//
// A method and a field count where they are declared, and not where their type is. So a
// group below may hold a value of a group above in an interface of its own, and call
// that.
type Group struct {
	Name string
	// Files are the names of its files, or patterns of [path.Match].
	Files []string
	// Below are the groups that it may use. They stand before it in the unit's list.
	Below []string
	// Apart is set if no file of the group may use another of it, except for its constants.
	Apart bool
}

// Stacked gives each group all groups before it as those below it: the groups are layers.
func Stacked(groups ...Group) []Group {
	for i := range groups {
		groups[i].Below = nil
		for _, below := range groups[:i] {
			groups[i].Below = append(groups[i].Below, below.Name)
		}
	}
	return groups
}

// What is below scenarios, in the order of the layout.
var (
	vocabulary = []string{"sim", "model"}
	parts      = append([]string{"sim/explore", "sim/payload", "lock", "checker", "history", "traces", "traces/render", "traces/story", "internal/wording"}, vocabulary...)
	// What renderers of traces read, and what their tests use besides.
	shown   = append([]string{"traces", "traces/story", "internal/wording"}, vocabulary...)
	samples = []string{"internal/test/sampletraces", "internal/test/golden"}
	// What front ends, stores and locks use.
	cells = []string{"cell", "scenarios/stage"}
	hunts = append([]string{"hunt", "scenarios"}, cells...)
)

// What a unit may be held to. Lock code runs in production, and may draw from process-wide sources that the bubble seeds
// for each run. Scenarios start and report searches, which take real time.
var (
	pure     = []Rule{Clock, Random, Shared, Order}
	lockCode = []Rule{Clock, Random, Order}
	frontEnd = []Rule{Random, Order}
)

// Wings are the nested modules that the layout has, too. The path of each is the directory's below that of the module. The first
// requires all that the others do. The modules fleet, kube/clientgo and kube/controllerruntime are not among them: their libraries
// take minutes to compile.
var Wings = []string{"lab", "etcd", "etcd/store", "kube", "mysql", "playground", "postgres", "real", "s3", "zookeeper"}

// Layout is the module with its wings: imports go one way,
//
//	simrun -> scenarios -> {sim/explore, sim/simredis, lock, checker, history, traces/render} -> {sim, model}
//
// and packages of one level do not import each other.
var Layout = []Unit{
	{Dir: "model", Rules: pure},
	// The sequential models, for porcupine.
	{Dir: "model/objects", Below: []string{"model"}, Tests: []string{"internal/test/golden"}, Rules: pure},
	{Dir: "sim", Rules: pure, Groups: Stacked(
		Group{Name: "ground", Files: []string{"rand.go"}},
		Group{Name: "core", Files: []string{"world.go", "failure.go", "decision.go", "conductor.go", "queue.go", "sound.go", "invariants_*.go", "time.go", "monotonic.go", "process.go", "trail.go", "remark.go"}},
		Group{Name: "identity", Files: []string{"identity.go", "pause.go"}},
		Group{Name: "network", Files: []string{"network.go", "link.go", "conn.go", "server_conn.go", "deadline.go", "gather.go", "reset.go", "dial.go", "dialer.go", "refuse.go", "usercode.go"}},
		Group{Name: "run", Files: []string{"run.go", "doc.go"}},
	)},
	// Processes that accept connections of each other.
	{Dir: "sim/peers", Below: []string{"sim"}, Tests: []string{"sim/explore"}, Rules: pure},
	{Dir: "sim/explore", Below: append([]string{"internal/packed"}, vocabulary...), Tests: []string{"internal/test/slowtest"}, Rules: pure},
	// What went over connections, in words.
	{Dir: "sim/payload", Below: []string{"sim", "internal/wording"}, Rules: pure},
	// What the servers of all stores are made of, those that replicate a log, and those that follow a
	// primary.
	{Dir: "sim/server", Below: vocabulary, Rules: pure},
	{Dir: "sim/quorum", Below: append([]string{"sim/server"}, vocabulary...), Rules: pure},
	// The server's end of HTTP.
	{Dir: "sim/simhttp", Below: []string{"sim", "model", "sim/payload", "internal/wording"}, Rules: pure},
	{Dir: "sim/failover", Below: append([]string{"sim/server"}, vocabulary...), Rules: pure},
	{Dir: "sim/simredis/resp", Below: []string{"sim", "sim/payload", "internal/wording"}, Rules: pure},
	{Dir: "sim/simredis/internal/sentinel", Below: append([]string{"sim/server"}, vocabulary...), Rules: pure},
	// The SQL engine of the simulated MySQL.
	{Dir: "mysql/sql", Below: []string{"model"}, Rules: pure, Groups: Stacked(
		Group{Name: "values", Files: []string{"errors.go", "value.go", "calculate.go"}},
		Group{Name: "syntax", Files: []string{"ast.go", "column.go"}},
		Group{Name: "parse", Files: []string{"dialect.go", "lexer.go", "parser.go", "parse_*.go"}},
		Group{Name: "records", Files: []string{"records.go", "host.go"}},
		Group{Name: "tables", Files: []string{"rows.go", "define.go", "database.go"}},
		Group{Name: "locks", Files: []string{"deadlock.go", "locks.go", "table_queue.go"}},
		Group{Name: "transactions", Files: []string{"txn.go", "change.go", "images.go"}},
		Group{Name: "sessions", Files: []string{"session.go", "session_tables.go", "execution.go", "eval.go", "functions.go"}},
		Group{Name: "reading", Files: []string{"access.go", "scan.go"}},
		Group{Name: "statements", Files: []string{"select.go", "view.go", "insert.go", "modify.go", "control.go", "lock_tables.go"}},
		Group{Name: "doc", Files: []string{"doc.go"}},
	)},
	{Dir: "sim/simredis", Below: append([]string{"sim/failover", "sim/server", "sim/simredis/internal/sentinel", "sim/simredis/resp"}, vocabulary...), Tests: []string{"internal/test/realredis", "internal/test/slowtest"}, Rules: pure},
	// The transport of gRPC: the servers of stores that speak it stand on it.
	{Dir: "etcd/store/simh2", Below: []string{"sim"}, Rules: pure},
	{Dir: "etcd/store/simetcd", Below: append([]string{"sim/quorum", "sim/server", "sim/payload", "etcd/store/simh2", "internal/wording"}, vocabulary...), Tests: []string{"internal/test/realetcd", "storetest/fidelity", "sim/explore"}, Rules: pure},
	// Files, and their locks with leases.
	{Dir: "sim/simfile", Below: append([]string{"sim/quorum", "sim/server", "sim/payload", "internal/wording"}, vocabulary...), Rules: pure, Groups: Stacked(
		Group{Name: "wire", Files: []string{"protocol.go", "payload.go"}},
		Group{Name: "server", Files: []string{"server.go", "files.go", "leases.go", "connection.go", "doc.go"}},
	)},
	{Dir: "checker/internal/spans", Rules: pure},
	// Who had the lock: claims of clients, tenures by the records of stores, and who serves.
	{Dir: "checker/holders", Below: []string{"checker/internal/spans", "model"}, Rules: pure, Groups: Stacked(
		Group{Name: "facts", Files: []string{"holders.go", "index.go", "operations.go", "claim.go", "waits.go", "kinds.go", "tenure.go"}},
		Group{Name: "who had it", Files: []string{"who.go", "follow.go", "home.go", "moved.go", "name.go", "granted.go", "tenure_index.go", "forgot.go", "sound.go", "invariants_*.go"}},
		Group{Name: "who serves, who waits", Files: []string{"serving.go", "reachable.go", "stale_read.go", "queue.go", "doc.go"}},
	)},
	// Why a grant ended, what held its holder up, and whether that makes a violation a limit or a fault.
	{Dir: "checker/endings", Below: []string{"checker/holders", "model"}, Rules: pure, Groups: Stacked(
		Group{Name: "how it ended", Files: []string{"endings.go", "end.go", "moved.go", "seen.go"}},
		Group{Name: "what held the client up", Files: []string{"delay.go", "signal.go"}},
		Group{Name: "limit or fault", Files: []string{"cause.go", "evidence.go", "doc.go"}},
	)},
	{Dir: "checker", Below: []string{"checker/endings", "checker/holders", "checker/internal/spans", "model", "model/objects", "internal/wording"}, Tests: []string{"internal/test/slowtest", "internal/test/golden", "internal/test/histories"}, Rules: pure, Groups: Stacked(
		Group{Name: "what a property judges by", Files: []string{"options.go", "judge.go", "property.go", "sentence.go", "verdict.go", "reason.go"}},
		Group{Name: "what some share", Files: []string{"overlaps.go", "orphans.go", "truthful.go", "calls.go"}},
		Group{Name: "properties", Files: []string{"property_*.go"}, Apart: true},
		Group{Name: "the whole", Files: []string{"doc.go", "properties.go", "added.go", "checker.go"}},
	)},
	{Dir: "traces", Below: append([]string{"internal/packed", "internal/wording"}, vocabulary...), Tests: []string{"internal/test/slowtest", "internal/test/golden"}, Rules: pure},
	// What happened in a run, decided once: all that shows it reads it.
	{Dir: "traces/story", Below: append([]string{"traces", "sim/payload", "internal/wording"}, vocabulary...), Tests: samples, Rules: pure, Groups: Stacked(
		Group{Name: "words", Files: []string{"doc.go", "words.go"}},
		Group{Name: "log", Files: []string{"log.go", "requests.go", "code.go", "eventtext.go", "messages.go", "owners.go", "underway.go", "exchanges.go"}},
		Group{Name: "facts", Files: []string{"claims.go", "presence.go", "roles.go", "partings.go", "resource.go", "index.go", "facts.go"}},
		Group{Name: "lives", Files: []string{"lives.go", "notewords.go"}},
		Group{Name: "plot", Files: []string{"plot.go", "limits.go", "promotion.go"}},
		Group{Name: "steps", Files: []string{"steps.go", "steps_*.go"}},
		Group{Name: "story", Files: []string{"story.go", "printed.go", "headline.go", "attribution.go", "real.go"}},
		Group{Name: "comparison", Files: []string{"compare*.go"}},
	)},
	// Renderers. Each reads stories, and none imports another; those that show pictures share package picture.
	{Dir: "traces/render/internal/term", Below: []string{"traces", "internal/wording"}, Rules: pure},
	{Dir: "traces/render/picture", Below: shown, Tests: samples, Rules: pure, Groups: Stacked(
		Group{Name: "canvas", Files: []string{"canvas.go", "lane.go", "window.go", "labels.go", "svg.go", "sheets.go"}},
		Group{Name: "picture", Files: []string{"cut.go", "picture.go", "lanes.go", "rows.go", "draw_*.go", "omitted.go"}},
		Group{Name: "all", Files: []string{"doc.go", "draw.go", "chart.go"}},
	)},
	{Dir: "traces/render/text", Below: append([]string{"traces/render/internal/term"}, shown...), Tests: samples, Rules: pure},
	{Dir: "traces/render/page", Below: append([]string{"traces/render/picture"}, shown...), Tests: append([]string{"sim/payload"}, samples...), Rules: pure},
	{Dir: "traces/render/diff", Below: append([]string{"traces/render/internal/term", "traces/render/picture"}, shown...), Tests: samples, Rules: pure},
	{Dir: "traces/render/export", Below: shown, Tests: samples, Rules: pure},
	{Dir: "traces/render", Below: append([]string{"traces/render/picture", "traces/render/text", "traces/render/page", "traces/render/diff", "traces/render/export"}, shown...), Tests: samples, Rules: pure},
	// Histories as files, and their recorder: programs in production use it.
	// What searches have found as a page, for simrun and for tests.
	{Dir: "internal/report", Below: append([]string{"sim/explore", "traces", "traces/render", "traces/story", "internal/wording", "internal/causes"}, vocabulary...), Tests: []string{"internal/test/slowtest", "internal/test/sampletraces", "internal/test/golden"}, Rules: pure},
	{Dir: "history", Below: []string{"model", "internal/packed", "internal/wording"}, Tests: []string{"internal/test/slowtest", "internal/test/histories", "model/objects"}, Rules: pure},
	{Dir: "lock", Rules: lockCode},
	{Dir: "lock/pauses", Rules: lockCode},
	{Dir: "lock/redislocks", Below: []string{"lock"}, Rules: lockCode},
	{Dir: "lock/filelocks", Below: []string{"lock", "lock/pauses"}, Tests: []string{"internal/test/mutextest"}, Rules: lockCode},
	// What a lease claims, and how a call has ended, as its client sees it: in simulated runs and on real servers.
	{Dir: "internal/claim", Below: []string{"lock", "model"}, Rules: pure},
	// The history of a run, as its clients and nodes make it.
	{Dir: "internal/record", Below: vocabulary, Rules: pure},
	// Which findings of a search have one cause, and how each cause is reported.
	{Dir: "internal/causes", Below: append([]string{"sim/explore", "checker", "traces", "traces/render", "traces/story", "internal/wording", "scenarios/faults"}, vocabulary...), Rules: pure},
	// What faults see of a run, and what can go wrong: neither knows a store.
	{Dir: "scenarios/stage", Below: append([]string{"internal/record", "sim/payload", "traces", "internal/wording"}, vocabulary...), Rules: pure},
	{Dir: "scenarios/faults", Below: append([]string{"internal/record", "scenarios/stage", "sim/payload", "traces", "traces/story"}, vocabulary...), Rules: pure},
	// What programs have to keep, and sequential models for it.
	{Dir: "program/models", Rules: pure},
	{Dir: "program", Below: []string{"program/models", "checker", "model"}, Rules: pure},
	// A lock in a scenario on a store, and its workloads: neither knows a store.
	{Dir: "cell/internal", Below: append([]string{"internal/record", "internal/claim"}, parts...), Rules: pure},
	{Dir: "cell", Below: append([]string{"program", "sim/peers", "cell/internal", "internal/record", "internal/claim", "scenarios/stage", "scenarios/faults"}, parts...), Tests: []string{"scenarios", "stores/redis/builtin"}, Rules: pure, Groups: Stacked(
		Group{Name: "subject", Files: []string{"scenario.go", "subject.go", "client.go", "client_made.go", "locks.go", "no_store.go", "process.go", "watched.go", "program.go"}},
		Group{Name: "cell", Files: []string{"twin.go", "cell.go", "size.go", "applies.go", "deviations.go"}},
		Group{Name: "run", Files: []string{"judging.go", "judging_program.go", "story.go", "version.go", "run.go", "run_lock.go", "run_program.go"}},
		Group{Name: "use", Files: []string{"registry.go", "once.go", "alone.go", "time_alone.go", "package_time.go", "doc.go"}},
	)},
	// The scenarios.
	{Dir: "scenarios", Below: append([]string{"cell", "scenarios/stage", "scenarios/faults"}, vocabulary...), Tests: append([]string{"internal/test/slowtest", "cell", "locktest", "hunt", "internal/test/cells", "internal/test/claims", "scenarios/expect", "stores/redis", "stores/redis/builtin", "lock/redislocks", "internal/test/golden", "internal/test/testlocks"}, parts...), Rules: frontEnd},
	// What becomes of what a search finds.
	{Dir: "hunt", Below: append(append([]string{"internal/causes"}, cells...), parts...), Tests: []string{"internal/test/slowtest", "scenarios", "internal/test/cells", "stores/redis", "stores/redis/builtin"}, Rules: frontEnd, Groups: Stacked(
		Group{Name: "a counterexample", Files: []string{"attribution.go", "remedies.go", "reduce.go", "passing.go"}},
		Group{Name: "before a search", Files: []string{"preflight.go", "size.go"}},
		Group{Name: "hunt", Files: []string{"hunt.go", "vacuous.go", "sample.go", "findings.go", "state_file.go", "doc.go"}},
	)},
	// The Go runtime, changed.
	{Dir: "internal/overlay", Below: []string{"cell", "traces"}, Rules: pure},
	// Commands about recorded traces, in simrun and in test binaries.
	{Dir: "internal/recorded", Below: append(append([]string{"internal/command", "internal/gotest", "internal/shards"}, hunts...), parts...), Rules: frontEnd},
	// Which part of a search a job has.
	{Dir: "internal/shards", Below: []string{"sim/explore"}, Rules: pure},
	// Searches in tests.
	{Dir: "locktest/internal/testbinary", Below: append([]string{"internal/gotest", "internal/recorded", "internal/shards", "cell", "internal/realclient"}, parts...), Rules: pure},
	{Dir: "locktest/internal/rapidtape", Below: vocabulary, Rules: pure},
	{Dir: "locktest", Below: append(append([]string{"program", "locktest/internal/testbinary", "internal/gotest", "internal/recorded", "internal/shards", "internal/causes", "internal/ci", "internal/report"}, hunts...), parts...), Tests: []string{"internal/test/trees", "internal/test/slowtest", "internal/test/realredis", "internal/test/golden", "internal/test/cells", "locktest/rapidtest", "locktest/internal/rapidtape", "stores/file", "stores/redis", "stores/redis/builtin", "lock/redislocks"}, Rules: frontEnd, Groups: Stacked(
		Group{Name: "words", Files: []string{"options.go", "report.go", "subjects.go"}},
		Group{Name: "session", Files: []string{"session.go", "identity.go", "time.go", "progress.go", "outcome.go", "text.go", "ci.go", "blocks.go", "merge.go"}},
		Group{Name: "parts", Files: []string{"replay.go", "report_page.go", "summary.go"}},
		Group{Name: "kept cases", Files: []string{"kept.go"}},
		Group{Name: "check", Files: []string{"check.go", "examine.go", "shard.go", "program.go", "doc.go"}},
	)},
	{Dir: "locktest/rapidtest", Below: append(append([]string{"locktest", "internal/gotest", "internal/recorded", "locktest/internal/testbinary", "locktest/internal/rapidtape"}, hunts...), parts...), Tests: []string{"stores/redis", "lock/redislocks"}, Rules: frontEnd},
	// The stores, each with the clients that reach it: what runs are built of.
	{Dir: "stores/redis", Below: append([]string{"cell", "scenarios/stage", "sim/simredis"}, vocabulary...), Tests: []string{"internal/test/slowtest", "checker", "traces/render", "traces/story", "internal/test/golden", "internal/test/verdicts", "lock", "locktest", "scenarios"}, Rules: pure},
	{Dir: "stores/file", Below: append([]string{"cell", "lock", "scenarios/stage", "sim/simfile"}, vocabulary...), Tests: []string{"storetest/fidelity", "internal/test/teststore", "lock/filelocks", "locktest", "scenarios", "sim/explore"}, Rules: pure},
	// Locks with what is expected of them, and the vocabulary of that.
	{Dir: "scenarios/expect", Below: []string{"cell", "scenarios", "scenarios/faults", "checker", "traces", "model"}, Rules: pure},
	{Dir: "stores/redis/builtin", Below: []string{"cell", "scenarios", "scenarios/expect", "lock", "stores/redis", "lock/redislocks", "checker", "traces", "model"}, Tests: []string{"internal/test/slowtest", "locktest", "internal/test/golden"}, Rules: pure},
	{Dir: "stores/file/builtin", Below: []string{"cell", "scenarios", "stores/file", "scenarios/expect", "lock", "lock/filelocks", "checker", "model"}, Tests: []string{"internal/test/slowtest", "internal/test/claims", "internal/test/golden", "storetest", "locktest", "sim", "sim/explore", "traces"}, Rules: pure},
	// All of them.
	{Dir: "stores/builtin", Below: []string{"cell", "scenarios/expect", "stores/redis/builtin", "stores/file/builtin"}, Rules: pure},
	// Histories that were recorded elsewhere, judged.
	{Dir: "internal/judging", Below: []string{"model", "model/objects", "checker", "history", "internal/wording"}, Tests: []string{"internal/test/histories"}, Rules: frontEnd},
	// What was judged, as a page.
	{Dir: "internal/judgepage", Below: []string{"model", "model/objects", "history", "internal/judging", "traces/render/picture", "internal/wording"}, Tests: []string{"checker", "internal/test/golden", "internal/test/histories"}, Rules: frontEnd},
	// Locks under scenarios, compared with what is expected of them.
	{Dir: "internal/matrix", Below: append([]string{"cell", "scenarios", "scenarios/expect"}, parts...), Tests: []string{"program", "scenarios/stage", "stores/redis", "stores/redis/builtin"}, Rules: frontEnd},
	// Tests of stores, and of the locks over them: runs repeat, faults strike, expectations hold, and simulated servers answer as real ones do.
	{Dir: "storetest/fidelity", Below: []string{"sim"}, Rules: frontEnd},
	{Dir: "storetest", Below: append([]string{"internal/matrix", "cell", "scenarios", "scenarios/expect", "scenarios/faults", "scenarios/stage"}, parts...), Tests: []string{"internal/test/slowtest", "internal/test/teststore"}, Rules: frontEnd},
	// The lock of a confirmation, in a process of its own: real time.
	{Dir: "internal/realclient", Below: append([]string{"cell", "checker", "internal/claim", "lock", "scenarios/stage", "sim/explore", "traces"}, vocabulary...), Rules: frontEnd},
	// The sources of locks, for that.
	{Dir: ".", Rules: pure},
	// What checks an exhaustive search without the code of the search.
	{Dir: "certificate", Below: append([]string{"cell", "internal/packed", "traces"}, vocabulary...), Tests: []string{"scenarios", "sim/explore", "stores/redis/builtin"}, Rules: frontEnd},
	{Dir: "simrun", Below: append([]string{"cell", "certificate", "internal/realclient", "hunt", "internal/gotest", "internal/recorded", "scenarios", "scenarios/expect", "internal/judging", "internal/judgepage", "internal/matrix", "scenarios/stage", "internal/causes", "internal/ci", "internal/command", "internal/report", "internal/packed", "internal/shards", "internal/overlay"}, parts...), Tests: []string{"internal/test/slowtest", "internal/test/realredis", "internal/test/sampletraces", "locktest", "stores/builtin", "internal/test/testlocks", "internal/test/teststore", "internal/test/golden", "model/objects", "stores/redis"}, Rules: frontEnd, Groups: Stacked(
		Group{Name: "ground", Files: []string{"app.go", "invoked.go", "values.go", "terminal.go", "columns_*.go", "live.go", "files.go"}},
		Group{Name: "what is known", Files: []string{"cell.go", "identity.go", "names.go", "list.go", "version.go", "state.go", "shard.go"}},
		Group{Name: "recorded runs", Files: []string{"test_binary.go", "replay*.go", "view.go", "doctor*.go"}},
		Group{Name: "search", Files: []string{"session.go", "run.go", "check.go", "certificate.go", "merge.go", "findings.go", "long.go", "stories.go", "print_*.go", "coverage.go", "conclusion.go", "warning.go", "report_ci.go", "added.go"}},
		Group{Name: "matrix", Files: []string{"matrix*.go"}},
		Group{Name: "pages and histories", Files: []string{"report.go", "judge*.go"}},
		Group{Name: "program", Files: []string{"complete.go", "overlay.go", "hints.go", "main.go", "doc.go"}},
	)},
	// The module zookeeper: the simulated ensemble, the store with its client library, its locks, and a real server for tests and programs.
	{Dir: "zookeeper/simzk", Below: append([]string{"sim/quorum", "sim/server", "sim/payload", "internal/wording"}, vocabulary...), Tests: []string{"zookeeper/realzk", "storetest/fidelity"}, Rules: pure},
	{Dir: "zookeeper", Below: append([]string{"cell", "internal/realclient", "scenarios", "scenarios/stage", "zookeeper/simzk"}, vocabulary...), Tests: []string{"internal/test/slowtest", "checker", "traces/render", "internal/test/golden", "lock", "locktest", "internal/test/teststore", "storetest"}, Rules: pure},
	{Dir: "zookeeper/builtin", Below: []string{"cell", "scenarios", "zookeeper", "scenarios/expect", "lock", "zookeeper/zklocks", "checker", "traces", "model"}, Tests: []string{"locktest", "internal/test/golden"}, Rules: pure},
	{Dir: "zookeeper/real", Below: append([]string{"cell", "internal/realclient", "real/confirm", "internal/realserver", "zookeeper/realzk", "zookeeper/simzk", "traces"}, vocabulary...), Tests: []string{"real/confirmtest", "internal/test/slowtest", "zookeeper/builtin"}, Rules: frontEnd},
	{Dir: "zookeeper/zklocks", Below: []string{"lock"}, Tests: []string{"zookeeper/internal/zklocktest"}, Rules: lockCode},
	{Dir: "zookeeper/realzk", Below: []string{"internal/realserver"}, Rules: frontEnd},
	{Dir: "zookeeper/internal/zklocktest", Below: []string{"zookeeper/realzk", "lock", "zookeeper/zklocks"}, Rules: frontEnd},
	// Pools of database/sql, for stores with SQL.
	{Dir: "internal/sqlpool", Below: []string{"cell", "scenarios/stage", "sim"}, Rules: pure},
	// The module mysql: the simulated server, the store with its driver, its locks, and a real server for tests and programs.
	{Dir: "mysql/simmysql", Below: append([]string{"sim/failover", "sim/server", "mysql/sql", "sim/payload", "internal/wording"}, vocabulary...), Tests: []string{"mysql/realmysql", "storetest/fidelity", "sim/explore"}, Rules: pure, Groups: Stacked(
		Group{Name: "wire", Files: []string{"errors.go", "packet.go", "params.go", "handshake.go", "answer.go", "payload.go"}},
		Group{Name: "state", Files: []string{"server.go"}},
		Group{Name: "shown", Files: []string{"time.go", "observe.go", "notes.go"}},
		Group{Name: "parts", Files: []string{"named.go", "replication.go"}},
		Group{Name: "sessions", Files: []string{"session.go"}},
		Group{Name: "statements", Files: []string{"types.go", "functions.go", "schema.go", "control.go", "variables.go"}},
		Group{Name: "dialect", Files: []string{"dialect.go"}},
		Group{Name: "requests", Files: []string{"commands.go", "requests.go"}},
		Group{Name: "cluster", Files: []string{"deadlock.go", "node.go", "cluster.go", "doc.go"}},
	)},
	{Dir: "mysql/store", Below: append([]string{"scenarios/stage", "mysql/simmysql"}, vocabulary...), Rules: pure},
	{Dir: "mysql", Below: append([]string{"cell", "scenarios", "internal/sqlpool", "mysql/store", "scenarios/stage"}, vocabulary...), Tests: []string{"internal/test/slowtest", "checker", "traces/render", "internal/test/golden", "internal/test/verdicts", "locktest", "storetest"}, Rules: pure},
	{Dir: "mysql/builtin", Below: []string{"cell", "scenarios", "mysql", "scenarios/expect", "lock", "mysql/sqllocks", "checker", "model"}, Tests: []string{"internal/test/slowtest", "locktest", "internal/test/claims", "internal/test/golden"}, Rules: pure},
	{Dir: "mysql/real", Below: append([]string{"cell", "real/confirm", "mysql/realmysql", "internal/realserver", "mysql/store"}, vocabulary...), Tests: []string{"real/confirmtest", "internal/test/slowtest", "mysql/builtin"}, Rules: frontEnd},
	{Dir: "mysql/sqllocks", Below: []string{"lock", "lock/pauses"}, Tests: []string{"mysql/internal/sqllocktest"}, Rules: lockCode},
	{Dir: "mysql/realmysql", Below: []string{"internal/realserver"}, Rules: frontEnd},
	{Dir: "mysql/internal/sqllocktest", Below: []string{"internal/test/mutextest", "mysql/realmysql", "lock", "mysql/sqllocks"}, Rules: frontEnd},
	// The module postgres: the simulated server from its values to its wire, the pooler, the store with its clients, its locks, and real ones.
	{Dir: "postgres/internal/pgerror", Rules: pure},
	{Dir: "postgres/internal/types", Below: []string{"postgres/internal/pgerror"}, Tests: []string{"postgres/realpostgres", "postgres/internal/syntax"}, Rules: pure},
	{Dir: "postgres/internal/syntax", Below: []string{"postgres/internal/pgerror"}, Tests: []string{"postgres/realpostgres"}, Rules: pure},
	{Dir: "postgres/internal/storage", Below: append([]string{"postgres/internal/pgerror", "postgres/internal/types"}, vocabulary...), Tests: []string{"postgres/realpostgres"}, Rules: pure},
	{Dir: "postgres/internal/executor", Below: []string{"postgres/internal/pgerror", "postgres/internal/types", "postgres/internal/syntax", "postgres/internal/storage"}, Tests: append([]string{"postgres/realpostgres"}, vocabulary...), Rules: pure},
	{Dir: "postgres/simpostgres", Below: append([]string{"sim/failover", "sim/server", "sim/payload", "internal/wording", "postgres/internal/pgerror", "postgres/internal/types", "postgres/internal/syntax", "postgres/internal/storage", "postgres/internal/executor"}, vocabulary...), Tests: []string{"postgres/realpostgres", "postgres/internal/scripts", "storetest/fidelity", "sim/explore"}, Rules: pure},
	{Dir: "postgres/simpgbouncer", Below: append([]string{"sim/server", "postgres/simpostgres"}, vocabulary...), Tests: []string{"postgres/realpostgres", "postgres/internal/scripts", "storetest/fidelity", "sim/explore"}, Rules: pure},
	{Dir: "postgres/store", Below: append([]string{"scenarios/stage", "postgres/simpostgres", "postgres/simpgbouncer", "traces"}, vocabulary...), Tests: []string{"scenarios/faults"}, Rules: pure},
	{Dir: "postgres", Below: append([]string{"cell", "scenarios", "internal/sqlpool", "postgres/store", "scenarios/stage"}, vocabulary...), Tests: []string{"internal/test/slowtest", "lock", "locktest", "postgres/pglocks", "sim/explore", "storetest"}, Rules: pure},
	{Dir: "postgres/builtin", Below: []string{"cell", "scenarios", "postgres", "scenarios/expect", "lock", "postgres/pglocks", "checker", "model"}, Tests: []string{"internal/test/slowtest", "locktest", "internal/test/claims", "internal/test/golden", "scenarios/stage", "storetest", "traces/render"}, Rules: pure},
	{Dir: "postgres/real", Below: append([]string{"cell", "real/confirm", "postgres/realpostgres", "internal/realserver", "postgres/store"}, vocabulary...), Tests: []string{".", "internal/test/golden", "internal/test/slowtest", "postgres", "postgres/builtin", "real/confirmtest", "real/export", "scenarios", "traces"}, Rules: frontEnd},
	{Dir: "postgres/pglocks", Below: []string{"lock", "lock/pauses"}, Tests: []string{"postgres/internal/pglocktest", "postgres/realpostgres"}, Rules: lockCode},
	{Dir: "postgres/realpostgres", Below: []string{"internal/realserver"}, Rules: frontEnd},
	{Dir: "postgres/internal/scripts", Tests: []string{"postgres/realpostgres", "storetest/fidelity"}, Rules: frontEnd},
	{Dir: "postgres/internal/pglocktest", Below: []string{"internal/test/mutextest", "postgres/realpostgres", "lock", "postgres/pglocks"}, Rules: frontEnd},
	// The module kube: the simulated API servers, the store with its clients of the standard library, and its locks.
	{Dir: "kube/simkube", Below: append([]string{"sim/quorum", "sim/server", "sim/payload", "sim/simhttp", "internal/wording"}, vocabulary...), Tests: []string{"sim/explore", "storetest/fidelity", "internal/realserver", "internal/test/realetcd"}, Rules: pure},
	{Dir: "kube/store", Below: append([]string{"scenarios/stage", "kube/simkube", "traces"}, vocabulary...), Tests: []string{"scenarios/faults"}, Rules: pure},
	{Dir: "kube", Below: append([]string{"cell", "scenarios/stage", "kube/store"}, vocabulary...), Tests: []string{"lock", "locktest", "kube/kubelocks"}, Rules: pure},
	{Dir: "kube/builtin", Below: []string{"cell", "scenarios", "kube", "scenarios/expect", "lock", "kube/kubelocks", "checker"}, Tests: []string{"storetest"}, Rules: pure},
	{Dir: "kube/kubelocks", Below: []string{"lock"}, Tests: []string{"kube/simkube", "sim", "model"}, Rules: lockCode},

	// The module s3: the simulated service, the store with the unmodified client of AWS, and its locks.
	{Dir: "s3/sims3", Below: append([]string{"sim/server", "sim/payload", "sim/simhttp"}, vocabulary...), Tests: []string{"storetest/fidelity"}, Rules: pure},
	{Dir: "s3/store", Below: append([]string{"scenarios/stage", "s3/sims3", "traces"}, vocabulary...), Rules: pure},
	{Dir: "s3", Below: append([]string{"cell", "scenarios/stage", "s3/store", "s3/s3locks"}, vocabulary...), Tests: []string{"lock", "locktest"}, Rules: pure},
	{Dir: "s3/builtin", Below: []string{"cell", "scenarios", "s3", "scenarios/expect", "lock", "s3/s3locks", "checker", "model"}, Tests: []string{"internal/test/claims", "internal/test/slowtest", "storetest"}, Rules: pure},
	{Dir: "s3/s3locks", Below: []string{"lock", "lock/pauses"}, Rules: lockCode},
	// The module etcd: the store with its client library, its locks, and the programs that have all stores.
	{Dir: "etcd/store", Below: append([]string{"scenarios/stage", "etcd/store/simetcd", "etcd/store/simh2"}, vocabulary...), Rules: pure},
	{Dir: "etcd/real", Below: append([]string{"internal/realclient", "real/confirm", "etcd/store/simh2", "etcd/store", "internal/realserver", "traces"}, vocabulary...), Tests: []string{"internal/test/realetcd", "real/confirmtest", "etcd/builtin"}, Rules: frontEnd},
	{Dir: "etcd", Below: append([]string{"cell", "internal/realclient", "etcd/store", "scenarios/stage"}, vocabulary...), Tests: []string{"etcd/store/simh2", "etcd/store/simetcd", "sim/explore", "storetest"}, Rules: frontEnd},
	{Dir: "etcd/etcdlocks", Below: []string{"lock"}, Tests: []string{"etcd/internal/test"}, Rules: lockCode},
	{Dir: "etcd/clientlocks", Below: []string{"cell", "etcd", "lock"}, Rules: pure},
	{Dir: "etcd/builtin", Below: []string{"cell", "checker", "etcd", "etcd/etcdlocks", "scenarios/expect", "lock", "model", "scenarios"}, Tests: []string{"etcd/clientlocks", "internal/test/golden", "locktest"}, Rules: pure},
	{Dir: "etcd/internal/test", Below: []string{"internal/test/realetcd", "lock"}},
	{Dir: "etcd/cmd", Below: []string{".", "etcd/real", "real/confirm", "real/realcommand", "real/redis", "etcd/builtin", "simrun", "stores/builtin"}, Tests: []string{"internal/test/golden"}, Rules: frontEnd},
	// The module real: counterexamples on real servers, in real time and real processes. The driver names no store.
	{Dir: "real/internal/gate", Rules: frontEnd},
	{Dir: "real/internal/recording", Below: append([]string{"cell", "internal/realclient"}, vocabulary...), Rules: frontEnd},
	{Dir: "real/internal/tail", Rules: frontEnd},
	{Dir: "real/confirm", Below: append([]string{"cell", "internal/realclient", "internal/realserver", "internal/record", "internal/wording", "real/internal/gate", "real/internal/recording", "real/internal/tail", "traces"}, vocabulary...), Tests: []string{"checker", "internal/test/realredis", "internal/test/slowtest", "real/confirmtest", "real/redis", "scenarios", "sim/explore", "stores/redis/builtin"}, Rules: frontEnd},
	{Dir: "real/confirmtest", Below: []string{"cell", "internal/realclient", "real/confirm", "scenarios", "traces"}, Rules: frontEnd},
	{Dir: "real/redis", Below: append([]string{"cell", "internal/realserver", "real/confirm"}, vocabulary...), Tests: []string{"internal/test/realredis"}, Rules: frontEnd},
	// A counterexample as a Go test without Lockpick. What that is made of is copied, and imports nothing but what a stranger has.
	{Dir: "real/export/parts", Below: []string{"lock"}, Tests: []string{"internal/test/realredis"}, Rules: []Rule{Order}},
	{Dir: "real/export", Below: []string{"checker", "internal/realclient", "internal/wording", "model", "sim", "traces", "traces/render", "traces/story"}, Tests: []string{".", "cell", "internal/test/golden", "internal/test/realredis", "internal/test/slowtest", "scenarios", "stores/redis/builtin"}, Rules: frontEnd, Groups: Stacked(
		Group{Name: "sources", Files: []string{"sources.go"}},
		Group{Name: "copies", Files: []string{"bundle.go", "constructor.go"}},
		Group{Name: "story", Files: []string{"protocols.go", "postgres.go", "missing.go", "script.go", "decide.go", "quote.go"}},
		Group{Name: "text", Files: []string{"write.go", "write_missing.go"}},
		Group{Name: "job", Files: []string{"modules.go", "job.go", "readme.go", "verify.go", "doc.go"}},
	)},
	// Foreign clients: any language, real servers, and faults by what passes.
	{Dir: "real/attach", Below: append([]string{"cell", "checker", "internal/realclient", "internal/realserver", "internal/wording", "real/confirm", "real/internal/gate", "real/internal/recording", "real/internal/tail", "traces"}, vocabulary...), Tests: []string{"internal/test/realredis", "internal/test/slowtest", "real/redis"}, Rules: frontEnd},
	// Random faults on real servers, in rounds: what lockbench compares with searches.
	{Dir: "real/stress", Below: append([]string{"cell", "checker", "internal/realclient", "internal/realserver", "real/confirm", "real/internal/gate", "real/internal/recording", "real/internal/tail"}, vocabulary...), Tests: []string{"internal/test/realredis", "scenarios", "real/redis", "stores/redis/builtin"}, Rules: frontEnd},
	{Dir: "real/realcommand", Below: []string{"cell", "internal/command", "internal/realserver", "internal/recorded", "internal/wording", "real/attach", "real/confirm", "real/export", "model", "traces", "traces/render"}, Tests: []string{".", "cell", "internal/gotest", "lock", "lock/redislocks", "locktest", "stores/redis", "internal/test/realredis", "internal/test/slowtest", "internal/test/sampletraces", "real/redis", "simrun", "stores/file/builtin", "stores/redis/builtin"}, Rules: frontEnd},
	// The corpus and the track record on real servers.
	{Dir: "real/internal/confirmed", Below: []string{"cell", "internal/realclient", "internal/test/testlocks", "real/confirm", "real/redis", "scenarios", "stores/redis/builtin", "traces"}, Tests: []string{"internal/test/slowtest"}, Rules: frontEnd},
	// The module lab: the performance of locks in virtual time and on real servers, experiments with it, and how they are reported.
	{Dir: "lab", Below: append([]string{"cell", "scenarios", "internal/record", "scenarios/stage", "sim/explore", "lock"}, vocabulary...), Tests: []string{"stores/redis", "lock/redislocks", "internal/test/realredis"}, Rules: frontEnd},
	{Dir: "lab/labreport", Below: []string{"internal/wording"}, Tests: []string{"internal/test/golden"}, Rules: pure},
	{Dir: "lab/experiments", Below: append([]string{"cell", "scenarios", "lab", "scenarios/stage", "stores/redis", "lock", "lock/redislocks", "lab/labreport", "internal/wording", "internal/realserver", "internal/test/realredis", "zookeeper/realzk", "internal/test/realetcd", "mysql/realmysql", "sim/explore", "traces"}, vocabulary...), Tests: []string{"internal/test/slowtest", "lab/internal/experimentstest", "lab/builtin", "stores/redis/builtin", "zookeeper/builtin", "mysql/builtin"}, Rules: frontEnd},
	{Dir: "lab/internal/experimentstest", Below: []string{"cell", "scenarios", "lab/experiments", "storetest", "sim/explore"}, Rules: frontEnd},
	{Dir: "lab/labcommand", Below: append([]string{"cell", "lab/experiments", "lab/internal/envelope", "lab/labreport", "internal/command", "internal/recorded", "internal/wording", "sim/explore", "traces", "traces/render", "traces/story"}, vocabulary...), Tests: []string{"lab", "internal/test/golden", "simrun", "lab/builtin", "stores/redis"}, Rules: frontEnd},
	// Which lease, pause, round trip and error of a clock go together.
	{Dir: "lab/internal/envelope", Below: append([]string{"cell", "checker", "hunt", "scenarios", "scenarios/faults", "scenarios/stage", "sim/explore", "traces", "internal/wording"}, vocabulary...), Tests: []string{"stores/redis/builtin"}, Rules: frontEnd},
	{Dir: "lab/builtin", Below: []string{"cell", "scenarios/expect", "stores/redis/builtin", "zookeeper/builtin", "mysql/builtin", "postgres/builtin", "stores/file/builtin", "kube/builtin", "s3/builtin"}, Rules: pure},
	{Dir: "lab/internal/sitepages", Below: append([]string{"etcd/builtin", "lab/builtin", "scenarios/expect", "internal/matrix", "internal/test/api", "scenarios/faults"}, append(hunts, parts...)...), Tests: []string{"internal/test/golden"}, Rules: frontEnd},
	// Worlds with several stores.
	{Dir: "lab/internal/together", Tests: append([]string{"mysql/builtin", "cell", "program", "scenarios", "scenarios/stage", "stores/redis", "mysql", "zookeeper", "stores/file", "internal/test/slowtest", "internal/test/golden"}, parts...), Rules: frontEnd},
	{Dir: "lab/internal/etcdlab", Rules: frontEnd},
	{Dir: "lab/cmd", Below: []string{
		".", "real/confirm", "real/realcommand", "real/redis", "etcd/real", "zookeeper/real", "mysql/real", "postgres/real",
		"lab", "lab/experiments", "lab/labreport", "lab/labcommand", "simrun", "certificate", "scenarios", "etcd/builtin", "lab/builtin", "lab/internal/sitepages", "sim/explore", "mysql", "postgres", "zookeeper", "stores/redis/builtin", "zookeeper/builtin", "mysql/builtin", "postgres/builtin", "kube", "s3",
		"internal/test/realredis", "zookeeper/realzk", "internal/test/realetcd", "mysql/realmysql",
	}, Tests: []string{"internal/test/golden", "internal/test/slowtest"}, Rules: frontEnd},
	{Dir: "cmd/simrun", Below: []string{"simrun", "stores/builtin"}, Rules: frontEnd},
	// Searches in a browser: what the page asks for, the page, the program for GOOS=js, and what builds all of it.
	{Dir: "playground", Below: append([]string{"hunt", "cell", "scenarios/stage"}, parts...), Tests: []string{"scenarios", "internal/test/cells", "stores/redis/builtin"}, Rules: frontEnd, Groups: Stacked(
		Group{Name: "messages", Files: []string{"messages.go"}},
		Group{Name: "session", Files: []string{"catalogue.go", "doc.go", "session.go"}},
	)},
	{Dir: "playground/wasm", Below: []string{"playground", "scenarios", "lab/builtin", "sim/explore"}, Rules: frontEnd},
	{Dir: "playground/drawing", Below: []string{"traces", "traces/render"}, Tests: []string{"internal/test/sampletraces"}, Rules: frontEnd},
	{Dir: "playground/drawing/wasm", Below: []string{"playground/drawing", "sim/simredis/resp", "mysql/simmysql", "postgres/simpostgres", "zookeeper/simzk", "sim/simfile", "kube/simkube", "s3/sims3"}, Rules: frontEnd},
	{Dir: "playground/build", Below: []string{"playground", "scenarios", "lab/builtin", "sim/explore"}, Rules: frontEnd},
	// Writes what the experiments answer into docs/locks.md.
	{Dir: "internal/test/arch", Tests: []string{"internal/test/golden", "internal/test/slowtest"}, Rules: frontEnd, Groups: Stacked(
		Group{Name: "layout", Files: []string{"doc.go", "layout.go"}},
		Group{Name: "source", Files: []string{"module.go", "types.go"}},
		Group{Name: "rules", Files: []string{"budget.go", "groups.go", "imports.go", "length.go", "order.go", "sources.go", "words.go", "plain.go"}},
		Group{Name: "all", Files: []string{"check.go"}},
	)},
	// Texts for people.
	{Dir: "internal/wording", Rules: pure},
	// The go test commands that run the test of a trace again.
	{Dir: "internal/gotest", Below: []string{"traces", "internal/wording"}, Rules: pure},
	// Reports for continuous integration, of what was judged.
	{Dir: "internal/ci", Below: []string{"internal/wording"}, Rules: frontEnd},
	// What modules with dependencies of their own add to the program.
	{Dir: "internal/command", Below: []string{"sim/explore", "cell", "internal/realclient", "traces", "traces/render"}, Rules: frontEnd},
	// Files that are compressed if they are long.
	{Dir: "internal/packed", Rules: pure},
	// Tests that `make test` leaves out.
	{Dir: "internal/test/slowtest", Rules: pure},
	// What tests compare of directories.
	{Dir: "internal/test/trees", Rules: frontEnd},
	// Files that tests compare with.
	{Dir: "internal/test/golden", Below: []string{"internal/wording"}, Rules: frontEnd},
	// Histories for tests of what judges them.
	{Dir: "internal/test/histories", Below: []string{"model"}, Tests: []string{"model/objects"}, Rules: pure},
	// Traces for tests of their format and of what shows them.
	{Dir: "internal/test/sampletraces", Below: append([]string{"traces", "sim/simredis"}, vocabulary...), Rules: pure},
	// A real Redis, a real ZooKeeper, a real etcd and a real MariaDB for tests, and what
	// it takes to run any of them.
	{Dir: "internal/realserver", Rules: frontEnd},
	{Dir: "internal/test/realredis", Below: []string{"internal/realserver"}, Rules: frontEnd},
	{Dir: "internal/test/realetcd", Below: []string{"internal/realserver"}, Rules: frontEnd},
	// The tests that all locks over a store pass.
	{Dir: "internal/test/mutextest", Below: []string{"lock"}, Rules: frontEnd},
	{Dir: "internal/test/redislocktest", Below: []string{"internal/test/realredis", "lock", "lock/redislocks"}, Rules: frontEnd},
	// Comments of locks, compared with what is expected of them.
	{Dir: "internal/test/claims", Below: []string{"scenarios", "scenarios/expect", "checker", "model"}, Rules: frontEnd},
	// What 1.0 promises to keep.
	{Dir: "internal/test/api", Tests: []string{"internal/test/golden"}, Rules: frontEnd},
	// A store that is no Redis, for tests.
	{Dir: "internal/test/teststore", Below: []string{"cell", "scenarios", "scenarios/stage", "lock", "sim", "model"}, Tests: []string{"internal/test/slowtest", "locktest"}, Rules: pure},
	// Locks that misbehave on purpose.
	{Dir: "internal/test/testlocks", Below: append([]string{"cell", "scenarios", "stores/redis", "lock/redislocks"}, parts...)},
	// Cells of these, and the test binary as their worker, for tests of searches.
	{Dir: "internal/test/cells", Below: []string{"cell", "scenarios", "internal/test/testlocks", "stores/redis", "stores/redis/builtin", "sim/explore"}, Rules: frontEnd},
	// Locks that depend on the Go runtime's choices, which draw from all sources.
	{Dir: "internal/test/choices", Tests: append([]string{"internal/overlay", "internal/test/slowtest", "cell", "lock", "scenarios", "internal/test/cells", "storetest", "stores/redis", "sim/explore"}, vocabulary...)},
	// What searches find of a lock, for tests of stores.
	{Dir: "internal/test/verdicts", Below: append([]string{"cell", "scenarios", "sim/explore"}, vocabulary...), Rules: frontEnd},
	// Shows for the examples, which are modules of their own, that runs repeat.
	// Checks what a release has been built of.
	{Dir: "internal/test/checkrelease", Below: []string{"cell"}, Rules: frontEnd},
	// Measures the monitors against porcupine.
	{Dir: "bench/checker", Below: []string{"model", "model/objects", "checker", "internal/test/histories"}, Rules: frontEnd},
	// Measures the strategies, in worker processes.
	{Dir: "bench/search", Below: append([]string{"cell", "scenarios", "stores/redis", "stores/redis/builtin", "scenarios/expect", "internal/test/testlocks"}, parts...), Tests: []string{"internal/test/golden"}, Rules: frontEnd},
}

// Owners are the files that may break the named rules, as a whole.
var Owners = map[string][]Rule{
	// The bubble: its clock is the simulated one.
	"sim/internal/bubble/bubble.go": {Clock},
	// It looks, in a bubble of its own, whether the clock is read as it is.
	"sim/internal/goruntime/learn.go": {Clock},
	// The process-wide random sources are seeded here for each run.
	"sim/rand.go": {Random, Shared},
	// What the runtime draws is set there.
	"sim/internal/bubble/crypto.go":              {Shared},
	"sim/internal/goruntime/draws.go":            {Random},
	"sim/internal/goruntime/draws_test.go":       {Random},
	"sim/internal/goruntime/moved_linux_test.go": {Random},
	// The watchdog outside the bubble waits in real time for a worker that
	// may never answer.
	"sim/explore/watchdog.go": {Clock},
	"sim/explore/meter.go":    {Clock},
}
