// Package flawed has locks over S3 that do not keep what they promise, on purpose, so that searches can
// find it. The comment of each says what the flaw is and which scenario of Lockpick shows it. Nobody should
// use them. The sound ones are in package s3locks.
package flawed
