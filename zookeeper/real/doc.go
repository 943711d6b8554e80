// Package real is ZooKeeper as it is: servers on the loopback interface, on which package confirm makes counterexamples
// happen ([Store]). It needs Debian's zookeeper and a Java.
//
// Where no member fails, one server is all members of the trace's ensemble: clients reach it by as many addresses. Where one
// does, each member is a server, and what they send each other goes through proxies, which hold what a partition holds, and
// votes until the trace elects a leader. What members hear of each other late cannot be forced.
//
// Sessions end at whole ticks, which are counted from when the machine started. A run begins with a tick, as a trace does,
// so that its sessions end when those of the trace do.
package real
