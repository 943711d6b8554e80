package simredis

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// someClusterKey is a key of one of three slots, of which each node has one, or of another slot.
var someClusterKey = rapid.SampledFrom([]string{"{a}1", "{a}2", "{a}3", "{b}1", "{b}2", "{b}3", "{c}1", "{c}2", "b", "foo", "{b", ""})

// neighbours are keys of one slot each.
var neighbours = map[string]*rapid.Generator[string]{
	"a": rapid.SampledFrom([]string{"{a}1", "{a}2", "{a}3"}), "b": rapid.SampledFrom([]string{"{b}1", "{b}2", "{b}3"}),
	"c": rapid.SampledFrom([]string{"{c}1", "{c}2"}),
}

// admin is the connection of commands that move slots, which has no transaction: a MIGRATE in one is not simulated.
const admin = 2

// taggedSlots are the slots of these keys, which move in the random scripts.
var taggedSlots = []int{15495, 3300, 7365}

// soonExpired are forms of commands after which a key expires soon, or has expired: Redis counts it until it finds that.
var soonExpired = []string{"SET K V PXAT 1", "SET K V EX N", "SETEX K N V", "EXPIRE K N"}

// clusterScript draws a random script of commands to the nodes of a cluster.
type clusterScript struct {
	rt     *rapid.T
	forms  []string
	owners map[int]int // the nodes that have the tagged slots
	steps  []clusterStep
}

func (d *clusterScript) add(node, conn int, words ...string) {
	d.steps = append(d.steps, clusterStep{node, conn, words})
}

// master draws the number of a master.
func (d *clusterScript) master() int { return 2 * rapid.IntRange(0, 2).Draw(d.rt, "master") }

// command draws a command whose keys are mostly of one slot.
func (d *clusterScript) command() []string {
	words := strings.Fields(rapid.SampledFrom(d.forms).Draw(d.rt, "form"))
	keys := someClusterKey
	if tag := rapid.SampledFrom([]string{"a", "b", "c", ""}).Draw(d.rt, "tag"); tag != "" {
		keys = neighbours[tag]
	}
	for i, w := range words {
		if g := fillings[w]; w == "K" {
			words[i] = keys.Draw(d.rt, w)
		} else if g != nil {
			words[i] = g.Draw(d.rt, w)
		}
	}
	return words
}

// owner is the node that serves the slot of a command's keys, mostly; any master else.
func (d *clusterScript) nodeFor(words []string) int {
	if s, _ := find(words); s != nil && rapid.IntRange(0, 4).Draw(d.rt, "astray") > 0 {
		for _, key := range s.keysOf(words[1:]) {
			slot := Slot(key)
			if owner, tagged := d.owners[slot]; tagged {
				return owner
			}
			for shard := range 3 {
				if slot < firstSlot(shard+1, 3) {
					return 2 * shard
				}
			}
		}
	}
	return d.master()
}

// draw adds one step, or a few that belong together.
func (d *clusterScript) draw() {
	conn := rapid.IntRange(0, 1).Draw(d.rt, "conn")
	words := d.command()
	node := d.nodeFor(words)
	slot := rapid.SampledFrom(taggedSlots).Draw(d.rt, "slot")
	switch rapid.IntRange(0, 23).Draw(d.rt, "how") {
	case 0:
		d.add(node, conn, append([]string{"EVAL", "return redis.call(unpack(ARGV))", "0"}, words...)...)
	case 1:
		d.add(node, conn, append([]string{"EVAL", "return {redis.pcall(unpack(ARGV)), redis.pcall('incr', KEYS[1])}", "1", someClusterKey.Draw(d.rt, "declared")}, words...)...)
	case 2, 3:
		d.add(node, conn, "MULTI")
		d.add(node, conn, words...)
	case 4, 5:
		d.add(node, conn, "EXEC")
	case 6:
		d.add(node, conn, rapid.SampledFrom([]string{"DISCARD", "UNWATCH"}).Draw(d.rt, "end"))
	case 7:
		d.add(node, conn, "WATCH", someClusterKey.Draw(d.rt, "watched"))
	case 8, 9, 10:
		node = d.master()
		d.add(node, conn, "ASKING")
		d.add(node, conn, words...)
	case 11:
		d.replica(words, conn)
	case 12, 13:
		d.open(slot)
	case 14, 15:
		d.migrate(slot)
	case 16:
		d.move(slot)
	case 17:
		d.ask(slot)
	default:
		d.add(node, conn, words...)
	}
}

// replica reads from a replica that has all of its master's data.
func (d *clusterScript) replica(words []string, conn int) {
	node := d.master() + 1
	d.add(0, 0, settled)
	d.add(node, conn, rapid.SampledFrom([]string{"READONLY", "READWRITE", "PING"}).Draw(d.rt, "mode"))
	d.add(node, conn, words...)
}

// open opens a slot at one node, or closes it again.
func (d *clusterScript) open(slot int) {
	at := strconv.Itoa(slot)
	other := "ID" + strconv.Itoa(rapid.IntRange(0, 5).Draw(d.rt, "other"))
	switch rapid.IntRange(0, 4).Draw(d.rt, "action") {
	case 0, 1:
		d.add(d.owners[slot], admin, "CLUSTER", "SETSLOT", at, "MIGRATING", other)
	case 2, 3:
		d.add(d.master(), admin, "CLUSTER", "SETSLOT", at, "IMPORTING", other)
	default:
		d.add(d.master(), admin, "CLUSTER", "SETSLOT", at, "STABLE")
	}
}

// migrate sends keys from one node to another.
func (d *clusterScript) migrate(slot int) {
	tag := []string{"a", "b", "c"}[slices.Index(taggedSlots, slot)]
	from, to := d.owners[slot], strconv.Itoa(rapid.IntRange(0, 5).Draw(d.rt, "target"))
	if to == strconv.Itoa(from) {
		return // a node that sends to itself hangs
	}
	words := []string{"MIGRATE", "HOST" + to, "PORT" + to, neighbours[tag].Draw(d.rt, "key"), "0", "5000"}
	words = append(words, [][]string{nil, {"COPY"}, {"REPLACE"}, {"COPY", "REPLACE"}}[rapid.IntRange(0, 3).Draw(d.rt, "options")]...)
	if rapid.Bool().Draw(d.rt, "several") {
		words[3] = ""
		words = append(words, "KEYS", neighbours[tag].Draw(d.rt, "first"), neighbours[tag].Draw(d.rt, "second"))
	}
	d.add(from, admin, words...)
}

// move moves a slot. Keys that were not sent are lost.
func (d *clusterScript) move(slot int) {
	at, from := strconv.Itoa(slot), d.owners[slot]
	to := d.master()
	if to == from {
		return
	}
	id := "ID" + strconv.Itoa(to)
	d.add(from, admin, "CLUSTER", "SETSLOT", at, "MIGRATING", id)
	d.add(to, admin, "CLUSTER", "SETSLOT", at, "IMPORTING", "ID"+strconv.Itoa(from))
	d.owners[slot] = from
	for range rapid.IntRange(0, 2).Draw(d.rt, "moved") {
		d.migrate(slot)
	}
	for master := range 3 { // the third one must not be importing it: it would not hear of the new owner
		if 2*master != to {
			d.add(2*master, admin, "CLUSTER", "SETSLOT", at, "STABLE")
		}
	}
	tag := []string{"{a}", "{b}", "{c}"}[slices.Index(taggedSlots, slot)]
	d.add(from, admin, "DEL", tag+"1", tag+"2", tag+"3") // of those left behind Redis 7.0 tells no replica
	d.add(to, admin, "CLUSTER", "SETSLOT", at, "NODE", id)
	d.add(0, 0, settled)
	d.owners[slot] = to
}

// ask asks a node for what it knows of a slot.
func (d *clusterScript) ask(slot int) {
	node, at := rapid.IntRange(0, 5).Draw(d.rt, "node"), strconv.Itoa(slot)
	if node%2 == 1 {
		d.add(0, 0, settled)
	}
	d.add(node, admin, [][]string{
		{"CLUSTER", "COUNTKEYSINSLOT", at}, {"CLUSTER", "GETKEYSINSLOT", at, "10"}, {"CLUSTER", "SLOTS"}, {"CLUSTER", "NODES"},
		{"CLUSTER", "KEYSLOT", someClusterKey.Draw(d.rt, "key")},
	}[rapid.IntRange(0, 4).Draw(d.rt, "question")]...)
}

// testRandomCluster runs random scripts of keys, and of slots that move, against both. Without -short it runs some ten thousand commands,
// with LOCKPICK_LONG a hundred thousand.
func testRandomCluster(t *testing.T, real *realCluster) {
	ordered := slices.DeleteFunc(slices.Clone(forms), func(form string) bool {
		name, _, _ := strings.Cut(form, " ")
		return slices.Contains(strings.Fields("SMEMBERS SUNION SINTER SDIFF HKEYS HVALS HGETALL TTL PTTL KEYS"), name) ||
			slices.Contains(soonExpired, form)
	})
	commands := 0
	property := func(rt *rapid.T) {
		d := &clusterScript{rt: rt, forms: ordered, owners: map[int]int{15495: 4, 3300: 0, 7365: 2}}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			d.draw()
		}
		commands += len(d.steps)
		if difference := real.compare(d.steps, taggedSlots...); difference != "" {
			rt.Fatal(difference)
		}
	}
	most := 10_000
	switch {
	case os.Getenv("LOCKPICK_LONG") != "":
		most = 100_000
	case testing.Short():
		most = 1
	}
	for commands < most && !t.Failed() {
		rapid.Check(t, property)
	}
	t.Logf("%d commands", commands)
}
