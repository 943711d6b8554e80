package render

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// omitted says what the picture has no room for, a sentence each.
func (p *picture) omitted() []string {
	var all []string
	for i := range p.lanes {
		l := &p.lanes[i]
		switch {
		case l.lives != nil:
			all = append(all, p.omittedLives(l)...)
		case l.actor.Kind == traces.ClientActor:
			if n := p.threadsOf(l.actor.Name); n > maxThreads {
				all = append(all, fmt.Sprintf("%s has %d threads; the %s row of its lane is of all from thread %d on.", l.title, n, ordinal(l.threads), l.threads))
			}
		case l.actor.Kind == traces.NodeActor:
			all = append(all, p.omittedRecords(l)...)
		}
	}
	if _, more := p.earlierLimits(); more {
		all = append(all, fmt.Sprintf("The picture marks the first %d overlaps of claims before the violation; there are more.", maxLimits))
	}
	return all
}

func ordinal(n int) string {
	if n < 1 || n > 4 {
		return fmt.Sprintf("%dth", n)
	}
	return [...]string{"first", "second", "third", "fourth"}[n-1]
}

func (p *picture) omittedLives(l *lane) []string {
	shown, all := 0, 0
	for _, row := range l.lives {
		shown += len(row)
	}
	for i := range p.lives.all {
		if x := &p.lives.all[i]; x.place == model.PlaceLane && x.began.Note.Noun == l.noun {
			all++
		}
	}
	if all > shown {
		return []string{fmt.Sprintf("The picture has room for %d of %d %ss.", shown, all, wording.Printable(l.noun))}
	}
	return nil
}

// omittedRecords are the records of a node, and the waits for them, that have no row.
func (p *picture) omittedRecords(l *lane) []string {
	var without []string
	for i := range p.presences {
		h := &p.presences[i]
		if h.node == l.actor.Name && l.rowOf(h.key) == nil && !slices.Contains(without, h.key) {
			without = append(without, h.key)
		}
	}
	waits := 0
	for i := range p.lives.all {
		if x := &p.lives.all[i]; x.place == model.PlaceRecord && x.node == l.actor.Name {
			if _, _, ok := l.stripe(x); !ok {
				waits++
			}
		}
	}
	var all []string
	if n := len(without); n > 0 {
		const named = 3
		names := without[:min(n, named)]
		for i := range names {
			names[i] = wording.Key(names[i])
		}
		if n > named {
			names = append(names, fmt.Sprintf("%d more", n-named))
		}
		all = append(all, fmt.Sprintf("The lane of %s has no room for %s.", l.title, wording.And(names)))
	}
	if waits > 0 {
		all = append(all, fmt.Sprintf("Nor does it show %d of the waits there.", waits))
		if len(without) == 0 {
			all[len(all)-1] = fmt.Sprintf("The lane of %s does not show %d of the waits there.", l.title, waits)
		}
	}
	return all
}
