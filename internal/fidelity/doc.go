// Package fidelity compares simulated servers with real ones: both play the same random
// scripts, and what clients are told is compared line by line. What a script is, and how a server plays
// it, is each server's own.
package fidelity
