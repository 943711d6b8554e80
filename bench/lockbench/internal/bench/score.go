package bench

import (
	"math"
	"slices"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// score is what an arm has shown of a bug.
type score struct {
	// tries is the number of seeds, and made that of the tries that were made: the others follow from those.
	tries, made, found int
	seconds            []float64 // of all tries, infinite for one that did not find it, in order
	processor          float64   // seconds until it is found, on average over those that were made; at least that if none found it
	shown, replays     int
	// alarms is the number of tries on the repaired version that found the property violated, of those that were made.
	alarms, goods int
	errors        int
}

// of returns the score of an arm on a bug.
func (r *Results) of(bug, arm string) score {
	s := score{tries: r.Plan.Seeds}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Bug != bug || o.Arm != arm {
			continue
		}
		if o.Error != "" && !o.Found {
			s.errors++
		}
		if o.Version == trial.Good {
			s.goods++
			if o.Found {
				s.alarms++
			}
			continue
		}
		s.made++
		s.processor += o.Processor
		s.shown, s.replays = s.shown+o.Shown, s.replays+o.Replays
		if o.Found {
			s.found++
			s.seconds = append(s.seconds, o.Seconds)
		}
	}
	for len(s.seconds) < s.tries {
		s.seconds = append(s.seconds, math.Inf(1))
	}
	slices.Sort(s.seconds)
	s.processor /= float64(max(s.found, 1))
	return s
}

// quantile returns the time within which a part of the tries found the bug; infinite if fewer did.
func (s score) quantile(part float64) float64 {
	at := int(math.Ceil(part*float64(len(s.seconds)))) - 1
	return s.seconds[min(max(at, 0), len(s.seconds)-1)]
}

// median returns the time within which half of the tries found the bug.
func (s score) median() float64 { return s.quantile(0.5) }

// within returns the bugs that an arm finds within a time in half of its tries.
func (r *Results) within(arm string, limit float64) (list []string) {
	for _, bug := range r.Plan.Bugs {
		if r.of(bug, arm).median() <= limit {
			list = append(list, bug)
		}
	}
	return list
}

// share returns the part of all tries of an arm that found their bug within a time.
func (r *Results) share(arm string, limit float64) float64 {
	found, all := 0, 0
	for _, bug := range r.Plan.Bugs {
		for _, s := range r.of(bug, arm).seconds {
			all++
			if s <= limit {
				found++
			}
		}
	}
	return float64(found) / float64(max(all, 1))
}

// alarms returns the number of false alarms of an arm, and that of the repaired versions that it tried.
func (r *Results) alarms(arm string) (alarms, goods int) {
	for _, bug := range r.Plan.Bugs {
		s := r.of(bug, arm)
		alarms, goods = alarms+s.alarms, goods+s.goods
	}
	return alarms, goods
}
