// Package confirmtest helps the tests of packages that confirm counterexamples on real servers: the test binary is its own
// client process ([Main]), a counterexample of testdata becomes a [confirm.Confirmation] ([Of]), and it happens
// ([Happens]), or does not ([Never]).
package confirmtest
