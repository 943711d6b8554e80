// Package models has sequential objects for operations that programs record: a [Register], a
// [Counter], a [Queue], a [Set] and a [Bank]. A rule [program.Linearizable] has one; the operations are
// what processes do by Process.Do. Each is a porcupine.Model, and any other porcupine.Model does as well.
//
// # Operations and answers
//
// An operation is a value of one of this package's types, such as Take{N: 2}. Its answer is what the
// function of Process.Do returns: a bool where an operation may be refused, a value where something is
// read. The answer nil stands for any: the program has not looked at it, or it is not known, because the
// process crashed or had an error. Numbers may be of any integer type. Other values are compared by ==.
//
// An operation of another model, or an answer of a wrong type, panics with a text that names both; the
// rule is then undecided, and the test fails.
package models
