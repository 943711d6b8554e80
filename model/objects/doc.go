// Package objects has the sequential model of each kind of shared object: what it
// does if one asks it at a time. [Model] is that model for porcupine, and
// [Operations] makes porcupine's operations of calls:
//
//	ok := porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls))
//
// What an answer allows is said with each model (mutex.go, semaphore.go and so
// on), along with where Jepsen's models of Hazelcast's locks say otherwise. All
// go through [Sequential], the typed form of a porcupine model. The locks of a
// run are held to [MutexModel] and [FencedMutexModel], which ask less of a
// Release.
//
// It is apart from package model so that a program in production that records
// its history need not have porcupine.
package objects
