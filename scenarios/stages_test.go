package scenarios_test

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// BenchmarkStages shows where the time of one schedule of failover-loss with
// two clients goes, a failover in it. For each stage it reports
//
//   - run-ns: what it takes of the run. The median time of a run is shared out
//     by a CPU profile of the same runs; each sample belongs to the innermost
//     function that a stage knows (stageOf). What no stage knows is "rest".
//   - best-ns: what the same work takes alone, measured with the recorded
//     inputs (stages_best_test.go). That is no part of the run: it does
//     without whatever makes the simulation one.
//
// The stages add up to ns/schedule. A profile has a hundred samples for each
// second of processor time: with a thousand ("samples"), a stage of a tenth is
// good to a tenth of itself. docs/speed.md has a table, and what it says. What
// stands in for Redis in the stage of scripts knows the commands of the locks that
// are measured.
func BenchmarkStages(b *testing.B) {
	for _, lock := range measured {
		b.Run(lock, func(b *testing.B) {
			r := recordFailover(b, cells.Of(b, "failover-loss", lock))
			var profile bytes.Buffer
			if err := pprof.StartCPUProfile(&profile); err != nil {
				b.Skip("BenchmarkStages makes a CPU profile itself:", err)
			}
			var runs timings
			for b.Loop() {
				runs.time(func() { r.cell.Run(explore.Run{Tape: explore.Random(1, r.schedule)}) })
			}
			pprof.StopCPUProfile()
			counts, all := map[string]int64{}, int64(0)
			for _, s := range readProfile(b, profile.Bytes()) {
				counts[stageOf(s.stack)] += s.count
				all += s.count
			}
			b.ReportMetric(runs.median(), "ns/schedule")
			b.ReportMetric(float64(len(r.Events)), "events/schedule")
			b.ReportMetric(float64(r.commands()), "commands/schedule")
			b.ReportMetric(float64(all), "samples")
			var table, others []string
			for _, s := range stages {
				share := float64(counts[s.name]) / float64(max(all, 1))
				b.ReportMetric(runs.median()*share, s.name+"-run-ns")
				line := fmt.Sprintf("%-10s %9.0f ns %5.1f %%", s.name, runs.median()*share, 100*share)
				if s.best == nil {
					others = append(others, line)
					continue
				}
				best := s.best(b, r)
				b.ReportMetric(best, s.name+"-best-ns")
				table = append(table, fmt.Sprintf("%s   at best %9.0f ns", line, best))
			}
			b.Log(strings.Join(table, "\n") + "\n" + strings.Join(others, ", ")) // ten lines are shown
		})
	}
}

// stage is a part of the work of a run.
type stage struct {
	name string
	// best measures the work of the stage alone, in nanoseconds; nil if there
	// is no such thing.
	best func(testing.TB, *failover) float64
}

var stages = []stage{
	{"go-redis", bestClient},
	{"wire", bestWire},
	{"engine", bestEngine},
	{"lua", bestLua},
	{"conductor", bestConductor},
	{"switching", bestSwitching},
	{"checker", bestChecker},
	{"workload", nil},
	{"seeding", nil},
	{"gc", nil},
	{"rest", nil},
}

// places say which stage a function belongs to, by the beginning of its name
// without what all of ours have in common; the first that fits decides.
var places = []struct{ prefix, stage string }{
	{"github.com/yuin/gopher-lua", "lua"},
	{"sim/simredis.(*interpreter)", "lua"},
	{"sim/simredis.(*sharedTable)", "lua"},
	{"sim/simredis.newInterpreter", "lua"},
	{"sim/simredis.borrowInterpreter", "lua"},
	{"sim/simredis.parse", "wire"},
	{"sim/simredis.sort", "wire"}, // what Sorted wraps
	{"sim/simredis.subscribes", "wire"},
	{"sim/simredis.(*output)", "wire"},
	{"sim/simredis.(*conn)", "wire"},
	{"github.com/alicebob/miniredis/v2/server", "wire"},
	{"sim/simredis.", "engine"},
	{"sim/internal/bubble.", "conductor"},
	{"sim.(*Conn)", "wire"},
	{"sim.(*ServerConn)", "wire"},
	{"sim.rawConn", "wire"},
	{"sim.(*pipe)", "wire"},
	{"sim.(*segment)", "wire"},
	{"sim.(*dial)", "wire"},
	{"sim.(*Network)", "wire"},
	{"sim.(*Process).DialContext", "wire"},
	{"sim.", "conductor"},
	{"math/rand.", "seeding"},     // its global source, as go-redis draws from it
	{"sim/explore.", "conductor"}, // the tape
	{"github.com/redis/go-redis", "go-redis"},
	{"lock/redislocks", "go-redis"},
	{"checker.", "checker"},
	{"cell.story", "checker"},
	{"cell.featuresOf", "checker"},
	{"cell.classOf", "checker"},
	{"cell.digest", "checker"},
	{"scenarios.spans", "checker"},
	{"scenarios.waitedForHolder", "checker"},
	{"scenarios.observed", "checker"},
	{"scenarios.", "workload"}, // and faults
	{"cell.", "workload"},
	{"cell/internal/", "workload"},
	{"internal/record.", "workload"},
	{"stores/redis.", "workload"},
	{"runtime.gcBgMarkWorker", "gc"},
	{"runtime.bgsweep", "gc"},
	{"runtime.bgscavenge", "gc"},
	// What is left of the runtime, without a caller, is how goroutines come to
	// rest, virtual time passes and others wake.
	{"runtime.mcall", "switching"},
	{"runtime.synctest", "switching"},
	{"runtime.morestack", "switching"},
	{"runtime.goexit0", "switching"},
}

// stageOf is the stage that a stack belongs to.
func stageOf(stack []string) string {
	for _, function := range stack {
		function = strings.TrimPrefix(function, "github.com/lockpick-dev/lockpick/")
		for _, p := range places {
			if strings.HasPrefix(function, p.prefix) {
				return p.stage
			}
		}
	}
	return "rest"
}

// failover is a recorded schedule with a failover.
type failover struct {
	*explore.Recording
	cell     cell.Cell
	schedule int
}

// recordFailover finds the first such schedule.
func recordFailover(tb testing.TB, c cell.Cell) *failover {
	tb.Helper()
	for schedule := range 1000 {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
		promoted := func(o model.Observation) bool { return o.Kind == model.Promoted }
		if out.Failure == nil && slices.ContainsFunc(out.Recording.History.Observations, promoted) {
			return &failover{out.Recording, c, schedule}
		}
	}
	tb.Fatal("no schedule has a failover")
	return nil
}

// requests are what arrived at the nodes, by client, and answers what arrived
// at the clients. Replies to one segment of commands come as one.
func (r *failover) requests(client string) (list [][]byte) {
	for _, e := range r.Events {
		if e.Kind == sim.EventDeliver && e.Conn != 0 && strings.HasPrefix(e.Actor, "redis") && (client == "" || e.Peer == client) {
			list = append(list, e.Payload)
		}
	}
	return list
}

func (r *failover) answers(client string) (list [][]byte) {
	for _, e := range r.Events {
		if e.Kind == sim.EventDeliver && e.Conn != 0 && strings.HasPrefix(e.Peer, "redis") && (client == "" || e.Actor == client) {
			list = append(list, e.Payload)
		}
	}
	return list
}

// answered are the answers by their requests, as far as they arrived. On each
// connection the n-th answer is that to the n-th request, but for a WAIT, whose
// answer comes behind that to what was sent with it.
func (r *failover) answered() map[string][]byte {
	waiting, last, answers := map[int][][]byte{}, map[int]string{}, map[string][]byte{}
	for _, e := range r.Events {
		switch toNode, fromNode := strings.HasPrefix(e.Actor, "redis"), strings.HasPrefix(e.Peer, "redis"); {
		case e.Kind != sim.EventDeliver || e.Conn == 0:
		case toNode:
			waiting[e.Conn] = append(waiting[e.Conn], e.Payload)
		case fromNode && len(waiting[e.Conn]) > 0:
			last[e.Conn] = string(waiting[e.Conn][0])
			waiting[e.Conn] = waiting[e.Conn][1:]
			answers[last[e.Conn]] = e.Payload
		case fromNode:
			answers[last[e.Conn]] = slices.Concat(answers[last[e.Conn]], e.Payload)
		}
	}
	return answers
}

// commands is how many commands the nodes got.
func (r *failover) commands() (n int) {
	for _, segment := range r.requests("") {
		n += len(words(segment))
	}
	return n
}

// words are the commands of a segment. It is the least that parsing can be:
// everything is there, and right.
func words(segment []byte) (commands [][]string) {
	number := func() (n int) {
		end := bytes.IndexByte(segment, '\r')
		for _, digit := range segment[1:end] {
			n = 10*n + int(digit-'0')
		}
		segment = segment[end+2:]
		return n
	}
	for len(segment) > 0 {
		command := make([]string, number())
		for i := range command {
			size := number()
			command[i] = string(segment[:size])
			segment = segment[size+2:]
		}
		commands = append(commands, command)
	}
	return commands
}

// often measures f for a while and returns the median in nanoseconds.
func often(f func()) float64 {
	var t timings
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
		t.time(f)
	}
	return t.median()
}
