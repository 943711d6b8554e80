// Package check tests the examples of examples/fleet: manifests are read by the types of the engine's own API, and what the files
// run is run, with the variables that the engine sets, and compared with what one machine finds.
package check
