package simredis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

// TestProperties does random things to a cluster: commands, also from scripts
// and in transactions, to any node; crashes, promotions, returns; clocks that
// jump, cuts between nodes. After each of them must hold what [auditor.check]
// says, and once all has healed every replica has what the primary has.
func TestProperties(t *testing.T) {
	const most = 20 // rounds, if the rare things do not happen
	happened := map[string]int{}
	missing := func() string {
		for _, kind := range kinds { // or the test has shown nothing
			if happened[kind] == 0 {
				return kind
			}
		}
		return ""
	}
	for round := 0; round < rounds() || round < most && missing() != ""; round++ {
		rapid.Check(t, func(rt *rapid.T) { checkPlan(rt, happened) })
	}
	if kind := missing(); kind != "" {
		t.Errorf("%q never happened", kind)
	}
}

// checkPlan draws a plan and carries it out.
func checkPlan(rt *rapid.T, happened map[string]int) {
	plan := rapid.SliceOfN(rapid.Custom(drawAction), 5, 60).Draw(rt, "plan")
	var a *auditor
	play(rt, Options{Replicas: nodes - 1}, func(x *player) {
		a = newAuditor(x)
		for _, action := range plan {
			if a.perform(action) {
				happened[action.kind]++
			}
			if x.conduct(a.check); a.wrong != "" {
				a.wrong += fmt.Sprintf("\nafter %+v", action)
				return
			}
		}
		a.heal()
		x.conduct(a.check)
		x.conduct(a.checkHealed)
	})
	if a.wrong != "" {
		rt.Fatal(a.wrong)
	}
}

const nodes = 3

// action is one thing that is done to a cluster; node and other are from 1.
type action struct {
	kind        string
	node, other int
	words       []string
	by          time.Duration
}

// kinds of actions, the more frequent ones more often.
var kinds = []string{
	"command", "command", "command", "command", "command", "command", "write", "write",
	"script", "transaction", "pass", "pass", "crash", "promote", "promote", "rejoin", "rejoin", "restart", "restart", "jump", "cut", "heal",
}

func drawAction(rt *rapid.T) action {
	a := action{
		kind:  rapid.SampledFrom(kinds).Draw(rt, "kind"),
		node:  rapid.IntRange(1, nodes).Draw(rt, "node"),
		other: rapid.IntRange(1, nodes).Draw(rt, "other"),
	}
	switch a.kind {
	case "command", "script", "transaction":
		a.words = drawCommand(rt, changing())
	case "pass":
		a.by = time.Duration(rapid.SampledFrom([]int{0, 1, 30, 400, 60_000}).Draw(rt, "ms")) * ms
	case "jump":
		a.by = time.Duration(rapid.SampledFrom([]int{-70_000, -5, 1, 900, 70_000}).Draw(rt, "ms")) * ms
	}
	return a
}

// changing are commands that change something; some keys of theirs expire
// while the plan runs.
var changing = sync.OnceValue(func() []string {
	return slices.DeleteFunc(append(strings.Split(`SET K V PX 1
SET K V PX 50
SET K V PX 500
PEXPIRE K 20
PEXPIRE K 60000
FLUSHALL
SPOP K
RPUSH K V V V
SADD K V V V
HSET K V V V V
ZADD K 1 V 2 V`, "\n"), forms...), func(form string) bool {
		name, _, _ := strings.Cut(form, " ")
		return !specs[strings.ToLower(name)].write
	})
})

// auditor watches a cluster.
type auditor struct {
	*player
	wires  map[int]*wire
	writes int
	wrong  string // the first thing that is not as it should be

	log    map[string]map[string]model.Observation // by node and key: what its observations come to
	logged int                                     // observations entered into the log
	moved  map[*Node]bool                          // its clock has jumped

	following map[*Node]position
	states    map[*Node]map[int64]string // of a primary, by its offset
	replies   []reply
}

// position is a place in a replication stream.
type position struct {
	source *Node
	offset int64
}

// reply is an acknowledged write of a key that nobody else writes.
type reply struct {
	key  string
	node *Node
	at   int64
}

func newAuditor(x *player) *auditor {
	return &auditor{
		player: x, wires: map[int]*wire{}, log: map[string]map[string]model.Observation{}, moved: map[*Node]bool{},
		following: map[*Node]position{}, states: map[*Node]map[int64]string{},
	}
}

func (a *auditor) fail(format string, args ...any) {
	if a.wrong == "" {
		a.wrong = fmt.Sprintf(format, args...)
	}
}

// perform reports whether the action could be done.
func (a *auditor) perform(act action) (done bool) {
	switch act.kind {
	case "command":
		return a.send(act.node, act.words)
	case "script":
		return a.send(act.node, append([]string{"EVAL", "redis.call('incr', 'n') redis.pcall(unpack(ARGV)) redis.call('sadd', 'm', redis.call('get', 'n')) return redis.call(unpack(ARGV))", "0"}, act.words...))
	case "transaction":
		return a.send(act.node, []string{"MULTI"}) && a.send(act.node, act.words) && a.send(act.node, []string{"INCR", "n"}) && a.send(act.node, act.words) && a.send(act.node, []string{"EXEC"})
	case "write":
		return a.write(act.node)
	case "pass":
		a.pass(act.by)
		return true
	case "jump":
		a.jump(act.node, act.by)
		a.conduct(func(n []*Node) { a.moved[n[act.node-1]] = true })
		return true
	case "cut":
		a.cut(act.node, act.other)
		return true
	case "heal":
		a.player.heal(act.node, act.other)
		return true
	}
	a.conduct(func(n []*Node) {
		node := n[act.node-1]
		switch act.kind {
		case "crash":
			done = !node.Down()
			node.Crash()
		case "promote":
			done = a.promote(node)
		case "rejoin":
			done = node.cluster.Rejoin(node) == nil
		case "restart":
			done = a.restart(node, Kept(act.other-1))
		}
	})
	return done
}

// send sends a command to a node, if it is up.
func (a *auditor) send(node int, words []string) bool {
	for range 2 {
		if a.wires[node] == nil {
			c, err := a.tryDial(a.cluster.Nodes()[node-1].Address())
			if err != nil {
				return false
			}
			a.wires[node] = newWire(a.t, c)
		}
		if !strings.HasPrefix(a.wires[node].do(words...), "(") {
			return true
		}
		a.wires[node] = nil
	}
	return false
}

// write writes a key of its own and notes how far the primary had got when
// the client knew of it.
func (a *auditor) write(node int) (done bool) {
	a.writes++
	key := fmt.Sprintf("own%d", a.writes)
	if !a.send(node, []string{"SET", key, "v"}) {
		return false
	}
	a.conduct(func(n []*Node) {
		if primary := n[node-1]; primary.data[key] != nil && primary.IsPrimary() {
			a.replies = append(a.replies, reply{key, primary, primary.Position})
			done = true
		}
	})
	return done
}

// promote promotes a node, if that can be done. It has to keep what it had.
func (a *auditor) promote(n *Node) bool {
	before, source, offset, synced := n.data.clone(), n.Source(), n.Position, !n.Copying()
	if n.cluster.Promote(n) != nil {
		return false
	}
	now := n.now()
	for key, e := range before {
		if kept := n.data[key]; !e.hidden && !e.expired(now) && (kept == nil || !kept.same(e) || !kept.expires.Equal(e.expires)) {
			a.fail("%s lost %s in its promotion", n.Name(), key)
		}
	}
	for _, r := range a.replies {
		if synced && r.node == source && r.at <= offset && n.data[r.key] == nil && !a.deleted(r.key) {
			a.fail("%s was acknowledged by %s at %d and is not on %s, which had %d when it was promoted", r.key, r.node.Name(), r.at, n.Name(), offset)
		}
	}
	a.replies = slices.DeleteFunc(a.replies, func(r reply) bool { return r.node == n })
	delete(a.states, n)
	return true
}

// restart starts a node that is down. A primary may have lost what it had
// acknowledged.
func (a *auditor) restart(n *Node, k Kept) bool {
	primary := n == n.cluster.Primary()
	before := n.data.clone()
	if n.cluster.Restart(n, k) != nil {
		return false
	}
	if !primary {
		return true
	}
	now := n.now()
	for key, e := range before {
		if kept := n.data[key]; k == KeptAll && !e.expired(now) && (kept == nil || !kept.same(e)) {
			a.fail("%s lost %s in its restart", n.Name(), key)
		}
	}
	if k == KeptNothing && len(n.data) > 0 {
		a.fail("%s is not empty after its restart", n.Name())
	}
	a.replies = slices.DeleteFunc(a.replies, func(r reply) bool { return r.node == n })
	delete(a.states, n)
	return true
}

// deleted reports whether somebody has deleted a key, as FLUSHALL does.
func (a *auditor) deleted(key string) bool {
	return slices.ContainsFunc(a.seen, func(o model.Observation) bool { return o.Key == key && o.Kind == model.RecordDeleted })
}

// heal ends all that is wrong and lets everything arrive.
func (a *auditor) heal() {
	for from := range nodes {
		for to := range nodes {
			a.player.heal(from+1, to+1)
		}
	}
	a.conduct(func(n []*Node) {
		c := n[0].cluster
		for _, node := range n {
			if c.Primary().Down() && !node.Down() && !node.IsPrimary() {
				a.promote(node)
			}
		}
		if c.Primary().Down() { // nobody is left: it comes back by way of another's crash
			return
		}
		for _, node := range n {
			if node != c.Primary() && (node.Down() || node.IsPrimary() || node.Source() != c.Primary()) {
				if err := c.Rejoin(node); err != nil {
					a.fail("%v", err)
				}
			}
		}
	})
	for quiet := false; !quiet; { // a key may expire just now
		a.settle()
		a.conduct(func(n []*Node) {
			quiet = !slices.ContainsFunc(n, func(node *Node) bool { return node.Lag() != 0 })
		})
	}
}

// check holds the nodes to what must be true at any time.
func (a *auditor) check(n []*Node) {
	a.replay()
	for _, node := range n {
		a.checkLog(node)
		a.checkEngine(node)
		a.checkStream(node)
	}
}

// replay enters new observations into the log.
func (a *auditor) replay() {
	for _, o := range a.seen[a.logged:] {
		if a.log[o.Node] == nil {
			a.log[o.Node] = map[string]model.Observation{}
		}
		state := a.log[o.Node]
		_, there := state[o.Key]
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged:
			if there != (o.Kind == model.RecordChanged) {
				a.fail("%s: %s, though it was there: %v", o.Node, short(o), there)
			}
			if there && state[o.Key].Owner != o.OldOwner {
				a.fail("%s: %s, but the owner was %+v", o.Node, short(o), state[o.Key].Owner)
			}
			state[o.Key] = o
		case model.RecordExpired, model.RecordDeleted, model.RecordDropped:
			if !there || state[o.Key].Value != o.Value || state[o.Key].Owner != o.Owner {
				a.fail("%s: %s, but it was %+v", o.Node, short(o), state[o.Key])
			}
			delete(state, o.Key)
		}
	}
	a.logged = len(a.seen)
}

// checkLog: the observations of a node come to exactly the keys that it shows.
func (a *auditor) checkLog(n *Node) {
	state := a.log[n.Name()]
	if got, want := slices.Sorted(maps.Keys(state)), n.visible(); !slices.Equal(got, want) {
		a.fail("the observations of %s come to %q, but it has %q", n.Name(), got, want)
		return
	}
	for key, o := range state {
		e := n.data[key]
		if o.Value != e.value.String() || o.Owner != e.owner {
			a.fail("%s has %s=%s of %+v, observed %+v", n.Name(), key, e.value, e.owner, o)
		}
		var at time.Duration
		if g := e.gone(); !g.IsZero() && g.Sub(n.now()) < never {
			at = n.clock.When(g)
		}
		if !a.moved[n] && o.ExpiresAt != at {
			a.fail("%s on %s is gone at %v, observed %v", key, n.Name(), at, o.ExpiresAt)
		}
	}
}

// checkEngine: the engine has what the node shows.
func (a *auditor) checkEngine(n *Node) {
	if n.engine == nil {
		return
	}
	if got, want := n.engine.DB(0).Keys(), n.visible(); !slices.Equal(got, want) {
		a.fail("the engine of %s has %q, the node %q", n.Name(), got, want)
		return
	}
	for _, key := range n.visible() {
		if got, want := n.read(key), n.data[key].value; !got.equal(want) {
			a.fail("the engine of %s has %s=%v, the node %v", n.Name(), key, got, want)
		}
	}
}

// checkStream: a replica goes forward in its source's stream, is never ahead of it, and has
// at any offset what the source had there.
func (a *auditor) checkStream(n *Node) {
	if n.IsPrimary() && !n.Down() {
		if a.states[n] == nil {
			a.states[n] = map[int64]string{}
		}
		a.states[n][n.Position] = picture(n)
		delete(a.following, n)
		return
	}
	before := a.following[n]
	delete(a.following, n)
	if n.Source() == nil || n.Copying() {
		return
	}
	a.following[n] = position{n.Source(), n.Position}
	if before.source == n.Source() && n.Position < before.offset || n.Position > n.Source().Position || n.Lag() < 0 {
		a.fail("%s was at %+v and is at %d, its source at %d", n.Name(), before, n.Position, n.Source().Position)
	}
	if want, known := a.states[n.Source()][n.Position]; known && picture(n) != want {
		a.fail("%s has at %d\n%s\nits source had\n%s", n.Name(), n.Position, picture(n), want)
	}
}

// picture is all that a node has, also what it hides.
func picture(n *Node) string {
	var b strings.Builder
	for _, key := range n.data.keys() {
		e := n.data[key]
		fmt.Fprintf(&b, "%s=%s until %d of %+v\n", key, e.value, e.expires.UnixMilli(), e.owner)
	}
	return b.String()
}

// checkHealed: once everything has arrived the replicas have what the primary has.
func (a *auditor) checkHealed(n []*Node) {
	primary := n[0].cluster.Primary()
	if primary.Down() {
		return
	}
	for _, node := range n {
		if node != primary && (node.Lag() != 0 || node.Down() || node.IsPrimary()) {
			a.fail("%s has a lag of %d after everything has healed (down: %v, primary: %v)", node.Name(), node.Lag(), node.Down(), node.IsPrimary())
		}
		if got, want := picture(node), picture(primary); got != want {
			a.fail("%s has\n%s\nthe primary\n%s", node.Name(), got, want)
		}
	}
}
