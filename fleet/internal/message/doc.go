// Package message has what the server and the workers of a fleet send each other, and reads it. Whoever has the queue's token can
// send anything: a message is checked when it is read, and refused with what is wrong with it. It knows nothing of the queue itself.
package message
