// Package experimentstest tests that the runs of experiments repeat, for the locks of a program.
package experimentstest
