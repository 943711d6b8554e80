// Package redislocks holds distributed locks over Redis and go-redis, sound
// ones and flawed ones. The flawed ones are here to be caught: each is written
// as carefully as the others, and its comment names the flaw.
//
//   - [SetPX]: SET NX PX with a random value, and an atomic compare-and-delete.
//     The baseline that most libraries start from.
//   - [SetPXTwoStep]: the same with GET, compare, DEL in place of the script.
//   - [SetPXFenced]: SetPX with a fencing token.
//   - [SetPXWait]: SetPX that waits for a replica to have the lock.
//
// All of them wait by trying again after a sleep. None of them knows of the
// simulation: their time and randomness come in through [Options], and
// without options they run in production.
package redislocks
