package simredis

import "time"

// This file has the properties of a replica, beside its offset, by which sentinels
// choose one.

// The priorities of replicas (replica-priority): the lowest is promoted first.
const (
	usualPriority     = 100
	preferredPriority = 50
)

// Priority returns the node's replica-priority, which counts before the offset when
// sentinels choose a replica.
func (n *Node) Priority() int { return n.priority }

// Prefer makes sentinels promote the node rather than others, whatever data it has, as CONFIG SET
// replica-priority does.
func (n *Node) Prefer() { n.priority = preferredPriority }

// Unlinked returns how long a replica's link to its source has been down, 0 while it is up. A replica that is cut
// off takes the link for down only after a minute (repl-timeout).
func (n *Node) Unlinked() time.Duration {
	if n.unlinked == never {
		return 0
	}
	return n.world.Now() - n.unlinked
}

// changedLinks notes which links between nodes are up, when that may have changed.
func (c *Cluster) changedLinks() {
	for _, n := range c.Nodes() {
		up := n.IsPrimary() || n.Source() != nil && n.linked()
		switch {
		case up:
			n.unlinked = never
		case n.unlinked == never:
			n.unlinked = c.world.Now()
		}
	}
	c.count()
}
