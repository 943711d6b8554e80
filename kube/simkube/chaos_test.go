package simkube

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/quorum/quorumtest"
)

// TestNothingIsLost: servers crash, hang and are cut off at random, and messages are late. What was answered is
// what was committed, reads are linearizable, of writes with one version one succeeds, a watch gets each change once,
// and all servers agree in the end.
func TestNothingIsLost(t *testing.T) {
	seeds := 60
	if testing.Short() {
		seeds = 20
	}
	var done tally
	for seed := range seeds {
		for _, servers := range []int{1, 3} {
			c := playChaos(t, uint64(seed), servers)
			c.judge()
			done.add(c.tally)
		}
	}
	if done.elections < seeds || done.written < 10*seeds || done.read < 10*seeds || done.refused < seeds || done.failed < seeds || done.events < 10*seeds {
		t.Errorf("too little happened: %+v", done)
	}
	t.Logf("%+v", done)
}

// TestRunsRepeat: the same tape makes the same run.
func TestRunsRepeat(t *testing.T) {
	for seed := range uint64(5) {
		a, b := playChaos(t, seed, 3), playChaos(t, seed, 3)
		if !slices.EqualFunc(a.seen, b.seen, func(a, b model.Observation) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) || len(a.seen) == 0 {
			t.Errorf("seed %d: two runs differ", seed)
		}
	}
}

// tally is how often things happened.
type tally struct{ elections, written, read, refused, failed, events int }

func (a *tally) add(b tally) {
	a.elections += b.elections
	a.written += b.written
	a.read += b.read
	a.refused += b.refused
	a.failed += b.failed
	a.events += b.events
}

// chaos is a run with what its clients were answered.
type chaos struct {
	*testing.T
	name    string
	world   *sim.World
	cluster *Cluster
	seen    []model.Observation
	latest  int64 // the highest version of an answer so far
	facts   []fact
	strikes *quorumtest.Strikes[*Node]
	tally   tally
}

// fact is an answer: a lease of a version.
type fact struct {
	version int64
	holder  string
	wrote   bool
}

func playChaos(t *testing.T, seed uint64, servers int) *chaos {
	c := &chaos{T: t, name: fmt.Sprintf("seed %d, %d servers", seed, servers)}
	rng := rand.New(rand.NewPCG(seed, uint64(servers)))
	report := sim.Run(sim.Config{Tape: explore.Random(seed, servers), Horizon: 5 * time.Minute, MaxEvents: 200_000}, func(w *sim.World) {
		c.world = w
		c.cluster = New(w, Options{Servers: servers, CacheLag: time.Duration(rng.IntN(2)) * 300 * time.Millisecond}, func(o model.Observation) { c.seen = append(c.seen, o) })
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: time.Millisecond, Late: []sim.Lateness{
			{By: []time.Duration{200 * time.Millisecond, 2 * time.Second}, Budget: 4, Odds: 50},
		}})
		at := func(at time.Duration, f func()) {
			w.At(c.cluster.Nodes()[0].Actor, at, sim.EventFault, sim.EventOptions{Vital: true}, f)
		}
		c.strikes = &quorumtest.Strikes[*Node]{
			World: w, Servers: c.cluster.Nodes(), Actor: func(n *Node) *sim.Actor { return n.Actor }, At: at, Within: 6 * time.Second, Unit: 300 * time.Millisecond,
		}
		for range 4 {
			c.strikes.Strike(rng)
		}
		for i := range 3 {
			p := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", i+1)})
			client, rng := c.client(p, i), rand.New(rand.NewPCG(rng.Uint64(), 0))
			p.Go(func() { c.work(p, client, rng) })
		}
		at(60*time.Second, func() {}) // long enough for all to come back
	})
	if report.Failure != nil || report.Cut != "" {
		t.Fatalf("%s: %+v %s", c.name, report.Failure, report.Cut)
	}
	return c
}

// client returns an HTTP client that connects to one server after another.
func (c *chaos) client(p *sim.Process, first int) *http.Client {
	next := first
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		next++
		list := c.cluster.Addresses()
		return p.DialContext(ctx, network, list[next%len(list)], time.Second)
	}}
	c.world.OnEnd(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 3 * time.Second}
}

// work reads, writes and watches.
func (c *chaos) work(p *sim.Process, client *http.Client, rng *rand.Rand) {
	version := ""
	for i := range 40 {
		holder := fmt.Sprint(p.Name(), " ", i)
		switch rng.IntN(6) {
		case 0, 1:
			c.ask(client, http.MethodPut, "/lock", object("lock", version, holder), &version)
		case 2:
			c.ask(client, http.MethodPatch, "/lock", fmt.Sprintf(`{"spec":{"holderIdentity":%q}}`, holder), &version)
		case 3:
			c.watch(client, version)
		default:
			c.ask(client, http.MethodGet, "/lock", "", &version)
		}
		p.Clock().Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
	}
}

// ask makes a request, and notes the answer and its version.
func (c *chaos) ask(client *http.Client, method, path, body string, version *string) {
	least := c.latest
	r, _ := http.NewRequest(method, "http://kubernetes"+leases+path, strings.NewReader(body))
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	a, err := client.Do(r)
	if err != nil {
		c.tally.failed++
		return
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	switch {
	case err != nil || a.StatusCode >= 500:
		c.tally.failed++
		return
	case a.StatusCode >= 400:
		c.tally.refused++
		return
	}
	l := new(lease)
	if err := json.Unmarshal(text, l); err != nil {
		c.Errorf("%s: %s: %v", c.name, text, err)
		return
	}
	f := fact{holder: l.holder(), wrote: method != http.MethodGet}
	f.version, _ = strconv.ParseInt(l.Metadata.ResourceVersion, 10, 64)
	if f.version < least || f.wrote && f.version == least {
		c.Errorf("%s: %s answers version %d, and %d was known before", c.name, method, f.version, least)
	}
	if f.wrote {
		c.tally.written++
	} else {
		c.tally.read++
	}
	c.latest = max(c.latest, f.version)
	c.facts = append(c.facts, f)
	*version = l.Metadata.ResourceVersion
}

// watch reads the events after a version for a second: each is younger than the one before.
func (c *chaos) watch(client *http.Client, version string) {
	a, err := client.Get("http://kubernetes" + leases + "?watch=1&timeoutSeconds=1&resourceVersion=" + version)
	if err != nil {
		c.tally.failed++
		return
	}
	defer a.Body.Close()
	last, _ := strconv.ParseInt(version, 10, 64)
	for d := json.NewDecoder(a.Body); ; {
		var e struct {
			Type   string
			Object lease
		}
		if d.Decode(&e) != nil || e.Type == "ERROR" || a.StatusCode != http.StatusOK {
			return
		}
		v, _ := strconv.ParseInt(e.Object.Metadata.ResourceVersion, 10, 64)
		if v <= last {
			c.Errorf("%s: a watch gets version %d after %d", c.name, v, last)
		}
		last = v
		c.tally.events++
		c.facts = append(c.facts, fact{version: v, holder: e.Object.holder()})
	}
}

// judge compares what clients were answered with what was committed.
func (c *chaos) judge() {
	truth := newState()
	for _, x := range c.cluster.Committed() {
		truth.apply(x.operation)
	}
	holders := map[int64]string{}
	for _, made := range truth.changes {
		holders[made.revision] = made.now.holder()
	}
	wrote := map[int64]bool{}
	for _, f := range c.facts {
		if is, found := holders[f.version]; !found || is != f.holder {
			c.Errorf("%s: version %d is of %q, and a client got %q", c.name, f.version, is, f.holder)
		}
		if f.wrote && wrote[f.version] {
			c.Errorf("%s: two writes made version %d", c.name, f.version)
		}
		wrote[f.version] = wrote[f.version] || f.wrote
	}
	if !c.cluster.Healed() {
		c.Errorf("%s: it has not healed", c.name)
	}
	for _, n := range c.cluster.Nodes() {
		if n.Applied != len(c.cluster.Committed()) || n.state.revision != truth.revision || !n.cache.ready || n.cache.seen.revision != truth.revision {
			c.Errorf("%s: %s has revision %d, its cache %d; %d was committed", c.name, n.Name(), n.state.revision, n.cache.seen.revision, truth.revision)
		}
	}
	c.strikes.StepsDown(c.T, c.name, c.seen)
	for _, o := range c.seen {
		if o.Kind == model.Promoted {
			c.tally.elections++
		}
	}
}
