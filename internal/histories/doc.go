// Package histories makes small histories of every kind of shared object, for
// tests of what judges them: models, monitors and formats.
//
// [Legal] simulates clients over a real object, which answers what such an
// object answers: their histories are legal by construction. [Perturbed] takes
// one and changes a little, so that it may be illegal, but only just. [Arbitrary]
// draws every call by itself. [Any] is a mixture of the three.
//
// [Linearizable] decides whether a history is legal by trying all orders and
// executing each. It is the definition that the models are held against; the
// models in turn, searched by porcupine, are what monitors are held against.
//
// Histories are drawn with rapid (pgregory.net/rapid), so a disagreement is
// shrunk; [Text] prints one.
package histories
