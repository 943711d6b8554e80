// Package fidelity compares simulated servers with real ones: both play the same random
// scripts, and the answers to clients are compared line by line. The tests of each server define
// its scripts and how it plays them.
package fidelity
