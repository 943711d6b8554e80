// Package quorumtest makes servers that replicate a log fail at random, for tests.
package quorumtest
