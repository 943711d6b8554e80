// Package gate is a proxy between a client process and a real server, which reads the messages of both and passes each to a
// driver ([New]). The driver lets them through, holds them or loses them. Each store has a [Conversation], which reads its
// protocol.
//
// A gate knows no store, and decides nothing. It does not take apart what a Conversation calls one message, and reads no
// encrypted connections. Its goroutines only read; the driver writes to both ends.
package gate
