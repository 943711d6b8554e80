// Package payload says in a few words what the segments carry that go over the
// simulated network. It knows no protocol: whoever has a server brings a [Reader]
// of what it speaks, and whoever tells of a run asks by the kind of the server.
package payload
