package pgerror

import (
	"errors"
	"fmt"
)

// Severity is the severity of a report, as the protocol's field S has it.
type Severity string

// The severities that servers send.
const (
	SeverityError   Severity = "ERROR"
	SeverityFatal   Severity = "FATAL"
	SeverityPanic   Severity = "PANIC"
	SeverityWarning Severity = "WARNING"
	SeverityNotice  Severity = "NOTICE"
)

// Error is an error or a notice with the fields that the protocol sends.
type Error struct {
	// Severity is SeverityError for most.
	Severity Severity
	// Code is the SQLSTATE, five characters.
	Code string
	// Message is the primary message; Detail and Hint may be empty.
	Message, Detail, Hint string
	// Where is the context in which a function of the server failed; mostly empty.
	Where string
	// Schema, Table, Column, DataType and Constraint name the object of a violated constraint.
	Schema, Table, Column, DataType, Constraint string
	// Position is the place in the statement's text, in characters from 1 on, and 0 for none.
	Position int

	// lacks names what the simulation does not have; empty for errors that PostgreSQL would report too.
	lacks string
}

// Error returns the severity, the message and the code, as clients show them.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (SQLSTATE %s)", e.Severity, e.Message, e.Code)
}

// New makes an error with a code and a formatted message.
func New(code, format string, args ...any) *Error {
	return &Error{Severity: SeverityError, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Fatal makes an error that ends the session.
func Fatal(code, format string, args ...any) *Error {
	return &Error{Severity: SeverityFatal, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Warning makes a notice of severity WARNING.
func Warning(code, format string, args ...any) *Error {
	return &Error{Severity: SeverityWarning, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Notice makes a notice of severity NOTICE.
func Notice(code, format string, args ...any) *Error {
	return &Error{Severity: SeverityNotice, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Lacks makes the error about something that PostgreSQL has and the simulation does not: what names it, such
// as "window functions". A server that meets it fails the run.
func Lacks(format string, args ...any) *Error {
	what := fmt.Sprintf(format, args...)
	return &Error{
		Severity: SeverityError, Code: FeatureNotSupported, lacks: what,
		Message: "the simulated PostgreSQL does not support " + what,
	}
}

// Lacking returns what the simulation lacks if err is, or wraps, an error by Lacks, and else the empty string.
func Lacking(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.lacks
	}
	return ""
}

// At returns the error with a position in the statement's text, unless it has one.
func (e *Error) At(position int) *Error {
	if e.Position == 0 {
		e.Position = position
	}
	return e
}

// WithDetail returns the error with a formatted detail.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// WithHint returns the error with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// From returns err as an *Error: itself, the one it wraps, or an internal error (XX000) with its text.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return New(InternalError, "%s", err)
}
