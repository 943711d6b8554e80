// Package simh2 carries gRPC over the network of package sim: the client's end for a real
// client library, such as grpc-go, whose runs are then deterministic, and the server's end
// for simulated servers. It knows no service.
//
//	conn := simh2.Client(dialed, simh2.ClientOptions{}) // what the library's dialer returns
//
//	w.Network().Listen(address, actor, func(c *sim.ServerConn) sim.Handler { return simh2.Serve(c, server) })
//
// # The client's end
//
// A client library writes frames from several goroutines, and the scheduler decides in
// which order and in how many calls of Write, and by that also the numbers of streams and
// the state of the compression of header fields. [Client] gathers what is written in one
// step ([sim.Conn.Gather]) and arranges it:
//
//   - Frames of the connection come first: SETTINGS, acknowledgements, PING, GOAWAY, and an
//     increment of the window. Increments of a window are added up.
//   - Streams that are open follow by number, then new ones in the order of their content:
//     header fields and data. They are numbered in that order, and what the server sends is
//     translated back to the library's numbers, GOAWAY's last stream among it. A server
//     that gives up streams between two of one step cannot be translated: Read returns an
//     error.
//   - Header fields are decoded, sorted by name, and encoded without tables. Values of one
//     name stay in their order.
//   - Data of one stream are joined, whatever frames they came in. If messages have no
//     order ([ClientOptions]), those of the step are sorted.
//   - What a stream sends in the step in which it is reset is dropped, since it depends on
//     the scheduler whether it had left before. A stream that is also opened in that step
//     is not opened at all.
//   - CONTINUATION is joined, padding is removed, PRIORITY is dropped.
//
// Two new streams with equal content keep the order in which they were opened. Calls of
// several threads need something that distinguishes them, such as metadata.
//
// # The server's end
//
// [Serve] is passive: it answers within the step in which something comes, or when the
// server that it carries sends. What leaves in one step is one segment. It speaks gRPC
// without compression and without TLS; header fields are encoded without tables, so that
// equal answers are equal bytes.
//
// [Parts] reads what either end has sent, for reports.
//
// # What is not there
//
// PUSH_PROMISE, header fields at the end of a request (gRPC has none), settings other than
// the initial window, timeouts of calls at the server (clients reset a stream when its time
// is over), limits on streams, pings of the server.
package simh2
