// Package stage is a run as faults see it: the servers of a store, the client processes and the
// parameters. It depends on no store, no lock and no scenario.
//
// A [Fault] is one value: its parameter, the places and times of its strikes, its length, its
// effect, its end, and its texts. Package faults has the faults of all stores, each in a file
// of its own.
//
// To write a fault, begin with [Fault] and [Stage.Strike]; the example of cell.Scenario has a
// whole one. How often it may strike is in a [Budget] of [Params]: [Once] and [Times] make one.
// [Settings] are the parameters by name, as traces and command lines have them. To write a
// store, begin with [Store]. [Together] makes one store of several.
//
// Faults see the servers of a store as a [Cluster] of [Server] values with [Node] values.
// A capability that not every store has is an interface of its own, such as [Hanger] or
// [Replicated]. A fault finds it by type assertion, and does not strike servers without
// it.
package stage
