// Package shards says which part of a search a job has: the one that its command names, or
// the one that the engine that runs the job names in its environment.
package shards
