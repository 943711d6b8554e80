// Package message defines and reads the messages between the server and the workers of a fleet. Anyone with the queue's
// token can send anything, so every message is checked when it is read. The package does not use the queue itself.
package message
