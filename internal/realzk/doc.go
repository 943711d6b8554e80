// Package realzk starts a ZooKeeper of Debian's packages on the loopback interface, alone or as a member of an ensemble,
// with its files in a directory that the caller gives.
package realzk
