// Package zklocktest puts locks over ZooKeeper through the same functional tests on a real one, the sound
// ones of package zklocks and those of package flawed.
package zklocktest
