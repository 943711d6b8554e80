package sim

import "strings"

// shown links the choices of a recorded run to the events in which they show.
// Choices are counted from 1.
type shown struct {
	// strike is the choice by which the present fault struck, 0 if there is none.
	// Deviations are the choices of that strike that no event has shown yet.
	strike     int
	deviations []int
	// by are the choices that show in the present event.
	by []int
	// segment are the choices that will show in the arrival of the segment that is
	// being sent.
	segment []int
}

// chose notes the n-th choice. One without odds says how a fault that has struck goes
// on, and is a part of that strike.
func (s *shown) chose(d *Decision, option, n int) {
	if !strings.HasPrefix(string(d.Kind), "fault:") {
		return
	}
	if d.Odds > 0 {
		s.strike = 0
		if option > 0 {
			s.strike = n
		}
	}
	if option > 0 {
		s.deviations = append(s.deviations, n)
	}
}

// inSegment notes that the n-th choice shows in the arrival of the segment that is
// being sent.
func (s *shown) inSegment(option, n int) {
	if option == 0 || n == 0 { // nothing is recorded
		return
	}
	s.segment = append(s.segment, n)
	if last := len(s.deviations) - 1; last >= 0 && s.deviations[last] == n {
		s.deviations = s.deviations[:last]
	}
}

// show notes in the event by which decision its fault struck, and in the choices that
// they show in the event.
func (w *World) show(e *Event) {
	s := &w.shown
	if s.strike > 0 {
		e.Decision = w.choices[s.strike-1].ID()
	}
	for _, list := range [][]int{s.deviations, s.by} {
		for _, n := range list {
			if c := &w.choices[n-1]; c.Shows == 0 && c.Option > 0 {
				c.Shows = e.Seq
			}
		}
	}
	s.deviations, s.by = nil, nil
}
