// Package labcommand is the command experiment of simrun: it measures locks, lists what can be measured, and shows single runs.
package labcommand
