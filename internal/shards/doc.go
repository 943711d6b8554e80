// Package shards finds the part of a search that a job has: the one that its command names, or the one that its engine
// names in the environment.
package shards
