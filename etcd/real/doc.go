// Package real runs real etcd: a cluster of etcd processes on the loopback interface, on which package confirm makes
// counterexamples happen ([Store]). It needs an etcd on the PATH (Debian: apt install etcd-server).
//
// Frames of HTTP/2 are passed on unchanged and in their order, since the compression of header fields belongs to the
// connection. So a message that is held back holds back what follows it on its connection, as in the simulation.
package real
