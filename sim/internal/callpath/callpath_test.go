package callpath

import (
	"runtime"
	"testing"
)

func here() int64 {
	var room [64]uintptr
	return Of(room[:runtime.Callers(2, room[:])])
}

// TestOf: a path is of the line that asks, whoever asks there and however often.
func TestOf(t *testing.T) {
	var at []int64
	for range 2 {
		at = append(at, here())
	}
	if at[0] != at[1] || at[0] < 0 {
		t.Errorf("one line has the paths %v", at)
	}
	if other := here(); other == at[0] {
		t.Errorf("two lines have the path %d", other)
	}
	there := make(chan int64)
	go func() { there <- here() }()
	if other := <-there; other == at[0] {
		t.Errorf("two goroutines at two lines have the path %d", other)
	}
}
