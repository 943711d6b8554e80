// Package command is how modules of Lockpick with dependencies of their own add commands to the program simrun. A module
// gives simrun.Commands a [Command], and its methods get a [Host]: what the program knows, and can search.
package command
