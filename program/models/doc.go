// Package models has sequential objects for operations that programs record: a [Register], a
// [Counter], a [Queue], a [Set] and a [Bank]. A rule [program.Linearizable] has one; the operations are
// what processes do by Process.Do. Each is a porcupine.Model, and any other porcupine.Model does as well.
//
// # Operations and answers
//
// An operation is a value of one of this package's types, such as Take{N: 2}. Its answer is what the
// function of Process.Do returns: a bool where an operation may be refused, a value where something is
// read; nil where there is none, or where the program has not looked at whether it was refused. [Any]
// stands for the answer of an operation that has not returned, because its process crashed or had an
// error. Integers of any type are compared as numbers, and other values by ==.
//
// An operation of another model, an answer of a wrong type, a negative amount, or a value that == cannot
// compare panics with a text that names it; the rule is then undecided, and the test fails.
package models
