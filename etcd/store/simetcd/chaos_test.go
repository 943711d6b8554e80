package simetcd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/quorum/quorumtest"
)

// TestNothingIsLost: servers crash, hang and are cut off at random, and messages are late. What
// a client was told to be written was committed, linearizable reads are linearizable, a lease
// lives as long as a client was told, all servers agree in the end, and there is a leader.
func TestNothingIsLost(t *testing.T) {
	seeds := 150
	if testing.Short() {
		seeds = 40
	}
	var done tally
	for seed := range seeds {
		for _, members := range []int{3, 5} {
			done.add(chaos(t, uint64(seed), members))
		}
	}
	if done.elections < seeds || done.written < 10*seeds || done.read < 10*seeds || done.failed < seeds || done.expired < seeds/10 || done.stepsDown < seeds/2 {
		t.Errorf("too little happened: %+v", done)
	}
	t.Logf("%+v", done)
}

// TestRunsRepeat: the same tape makes the same run.
func TestRunsRepeat(t *testing.T) {
	for seed := range uint64(5) {
		var seen [2][]model.Observation
		for i := range seen {
			e := newChaos(t, seed, 3)
			e.play()
			seen[i] = e.seen
		}
		if !slices.EqualFunc(seen[0], seen[1], func(a, b model.Observation) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) || len(seen[0]) == 0 {
			t.Errorf("seed %d: two runs differ", seed)
		}
	}
}

// tally is how often things happened.
type tally struct{ elections, written, read, failed, kept, expired, stepsDown int }

func (a *tally) add(b tally) {
	a.elections += b.elections
	a.written += b.written
	a.read += b.read
	a.failed += b.failed
	a.kept += b.kept
	a.expired += b.expired
	a.stepsDown += b.stepsDown
}

// chaosTest is a run with what its clients were told.
type chaosTest struct {
	clusterTest
	name     string
	seed     uint64
	told     int64 // the highest revision of an answer so far
	facts    []fact
	promises []promise
	strikes  *quorumtest.Strikes[*Node]
	tally    tally
}

// fact is what a client was told of a key at a revision.
type fact struct {
	key, value string
	revision   int64
}

// promise is that a client was told that the lease of a key lives.
type promise struct {
	key         string
	told, until time.Duration
}

func chaos(t *testing.T, seed uint64, members int) tally {
	e := newChaos(t, seed, members)
	e.play()
	e.judge()
	return e.tally
}

func newChaos(t *testing.T, seed uint64, members int) *chaosTest {
	e := &chaosTest{name: fmt.Sprintf("seed %d, %d members", seed, members), seed: seed}
	e.T, e.options = t, Options{Members: members}
	return e
}

// play makes the run.
func (e *chaosTest) play() {
	members := e.options.Members
	rng := rand.New(rand.NewPCG(e.seed, uint64(members)))
	report := sim.Run(sim.Config{Tape: explore.Random(e.seed, members), Horizon: 5 * time.Minute, MaxEvents: 200_000}, func(w *sim.World) {
		e.begin(w)
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: time.Millisecond, Late: []sim.Lateness{
			{By: []time.Duration{200 * time.Millisecond, 2 * time.Second}, Budget: 4, Odds: 50},
		}})
		e.strikes = &quorumtest.Strikes[*Node]{
			World: w, Servers: e.cluster.Nodes(), Actor: func(n *Node) *sim.Actor { return n.Actor }, At: e.at,
			Within: 6 * time.Second, Unit: 300 * time.Millisecond,
		}
		for range 4 {
			e.strikes.Strike(rng)
		}
		for range 3 {
			seed, server := rng.Uint64(), rng.IntN(members)
			e.process(func(p *sim.Process) { e.work(p, server, rand.New(rand.NewPCG(seed, 0))) })
		}
		e.at(60*time.Second, func() {}) // long enough for all to come back
	})
	if report.Failure != nil || report.Cut != "" {
		e.Fatalf("%s: %v %s", e.name, report.Failure, report.Cut)
	}
}

// process adds a client process.
func (e *chaosTest) process(work func(p *sim.Process)) {
	e.clients++
	p := e.world.NewProcess(fmt.Sprint("c", e.clients), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", e.clients)})
	p.Go(func() { work(p) })
}

// work writes and reads, and keeps a lease alive, at one server after another.
func (e *chaosTest) work(p *sim.Process, server int, rng *rand.Rand) {
	var c *client
	lease := int64(e.clients*1000 + server)
	for i := 0; i < 40; i++ {
		for c == nil || c.broken != nil {
			server = (server + 1) % len(e.cluster.Nodes())
			c, _ = dial(p, e.cluster.Addresses()[server])
			p.Step("sleep", 50*time.Millisecond)
		}
		key := string(rune('a' + rng.IntN(3)))
		value := fmt.Sprint(p.Name(), " ", i)
		switch rng.IntN(5) {
		case 0, 1:
			e.write(c, key, value)
		case 2:
			e.read(c, key, false)
		case 3:
			e.read(c, key, true)
		case 4:
			e.keepAlive(c, lease, p.Name())
		}
		c.sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
	}
}

// revision is that of an answer. It is no less than that of any answer before the question, if
// the question was linearizable.
func (e *chaosTest) revision(what string, answer object, least int64) int64 {
	n, _ := strconv.ParseInt(answer["header"].(object)["revision"].(string), 10, 64)
	if n < least {
		e.Errorf("%s: %s at revision %d, and %d was told before", e.name, what, n, least)
	}
	return n
}

func (e *chaosTest) write(c *client, key, value string) {
	least := e.told
	m, err := c.unary("put", putting(key, value))
	if err != nil {
		e.tally.failed++
		return
	}
	e.tally.written++
	revision := e.revision("put", m, least+1)
	e.told = max(e.told, revision)
	e.facts = append(e.facts, fact{key, value, revision})
}

func (e *chaosTest) read(c *client, key string, stale bool) {
	least := e.told
	request := getting(key)
	if stale {
		least, request = 0, serializable(key)
	}
	m, err := c.unary("range", request)
	if err != nil {
		e.tally.failed++
		return
	}
	e.tally.read++
	revision := e.revision("range", m, least)
	if !stale {
		e.told = max(e.told, revision)
	}
	value := ""
	if list, _ := m["kvs"].([]any); len(list) > 0 {
		value = untext(list[0].(object)["value"])
	}
	e.facts = append(e.facts, fact{key, value, revision})
}

// keepAlive keeps a lease alive, or grants it anew, with a key of its own.
func (e *chaosTest) keepAlive(c *client, lease int64, name string) {
	key, sent := "lease of "+name, e.world.Now()
	list, err := c.call("keepalive", object{"ID": digits(lease)})
	if err != nil || len(list) == 0 {
		e.tally.failed++
		return
	}
	if list[0]["TTL"] != nil {
		e.tally.kept++
		e.promises = append(e.promises, promise{key, e.world.Now(), sent + 2*time.Second})
		return
	}
	if _, err := c.unary("grant", object{"ID": digits(lease), "TTL": "2"}); err == nil {
		_, _ = c.unary("put", leasing(key, lease))
	}
}

// judge compares what clients were told with what was committed.
func (e *chaosTest) judge() {
	truth := newState(2)
	for _, x := range e.cluster.Committed() {
		_, _ = x.apply(truth)
	}
	for _, f := range e.facts {
		value := ""
		if kv := truth.get(f.key, f.revision); kv != nil {
			value = kv.value
		}
		if value != f.value {
			e.Errorf("%s: %s was %q at revision %d, and a client was told %q", e.name, f.key, value, f.revision, f.value)
		}
	}
	if !e.cluster.Healed() {
		e.Errorf("%s: it has not healed", e.name)
	}
	for _, n := range e.cluster.Nodes() {
		behind := len(e.cluster.Committed()) - n.Applied
		if behind != 0 || n.state.revision != truth.revision {
			e.Errorf("%s: %s is at revision %d, %d entries behind; revision %d was committed", e.name, n.Name(), n.state.revision, behind, truth.revision)
		}
	}
	e.tally.stepsDown += e.strikes.StepsDown(e.T, e.name, e.seen)
	for _, o := range e.seen {
		switch {
		case o.Kind == model.Promoted:
			e.tally.elections++
		case o.Kind == model.RecordExpired && o.Authority != "":
			e.tally.expired++
			for _, p := range e.promises {
				if p.key == o.Key && p.told < o.At && p.until > o.At {
					e.Errorf("%s: %s ended at %v, and at %v a client was told that it lives until %v", e.name, o.Key, o.At, p.told, p.until)
				}
			}
		}
	}
}
