// Package builtin has the locks over ZooKeeper that come with Lockpick, as scenarios use
// them, and what is expected of each in each scenario.
package builtin
