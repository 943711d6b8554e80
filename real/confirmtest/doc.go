// Package confirmtest is what the tests of the packages that confirm counterexamples on real servers have in common: the test
// binary is its own client process ([Main]), a counterexample of testdata becomes a [confirm.Confirmation] ([Of]), and it
// happens ([Happens]), or does not ([Never]).
package confirmtest
