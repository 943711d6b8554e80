// Package payload describes the segments of the simulated network in a few words. It
// knows no protocol: the package of each server registers a [Reader] for its protocol,
// and reports look the reader up by the kind of server.
package payload
