// Package mutextest has tests that every lock passes if nothing fails, over any store.
package mutextest
