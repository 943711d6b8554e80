// Package recording keeps the events and the history of a run on real servers, in the form that a simulated run has
// ([Recorder]): one counter orders everything, and a change of a record is found by comparing the records of a node with the
// last seen ones.
//
// It reads no server and knows no store: its caller says what a node has now, and whose request may have changed it. So a
// change is only as precise as the moments at which the caller looks. Times are those of this machine.
//
// A Recorder belongs to one goroutine.
package recording
