package simredis

import "time"

// This file has what sentinels ask of a replica when they choose one, beside its offset.

// The priorities of replicas (replica-priority): the least is promoted first.
const (
	usualPriority     = 100
	preferredPriority = 50
)

// Priority decides before the offset which replica is promoted (replica-priority).
func (n *Node) Priority() int { return n.priority }

// Prefer makes sentinels promote the node rather than others, whatever it has of the primary's data, as
// CONFIG SET replica-priority does.
func (n *Node) Prefer() { n.priority = preferredPriority }

// Unlinked returns how long a replica's link to its source has been down, 0 while it is up. A replica that is cut
// off does not know it: it takes the link for down after a minute (repl-timeout).
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
