// Package payload describes the segments of the simulated network in a few words.
// It knows no protocol: the package of each server registers a [Reader] for its
// protocol, and reports look it up by the kind of the server.
package payload
