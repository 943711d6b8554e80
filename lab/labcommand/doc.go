// Package labcommand has two commands of simrun: experiment measures locks, lists what can be measured, and shows single runs;
// envelope maps which lease, pause, round trip and error of a clock go together.
package labcommand
