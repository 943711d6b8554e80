// Package histories generates small histories of every kind of shared object, for
// tests of models, monitors and formats.
//
// [Legal] simulates clients over a real object: their histories are legal by
// construction. [Perturbed] changes a legal one a little, so that it may be
// illegal, but only just. [Arbitrary] draws every call by itself. [Any] is a
// mixture of the three.
//
// [Linearizable] decides whether a history is legal by trying all orders and
// executing each. It is the definition that the models are tested against; the
// models in turn, searched by porcupine, are the oracle for monitors.
//
// Histories are drawn with rapid (pgregory.net/rapid), so a disagreement is
// shrunk; [Text] prints one.
package histories
