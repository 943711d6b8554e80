// Package redislocktest runs the same tests on all locks over Redis, the sound ones of package redislocks and those of
// package flawed: functional tests on a real Redis, tests of locks that are one key, and of what locks send.
package redislocktest
