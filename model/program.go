package model

// This file has what a program says of itself in a run: see package program.

// StatementKind is the kind of a [Statement].
type StatementKind string

// The kinds of statements.
const (
	// SaidAlways is a condition that has to hold each time, SaidSometimes one that has to hold in
	// some run of a search.
	SaidAlways    StatementKind = "always"
	SaidSometimes StatementKind = "sometimes"
	// SaidReached is a place that a process came by.
	SaidReached StatementKind = "reached"
	// SaidEffect is something outside of the world that cannot be taken back, such as a mail.
	SaidEffect StatementKind = "effect"
	// SaidEvent is for the reader alone.
	SaidEvent StatementKind = "event"
	// SaidBegan is the beginning of a process's Main.
	SaidBegan StatementKind = "began"
	// SaidOver is the end of its context: Main has to return soon.
	SaidOver StatementKind = "over"
	// SaidEnded is the return of Main. OK is false if it returned an error, which Detail has.
	SaidEnded StatementKind = "ended"
)

// Observer is the name of the process that asks the stores when all others are at rest.
const Observer = "observer"

// Statement is something that a process of a program has said at a place of the run.
type Statement struct {
	Stamp
	// Process is the name of the process, and Life counts its lives, from 1: a process that starts
	// anew after a crash has another one.
	Process string        `json:"process"`
	Life    int           `json:"life"`
	Kind    StatementKind `json:"kind"`
	// Name is the name of the rule, of the effect or of the event.
	Name string `json:"name,omitempty"`
	// OK is whether the condition held.
	OK bool `json:"ok,omitempty"`
	// Key distinguishes effects of one name: those of one key are the same effect, repeated.
	Key string `json:"key,omitempty"`
	// Detail is what the process has said besides.
	Detail string `json:"detail,omitempty"`
}

// Action is an operation of a program on an object of its own, for a sequential model.
type Action struct {
	// ID numbers actions from 1 in the order of their calls.
	ID int `json:"id"`
	// Process is the name of the process, and Life that of its lives: see [Statement].
	Process string `json:"process"`
	Life    int    `json:"life"`
	// Object is the object that it is about.
	Object string `json:"object"`
	// In and Out are the operation and its answer as texts.
	In  string `json:"in"`
	Out string `json:"out,omitempty"`
	// Call and Return are the places of the call and of its return.
	Call   Stamp   `json:"call"`
	Return Stamp   `json:"return,omitzero"`
	Result Outcome `json:"outcome"`
	// Err is the error's text, if there was one.
	Err string `json:"error,omitempty"`

	// Input and Output are the values of which In and Out are the texts. A history that was read
	// from a file does not have them.
	Input  any `json:"-"`
	Output any `json:"-"`
}
