// Package builtin has the locks over Redis that come with Lockpick, sound and flawed,
// as simrun knows them by name, and what searches must, may and must never find of
// each.
//
// [Locks] lists them. [Families] says what is expected, with the reasons; the tests
// of package scenarios and the command simrun matrix compare it with what is found. A
// lock is a value: its constructor makes it of package redislocks for one client
// process.
package builtin
