// Package objects has the sequential model of each kind of shared object: its
// behaviour without concurrency. [Model] returns it for porcupine, and [Operations]
// turns calls into porcupine's operations:
//
//	ok := porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls))
//
// Each model's comment (mutex.go, semaphore.go and so on) says which answers are legal, and
// where Jepsen's models of Hazelcast's locks differ. All are built on sequential.go, the
// typed form of a porcupine model. [MutexModel] and [FencedMutexModel], which demand less
// of a Release, judge the locks of a simulated run.
//
// It is separate from package model so that a program in production that records
// its history does not depend on porcupine.
package objects
