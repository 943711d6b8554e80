// Package testbinary is what Check and Explore do with the binary of the test that
// calls them, whatever they search there: its flags, how it is run again as a
// worker, where the files of its cases are, and the commands of go test that run a
// part of it.
package testbinary
