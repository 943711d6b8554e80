// Package builtin has the locks by files that come with Lockpick, sound and flawed, with what is
// expected of each: those of package filelocks and of its package flawed.
package builtin
