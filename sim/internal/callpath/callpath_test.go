package callpath

import (
	"testing"
)

// TestHere: a path is of the line that asks, whoever asks there and however often.
func TestHere(t *testing.T) {
	var at []int64
	for range 2 {
		at = append(at, Here())
	}
	if at[0] != at[1] || at[0] < 0 {
		t.Errorf("one line has the paths %v", at)
	}
	if other := Here(); other == at[0] {
		t.Errorf("two lines have the path %d", other)
	}
	there := make(chan int64)
	go func() { there <- Here() }()
	if other := <-there; other == at[0] {
		t.Errorf("two goroutines at two lines have the path %d", other)
	}
}

// TestAnswers: each stack is read once, however it came about.
func TestAnswers(t *testing.T) {
	asked := 0
	depths := Of(func(stack []uintptr) int { asked++; return len(stack) })
	var below func(frames int) int
	below = func(frames int) int {
		if frames == 0 {
			return depths.Here()
		}
		return below(frames - 1)
	}
	first := below(0)
	for range 3 {
		for _, frames := range []int{0, 1, 100, 1000} {
			if got := below(frames); got < first+frames-1 || got > first+frames+1 { // below(0) was called elsewhere
				t.Errorf("%d frames below %d there are %d", frames, first, got)
			}
		}
	}
	if asked != 5 {
		t.Errorf("asked %d times, want 5", asked)
	}
}

func BenchmarkHere(b *testing.B) {
	for b.Loop() {
		Here()
	}
}
