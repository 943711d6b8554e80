// Package recipe has ZooKeeper's recipe for locks, for the sound locks over it and the flawed ones: a
// queue of ephemeral sequential nodes, the rules by which they hold, and the session that they belong to.
package recipe
