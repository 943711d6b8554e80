// Package simhttp is the server's end of HTTP/1.1 in the simulated network, for the servers of
// any store. Clients are unmodified: a [net/http.Transport] that dials with
// [sim.Process.DialContext].
//
//	w.Network().Listen(address, actor, func(c *sim.ServerConn) sim.Handler {
//		return simhttp.Serve(c, host.Do, func(x *simhttp.Exchange) {
//			x.Respond(http.StatusOK, nil, []byte("hello"))
//		})
//	})
//
// # What it does
//
// A connection has one exchange at a time: a request, whose body has come whole, and its answer.
// What a client sends before the answer is complete waits. The handler answers at once or at a
// later event, with a whole body ([Exchange.Respond]) or with pieces of one over time
// ([Exchange.Stream]), or not at all ([Exchange.Hangup]). Bodies of requests may be chunked; a
// client that expects 100-continue gets it as soon as the request's header is there. Connections
// are kept alive as the client's request says.
//
// [Words] describes requests and answers in traces.
//
// # What it refuses
//
// Requests that package net/http cannot read, and those without a Host, are answered with 400,
// another major version of HTTP with 505, another expectation with 417, a header of more than
// 1 MiB with 431 and a body of more than 8 MiB with 413. The connection then ends, as with a
// server of net/http.
//
// # What it does not do
//
// There is no TLS, no HTTP/2, no upgrade to another protocol, and no compression. A handler sees
// no request before its body has come, so it cannot answer in place of 100-continue. No server's
// time-out ends an idle connection. Answers have no Date unless the handler adds one. A server of
// net/http may execute a request that was sent behind another one, if the client then hangs up
// before the first is answered; here it is lost. Clients of net/http send none so.
//
// When a [net/http.Client.Timeout] ends, two timers of net/http are due at once, and its error's text
// depends on which it saw first: let a lock hide that text, or use a context with a deadline.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package simhttp
