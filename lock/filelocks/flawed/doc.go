// Package flawed has locks by files that do not keep what they promise, on purpose, so that searches can
// find it. The comment of each says what the flaw is and which scenario of Lockpick shows it. Nobody should
// use them. The sound ones are in package filelocks.
//
//   - [Stale]: breaks a lock whose file is old, by removing or renaming it. The file may be another one by then.
//   - [Deaf]: does not notice that its lease has expired.
package flawed
