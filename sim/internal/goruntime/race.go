//go:build race

package goruntime

const raceEnabled = true
