// Package real is etcd as it is: a cluster of etcd processes on the loopback interface, on which package confirm makes
// counterexamples happen ([Store]). It needs an etcd on the PATH (Debian: apt install etcd-server).
//
// Frames of HTTP/2 are passed on unchanged and in their order, since the compression of header fields belongs to the
// connection. So who holds a message holds what is behind it on its connection, as in the simulation.
package real
