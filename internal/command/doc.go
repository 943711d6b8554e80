// Package command lets modules with dependencies of their own add commands to the program simrun. A module passes a
// [Command] to simrun.Commands, and its methods get a [Host]: the program with its locks and searches.
package command
