package model

// This file has the statements and actions of programs: see package program.

// StatementKind is the kind of a [Statement].
type StatementKind string

// The kinds of statements.
const (
	// SaidAlways is a condition that must hold each time; SaidSometimes one that must hold in
	// some run of a search.
	SaidAlways    StatementKind = "always"
	SaidSometimes StatementKind = "sometimes"
	// SaidReached is a place in the program that a process reached.
	SaidReached StatementKind = "reached"
	// SaidEffect is something outside of the world that cannot be taken back, such as a mail.
	SaidEffect StatementKind = "effect"
	// SaidEvent is for the reader alone.
	SaidEvent StatementKind = "event"
	// SaidBegan is the beginning of a process's Main.
	SaidBegan StatementKind = "began"
	// SaidOver is the end of the process's context: Main must return soon.
	SaidOver StatementKind = "over"
	// SaidEnded is the return of Main. OK is false if it returned an error, which Detail has.
	SaidEnded StatementKind = "ended"
)

// Observer is the name of the process that reads the stores when all others have ended.
const Observer = "observer"

// Statement is a report of a program's process at a place of the run.
type Statement struct {
	Stamp
	// Process is the name of the process, and Life counts its lives, from 1: a process that starts
	// anew after a crash has another one.
	Process string        `json:"process"`
	Life    int           `json:"life"`
	Kind    StatementKind `json:"kind"`
	// Name is the name of the rule, of the effect or of the event.
	Name string `json:"name,omitempty"`
	// OK is set if the condition held.
	OK bool `json:"ok,omitempty"`
	// Key distinguishes effects of one name: those of one key are the same effect, repeated.
	Key string `json:"key,omitempty"`
	// Detail has the details that the process added.
	Detail string `json:"detail,omitempty"`
}

// Action is an operation of a program on an object of its own, for a sequential model.
type Action struct {
	// ID numbers actions from 1 in the order of their calls.
	ID int `json:"id"`
	// Process is the name of the process, and Life the number of its life: see
	// [Statement].
	Process string `json:"process"`
	Life    int    `json:"life"`
	// Object is the name of the object.
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

	// Input and Output are the operation and its answer as values. A history that was read from
	// a file does not have them.
	Input  any `json:"-"`
	Output any `json:"-"`
}
