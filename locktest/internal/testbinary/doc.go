// Package testbinary handles the test binary that calls Check or Explore: its flags, its
// re-execution as a worker, the files of its kept cases, and the go test commands that
// rerun a part of it.
package testbinary
