// Package builtin has the locks over Redis that come with Lockpick, sound and flawed, and
// what a search must, may and must never find of each.
//
// [Locks] lists them by their names in simrun. [Families] are the expectations, with
// reasons; the tests of package scenarios and the command simrun matrix compare them with
// findings. A lock is a value; its constructor makes it from package redislocks for one
// client process.
package builtin
