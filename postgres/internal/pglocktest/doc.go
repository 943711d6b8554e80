// Package pglocktest puts locks over PostgreSQL through the same functional tests on a real one, the sound
// ones of package pglocks and those of package flawed.
package pglocktest
