// Package builtin has the locks over PostgreSQL that come with Lockpick, sound and flawed, with what is
// expected of each: those of package pglocks and of its package flawed.
package builtin
