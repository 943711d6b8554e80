// Package parts is what exported tests are made of: servers, a network that loses or holds messages, processes that can be
// stopped, and a client as the constructor of a lock sees it.
//
// It is copied, declaration by declaration, into a file that a stranger reads ([export.Bundle]): what a test
// does not need is left out of it. So each part is small, uses only the standard library and the client library of its store, and
// ends what it has started by t.Cleanup. All listeners are on the loopback interface.
//
// A Network may be used by several goroutines; of what is done to its messages each test decides in one.
package parts
