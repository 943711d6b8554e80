// Package builtin has the locks over MySQL that come with Lockpick, sound and flawed,
// with what is expected of each: those of package sqllocks and of its package flawed.
package builtin
