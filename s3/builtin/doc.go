// Package builtin has the locks over Amazon S3 that come with Lockpick, sound and flawed, with what is expected of each:
// those of package s3locks and of its package flawed.
package builtin
