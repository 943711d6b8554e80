package simredis

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// realCluster is a real Redis Cluster of three shards with a replica each.
type realCluster struct {
	t     *testing.T
	nodes []*realredis.Server
	names names
}

func startRealCluster(t *testing.T, nodeTimeout time.Duration) *realCluster {
	c := &realCluster{t: t, nodes: realredis.StartCluster(t, 3, 1, "--cluster-node-timeout", strconv.FormatInt(nodeTimeout.Milliseconds(), 10)).Nodes}
	for _, n := range c.nodes {
		w := c.dial(n)
		c.names.ids = append(c.names.ids, strings.Fields(w.do("CLUSTER", "MYID"))[1])
		c.names.addresses = append(c.names.addresses, n.Addr)
		_ = w.c.Close()
	}
	return c
}

func (c *realCluster) dial(n *realredis.Server) *wire {
	conn, err := net.Dial("tcp", n.Addr)
	if err != nil {
		c.t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return newWire(c.t, conn)
}

// reset makes the cluster as new: without keys and scripts, and with its slots where they were.
func (c *realCluster) reset(slots []int) {
	for i := 0; i < len(c.nodes); i += 2 {
		w := c.dial(c.nodes[i])
		w.want("+OK\r\n", "FLUSHALL")
		w.want("+OK\r\n", "SCRIPT", "FLUSH")
		for _, slot := range slots {
			w.want("+OK\r\n", "CLUSTER", "SETSLOT", strconv.Itoa(slot), "STABLE")
		}
		_ = w.c.Close()
	}
	for _, slot := range slots {
		c.giveBack(slot)
	}
}

// giveBack gives a slot to the node that had it at first.
func (c *realCluster) giveBack(slot int) {
	home := 0
	for slot >= firstSlot(home+1, 3) {
		home++
	}
	w := c.dial(c.nodes[2*home])
	defer w.c.Close()
	moved := strings.HasPrefix(w.do("CLUSTER", "SETSLOT", strconv.Itoa(slot), "IMPORTING", c.names.ids[(2*home+2)%6]), "+")
	if moved {
		w.want("+OK\r\n", "CLUSTER", "SETSLOT", strconv.Itoa(slot), "NODE", c.names.ids[2*home])
		c.settle()
	}
}

// settle waits until all nodes agree, and all replicas have what their masters have.
func (c *realCluster) settle() {
	owners := func(n *realredis.Server) string {
		w := c.dial(n)
		defer w.c.Close()
		var lines []string
		for line := range strings.Lines(w.do("CLUSTER", "NODES")) {
			if f := strings.Fields(line); len(f) > 7 {
				lines = append(lines, f[0]+fmt.Sprint(slices.DeleteFunc(f[8:], func(s string) bool { return s[0] == '[' })))
			}
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	for range 100 {
		views := map[string]bool{}
		for _, n := range c.nodes {
			views[owners(n)] = true
		}
		if len(views) == 1 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	for i := 0; i < len(c.nodes); i += 2 {
		w := c.dial(c.nodes[i])
		w.do("PING")
		w.want(":1\r\n", "WAIT", "1", "10000") // for all that was written before the PING
		_ = w.c.Close()
	}
	time.Sleep(20 * time.Millisecond)
}

// replay runs the steps, and closes all connections.
func (c *realCluster) replay(steps []clusterStep) []string {
	var wires []*wire
	replies := replayCluster(steps, c.names, func(node int) *wire {
		w := c.dial(c.nodes[node])
		wires = append(wires, w)
		return w
	}, c.settle)
	for _, w := range wires {
		_ = w.c.Close()
	}
	return replies
}

// compare runs the steps on both and returns the first difference. The slots are those that the steps touch.
func (c *realCluster) compare(steps []clusterStep, slots ...int) string {
	c.t.Helper()
	c.reset(slots)
	defer c.reset(slots)
	began := time.Now()
	want := c.replay(steps)
	took := time.Since(began) + 5*time.Second // the simulated one is faster
	got := simulatedCluster(c.t, steps)
	for i, s := range steps {
		if alikeInCluster(s.words, got[i], want[i], took) {
			continue
		}
		var story strings.Builder
		for j := max(0, i-80); j <= i; j++ {
			fmt.Fprintf(&story, "%v\n   %q\n", steps[j], got[j])
		}
		return fmt.Sprintf("%s   but Redis %q", story.String(), want[i])
	}
	return ""
}

// unlike are the parts of replies that differ by nature: times, offsets, epochs and versions.
var unlike = []struct{ words, pattern, put string }{
	{`^CLUSTER (NODES|REPLICAS|SLAVES)`, ` \d+ \d+ (\d+) (connected|disconnected)`, " T T E $2"},
	{`^CLUSTER (NODES|REPLICAS|SLAVES)`, `@\d+`, "@B"},
	{`^CLUSTER NODES`, `txt:`, ""}, // of the first line, whichever that is
	{`^CLUSTER (NODES|INFO)`, `^[$=]\d+\r\n`, "$$N\r\n"},
	{`^CLUSTER (REPLICAS|SLAVES)`, `\$\d+\r\n`, "$$N\r\n"},
	{`^CLUSTER INFO`, `epoch:\d+`, "epoch:E"},
	{`^CLUSTER BUMPEPOCH`, `\d+`, "E"},
	{`^CLUSTER INFO`, `(?s)cluster_stats.*`, ""},
	{`^CLUSTER INFO`, `(\r\n)+$`, ""},
	{`^CLUSTER SHARDS`, `replication-offset\r\n:\d+`, "replication-offset :N"},
	{`^CLUSTER (SHARDS|SLOTS)`, `\$\d+\r\n(127\.0\.0\.1|10\.0\.\d\.\d)\r\n`, "HOST "},
	{`^CLUSTER (SHARDS|SLOTS)`, `:\d{4,5}\r\n(\$)`, "PORT "},
}

// alikeInCluster reports whether the replies are the same, as far as they have to be.
func alikeInCluster(words []string, got, want string, took time.Duration) bool {
	line := strings.ToUpper(strings.Join(words, " "))
	for _, u := range unlike {
		if matches(u.words, line) {
			got = regexp.MustCompile(u.pattern).ReplaceAllString(got, u.put)
			want = regexp.MustCompile(u.pattern).ReplaceAllString(want, u.put)
		}
	}
	switch {
	case matches(`^CLUSTER NODES`, line):
		return sortedLines(got) == sortedLines(want)
	case matches(`^CLUSTER GETKEYSINSLOT`, line):
		return sortedItems(got, 1) == sortedItems(want, 1)
	case matches(`^CLUSTER SHARDS`, line):
		return sortedShards(got) == sortedShards(want)
	}
	return alike(words, got, want, took)
}

func sortedLines(s string) string {
	lines := slices.Sorted(strings.Lines(s))
	return strings.Join(lines, "")
}

// sortedShards puts the shards of CLUSTER SHARDS into an order, which Redis takes from a dictionary, and the nodes of each.
func sortedShards(s string) string {
	shards := strings.Split(s, "$5\r\nslots\r\n")
	for i, shard := range shards {
		nodes := strings.Split(shard, "$2\r\nid\r\n")
		slices.Sort(nodes[1:])
		for j, n := range nodes {
			nodes[j] = strings.TrimRight(n, "*%0123456789\r\n") // what begins the next one
		}
		shards[i] = strings.Join(nodes, "\n")
	}
	slices.Sort(shards[1:])
	return strings.Join(shards, "\n")
}

// parseClusterSteps reads a script: "2.1> GET k" is a command of node 2 by its connection 1, "2> " the same by connection 0. The node of a
// line without one is that of the line before.
func parseClusterSteps(script string) (steps []clusterStep) {
	var at clusterStep
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if head, rest, ok := strings.Cut(line, "> "); ok && len(head) <= 3 {
			node, conn, _ := strings.Cut(head, ".")
			at.node, _ = strconv.Atoi(node)
			at.conn, _ = strconv.Atoi(conn)
			line = rest
		}
		for _, s := range parseSteps(line) {
			steps = append(steps, clusterStep{at.node, at.conn, s.words})
		}
	}
	return steps
}

func TestClusterFidelity(t *testing.T) {
	real := startRealCluster(t, 5*time.Second)
	for _, c := range clusterTable {
		t.Run(c.name, func(t *testing.T) {
			if d := real.compare(parseClusterSteps(c.script), c.slots...); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("positions", func(t *testing.T) { testPositions(t, real) })
	t.Run("client", func(t *testing.T) { testClientFidelity(t, real) })
	t.Run("random", func(t *testing.T) { testRandomCluster(t, real) })
}

// testPositions compares what COMMAND reports of each command, up to its categories, and the keys that COMMAND GETKEYS finds.
func testPositions(t *testing.T, real *realCluster) {
	w := real.dial(real.nodes[0])
	var names []string
	for name := range specs { // unordered: sorted below
		if notInReal[name] == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var steps []clusterStep
	for _, name := range names {
		steps = append(steps, clusterStep{0, 0, []string{"COMMAND", "INFO", name}})
	}
	for _, proto := range []string{"2", "3"} {
		w.do("HELLO", proto)
		got := simulatedCluster(t, append([]clusterStep{{0, 0, []string{"HELLO", proto}}}, steps...))[1:]
		for i, name := range names {
			want := w.do("COMMAND", "INFO", name)
			if head, _, _ := strings.Cut(want, "+@"); !strings.HasPrefix(head, got[i][:strings.LastIndex(got[i], ":")+4]) {
				t.Errorf("%s is %q, but Redis %q", name, got[i], head)
			}
		}
	}
}
