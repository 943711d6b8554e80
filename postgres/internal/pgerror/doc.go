// Package pgerror has the errors and notices of a simulated PostgreSQL: their fields, codes and severities.
//
// An error by [Lacks] is about something that PostgreSQL has and the simulation does not; a server that meets one
// fails the run, so that nothing is concluded from a statement that was not carried out.
package pgerror
