// Package real is ZooKeeper as it is: a server on the loopback interface, on which package confirm makes counterexamples
// happen ([Store]). It needs Debian's zookeeper and a Java.
//
// One server is all members of the trace's ensemble: clients reach it by as many addresses. What an ensemble adds, such as
// members that know less than others and elections, cannot be forced.
//
// Sessions end at whole ticks, which are counted from when the machine started. A run begins with a tick, as a trace does,
// so that its sessions end when those of the trace do.
package real
