// Package realzk starts a ZooKeeper of Debian's packages: a single server on the loopback interface, with its files in a
// directory that the caller gives.
package realzk
