package sim

import "strings"

// shown is what the next event of a recorded run shows of the choices that were
// made. Choices are counted from 1.
type shown struct {
	// strike is the choice by which a fault strikes now, or has struck that goes on
	// now, 0 for none; and deviations are those of this strike that no event has
	// shown yet.
	strike     int
	deviations []int
	// by are the choices that show in the event that happens now.
	by []int
	// segment are those that will show in the arrival of the segment that is about
	// to be sent.
	segment []int
}

// chose takes note of a choice, the n-th. Of how a fault goes on that has struck,
// it is a part of that strike.
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

// inSegment takes note that the n-th choice shows in the arrival of the segment
// that is about to be sent.
func (s *shown) inSegment(option, n int) {
	if option == 0 || n == 0 { // nothing is recorded
		return
	}
	s.segment = append(s.segment, n)
	if last := len(s.deviations) - 1; last >= 0 && s.deviations[last] == n {
		s.deviations = s.deviations[:last]
	}
}

// show puts down what an event shows.
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
