package simredis

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis/internal/sentinel"
)

// Sentinels describes the sentinels of a cluster. Package sentinel has their rules.
type Sentinels struct {
	// Count is the number of sentinels (default 3), and Quorum the number of them that must
	// agree that the primary is down (default: a majority).
	Count, Quorum int
	// Name is the prefix of their names (default "sentinel"); they are numbered from 1.
	Name string
	// Second is the unit of Sentinel's fixed times (default 1 s).
	Second time.Duration
	// DownAfter is down-after-milliseconds (default one Second), and FailoverTimeout is
	// failover-timeout (default five).
	DownAfter, FailoverTimeout time.Duration
}

// IsTimer reports whether decisions of a kind are about the delay of a timer: of a sentinel, of a node
// of a Redis Cluster, or of a primary whose replicas are silent.
func IsTimer(k sim.Kind) bool {
	return k == sentinel.Timer || k == LagTimer || k != busResume && strings.HasPrefix(string(k), "fault:bus-")
}

// masterName is the name by which sentinels know the primary.
const masterName = "mymaster"

func (o *Sentinels) setDefaults() {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	if o.Count == 0 {
		o.Count = 3
	}
	if o.Quorum == 0 {
		o.Quorum = o.Count/2 + 1
	}
	if o.Name == "" {
		o.Name = "sentinel"
	}
	set(&o.Second, time.Second)
	set(&o.DownAfter, o.Second)
	set(&o.FailoverTimeout, 5*o.DownAfter)
}

// watch has the sentinels of a cluster.
type watch struct {
	*sentinel.Group[*Node]
	rules   sentinel.Rules
	list    []*Sentinel
	by      map[*sentinel.Sentinel[*Node]]*Sentinel
	cluster *Cluster
	observe func(model.Observation)
}

// newWatch adds sentinels to a cluster that has its nodes.
func newWatch(c *Cluster, o Sentinels, observe func(model.Observation)) *watch {
	o.setDefaults()
	s := &watch{cluster: c, observe: observe, by: map[*sentinel.Sentinel[*Node]]*Sentinel{}, rules: sentinel.Rules{
		Master: masterName, Quorum: o.Quorum, Second: o.Second, DownAfter: o.DownAfter, FailoverTimeout: o.FailoverTimeout,
	}}
	s.Group = sentinel.NewGroup(c.world, s.rules, s.published)
	for i, n := range c.Nodes() {
		if i > 0 {
			n.follows = c.Primary()
		}
		s.Watch(n, n.Host)
	}
	for i := range o.Count {
		s.list = append(s.list, newSentinel(s, o.Name+strconv.Itoa(i+1), c.options.Subnet+"."+strconv.Itoa(50+i+1)+":26379"))
	}
	return s
}

// Sentinels returns the cluster's sentinels, if it has any.
func (c *Cluster) Sentinels() []*Sentinel {
	if c.sentinels == nil {
		return nil
	}
	return c.sentinels.list
}

// Contested reports whether a sentinel takes the primary for down, and no sentinel has the votes to replace
// it yet.
func (c *Cluster) Contested() bool { return c.sentinels != nil && c.sentinels.Contested() }

// Contest makes all sentinels that find the primary objectively down ask for votes at the same moment, the
// next time that one of them would.
func (c *Cluster) Contest() { c.sentinels.Contest() }

// changed lets the sentinels look at the nodes again.
func (c *Cluster) changed() {
	c.changedLinks()
	if c.sentinels != nil {
		c.sentinels.Changed()
	}
}

// published delivers an event of a sentinel to its subscribers, and shows it to the reader.
func (s *watch) published(from *sentinel.Sentinel[*Node], event, about string) {
	x := s.by[from]
	if note := noteOf(event); note != nil {
		s.observe(x.Logged(model.Observation{Kind: model.Noted, Note: note}))
	}
	x.publish(event, about)
}

// noteOf returns the note that shows an event to the reader, nil for those that matter to sentinels alone.
func noteOf(event string) *model.Note {
	says, shown := eventWords[event]
	if !shown {
		return nil
	}
	return &model.Note{
		Event: event, Place: model.PlaceStrip, Mark: says.mark,
		Text: "{node} " + says.text, Title: "{node} " + says.text, Label: says.label, Short: says.label,
	}
}

// eventWords are the events that are shown to the reader.
var eventWords = map[string]struct {
	mark        model.Mark
	text, label string
}{
	"+odown":                      {"", "and others take the {serving} for down", "{serving} down"},
	"+elected-leader":             {"", "leads the failover", "leads"},
	"-failover-abort-not-elected": {model.MarkCross, "does not get the votes to lead a failover", "not elected"},
	"+switch-master":              {model.MarkBell, "tells its clients of the new {serving}", "new {serving}"},
	"+convert-to-slave":           {"", "makes the old {serving} a {follower}", "converts"},
	"+tilt":                       {model.MarkCross, "was stopped, and acts on nothing for a while", "tilt"},
}

// restart brings a crashed node back in its old role, and lets its replicas follow it again.
func (s *watch) restart(n *Node, up func()) error {
	up()
	if !n.IsPrimary() {
		n.resync(n.follows)
	}
	for _, other := range s.cluster.Nodes() {
		if other != n && other.follows == n && !other.IsPrimary() && !other.Down() {
			other.resync(n)
		}
	}
	s.Changed()
	return nil
}

// RunID returns the node's run id, 40 hexadecimal digits.
func (n *Node) RunID() string { return runID(n.Name()) }

// runID makes a run id of a name.
func runID(name string) string {
	sum := sha1.Sum([]byte(name))
	return hex.EncodeToString(sum[:])
}

// Elect makes the node a primary, by order of the sentinel that leads the failover of the epoch,
// and disconnects its clients.
func (n *Node) Elect(epoch int64) {
	if n.Down() {
		return
	}
	was := n.IsPrimary()
	n.follows = nil
	n.cluster.Elect(n.part, epoch, n.promoted)
	if !was {
		n.disconnect()
	}
}

// Follow makes the node a replica of another, by order of a sentinel, and disconnects its clients.
func (n *Node) Follow(source *Node) {
	if n.Down() || n == source || n.Source() == source {
		return
	}
	wasPrimary := n.IsPrimary()
	if n == n.cluster.Primary() && source.IsPrimary() {
		n.cluster.Reinstate(source.part) // the sentinel that promoted the node ended before it announced that
	}
	n.follow(source)
	if !wasPrimary {
		n.disconnect()
	}
}

// Sentinel is one sentinel: an actor at an address of its own, with clients that ask it for the
// primary and subscribe to its events. Only the conductor may use it.
type Sentinel struct {
	*sentinel.Sentinel[*Node]
	watch *watch
	subs  subscriptions
}

func newSentinel(s *watch, name, address string) *Sentinel {
	x := &Sentinel{watch: s}
	x.Sentinel = s.Add(name, address, runID(name), x.accept)
	s.by[x.Sentinel] = x
	return x
}

// Crash ends the sentinel's process.
func (x *Sentinel) Crash() {
	x.subs = nil
	x.Sentinel.Crash(func(o model.Observation) { x.watch.observe(x.Logged(o)) })
}

// Restart brings a crashed sentinel back.
func (x *Sentinel) Restart() {
	if x.Down() {
		x.Sentinel.Restart()
		x.watch.observe(x.Logged(model.Observation{Kind: model.Returned}))
	}
}

// publish sends an event to its subscribers.
func (x *Sentinel) publish(event, about string) {
	x.subs.publish(event, about, func(c *client) { c.answer(x.watch.cluster.world.Now()) })
}

// sentinelConn is a connection of a client.
type sentinelConn struct {
	client
	sentinel *Sentinel
}

func (x *Sentinel) accept(s *sim.ServerConn) sim.Handler {
	return &sentinelConn{client{sock: s, out: newOutput()}, x}
}

// Receive executes a segment, now or when the sentinel has resumed after a hang.
func (c *sentinelConn) Receive(segment []byte, t *sim.Task) {
	c.sentinel.Do(func() {
		if c.closed || c.sentinel.Down() {
			return
		}
		c.take(segment, t)
		for words := c.next(); words != nil; words = c.next() {
			c.sentinel.process(&c.client, words)
		}
		c.answer(c.sentinel.watch.cluster.world.Now())
		if c.closed {
			c.sentinel.subs.dropAll(&c.client)
			c.sock.Close()
		}
	})
}

// Gone is the end of the client's stream.
func (c *sentinelConn) Gone() {
	c.sentinel.Do(func() {
		c.closed = true
		c.sentinel.subs.dropAll(&c.client)
	})
}

// Owes returns false: every command is answered at once.
func (c *sentinelConn) Owes() bool { return false }
