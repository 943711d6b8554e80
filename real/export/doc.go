// Package export writes a Go test that shows a counterexample on real servers without Lockpick: one file, a go.mod
// and a README, for the maintainers of a library.
//
// [Read] reads the story of a trace: the few calls, messages and pauses that the violation needs. A trace whose violation
// needs more than the forms of tests have is refused with a [FormError]. [Job.Write] writes the file, runs it, and keeps
// it only if it fails.
//
// The file has the code of the lock. [Bundle] copies it from the sources: the constructor, and everything that it refers
// to in the packages of the test and of Lockpick's locks, renamed where names collide. Other packages are imported. The
// parts of the test itself, such as a network that loses an answer, are copied from package parts in the same way. So
// nothing exists twice, and the copied code is compiled and tested here as well.
package export
