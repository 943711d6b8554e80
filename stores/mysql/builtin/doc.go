// Package builtin has the locks over MySQL that simrun knows, with what is expected of
// each: those of package sqllocks.
package builtin
