// Package fidelity compares a simulated server with a real one: both play the same random
// scripts, and their answers are compared line by line. The tests of each server define
// its scripts and how they are played.
//
//	fidelity.Check(t, func(rt *rapid.T) string {
//		script := draw(rt)
//		return fidelity.Difference(onSimulated(script), onReal(t, script), continues)
//	})
//
// [InWorld] plays a script in a world. If a real server is sometimes slow, [Repeat] plays a script again. The package
// may change in any 0.x version.
package fidelity
