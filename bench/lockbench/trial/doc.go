// Package trial has what a bug and an arm of lockbench are, and makes one try: one arm, on one version of one bug, with one seed.
//
// A [Bug] has a lock with a known bug and the same lock, or a sound one of its kind, without it. An [Arm] is a way to look for
// bugs. [Main] is the main function of a program that has bugs: a try is a process of its own, so that its processor time is
// known, and so that two versions of one library need not be in one program.
//
// A try finds a bug if package checker says that a history violates the bug's own property, as a fault or as a limit as the bug
// says. That is so in each arm.
package trial
