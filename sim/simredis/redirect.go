package simredis

import (
	"fmt"
	"slices"
	"strings"
)

// Errors of a node of a Redis Cluster that does not execute a command.
const (
	errCrossSlot   = "CROSSSLOT Keys in request don't hash to the same slot"
	errTryAgain    = "TRYAGAIN Multiple keys request during rehashing of slot"
	errClusterDown = "CLUSTERDOWN The cluster is down"
	errUnserved    = "CLUSTERDOWN Hash slot not served"

	errNoSelect  = "ERR SELECT is not allowed in cluster mode"
	errNoCluster = "ERR This instance has cluster support disabled"
)

// elsewhere returns the error for a command that this node does not serve, "" if it does.
func (n *Node) elsewhere(c *conn, s *spec, args []string) string {
	m := n.member
	switch {
	case m == nil:
		return ""
	case s.name != "exec":
		return m.refusal(c, s, []*request{{spec: s, args: args}})
	case c.tx != nil:
		return m.refusal(c, s, c.tx.queue)
	}
	return ""
}

// keyed summarizes the keys of a command, or of the commands of a transaction.
type keyed struct {
	slot         int
	there        bool // there is a key at all
	crossed      bool // they are of several slots
	several      bool // they are not the same one
	have, missed int  // how many of them the node has, and has not
}

func (m *member) examine(requests []*request) (k keyed) {
	var first string
	for _, r := range requests {
		for _, key := range r.keysOf(r.args) {
			switch slot := Slot(key); {
			case !k.there:
				k.there, k.slot, first = true, slot, key
			case slot != k.slot:
				k.crossed = true
				return k
			case key != first:
				k.several = true
			}
			switch {
			case r.shardChannel():
			case m.node.lookup(key) != nil:
				k.have++
			default:
				k.missed++
			}
		}
	}
	return k
}

// shardChannel reports whether the keys of a command are sharded channels.
func (s *spec) shardChannel() bool {
	return s.name == "ssubscribe" || s.name == "sunsubscribe" || s.name == "spublish"
}

// refusal returns the error for a command that the node does not execute, or ""; EXEC stands for the commands of its
// transaction. The order of the checks is Redis's.
func (m *member) refusal(c *conn, s *spec, requests []*request) string {
	k := m.examine(requests)
	if !k.there {
		return ""
	}
	owner := int(m.slots[k.slot])
	target, migrating := m.migrating[k.slot]
	migrating = migrating && owner == m.number
	_, importing := m.importing[k.slot]
	importing = importing && !migrating
	switch {
	case owner == nobody:
		return errUnserved
	case k.crossed:
		m.scattered(c)
		return errCrossSlot
	case !m.healthy && !s.shardChannel(): // cluster-allow-pubsubshard-when-down is yes
		return errClusterDown
	case (migrating || importing) && s.name == "migrate":
		return ""
	case migrating && k.missed > 0 && k.have > 0:
		return errTryAgain
	case migrating && k.missed > 0 && target != m.number:
		m.sentOn(c, k.slot, target)
		return m.redirect("ASK", k.slot, target)
	case importing && c.asking && k.several && k.missed > 0:
		return errTryAgain
	case importing && c.asking:
		return ""
	case owner == m.number:
		return ""
	case (c.readOnly || s.shardChannel()) && m.self().master == owner && !writes(s, requests):
		return ""
	}
	return m.redirect("MOVED", k.slot, owner)
}

// writes reports whether a command, or one of its transaction, is a write.
func writes(s *spec, requests []*request) bool {
	return s.write || slices.ContainsFunc(requests, func(r *request) bool { return r.write })
}

func (m *member) redirect(how string, slot, to int) string {
	return fmt.Sprintf("%s %d %s", how, slot, m.bus.members[to].node.Address())
}

// outOfScript returns the error for a command of a script whose keys belong to another node, or "". Keys of this node
// need not be declared.
func (n *Node) outOfScript(c *conn, s *spec, args []string) string {
	switch n.elsewhere(c, s, args) {
	case "":
		return ""
	case errClusterDown:
		return "ERR Script attempted to execute a command while the cluster is down"
	}
	return "ERR Script attempted to access a non local key in a cluster node"
}

// asked ends the effect of ASKING and CLIENT CACHING, unless a transaction goes on. S is nil if there is no such
// command.
func (c *conn) asked(s *spec) {
	if c.tx == nil && c.tracking != nil && (s == nil || !strings.HasPrefix(s.name, "client|")) {
		c.tracking.caching = false
	}
	if c.tx == nil && (s == nil || s.name != "asking") {
		c.asking = false
	}
}

func (n *Node) askingCommand(r *request)   { n.mark(r, func(c *conn) { c.asking = true }) }
func (n *Node) readOnlyCommand(r *request) { n.mark(r, func(c *conn) { c.readOnly = true }) }
func (n *Node) readWrite(r *request)       { n.mark(r, func(c *conn) { c.readOnly = false }) }

// mark executes a command that only changes how the next ones are executed.
func (n *Node) mark(r *request, set func(*conn)) {
	if n.member == nil {
		r.out.WriteError(errNoCluster)
		return
	}
	set(r.conn)
	r.out.WriteOK()
}
