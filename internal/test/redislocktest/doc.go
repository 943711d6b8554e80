// Package redislocktest puts locks over Redis through the same tests, the sound ones of package
// redislocks and those of package flawed: functional tests on a real Redis, tests of locks that are one
// key, and what locks send.
package redislocktest
