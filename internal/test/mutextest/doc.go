// Package mutextest has what every lock passes where nothing fails, over whatever store.
package mutextest
