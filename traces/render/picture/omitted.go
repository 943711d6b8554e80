package picture

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Omitted describes what the picture has no room for, a sentence each.
func (p *Picture) Omitted() []string {
	var all []string
	for i := range p.Lanes {
		l := &p.Lanes[i]
		switch {
		case l.Lives != nil:
			all = append(all, p.omittedLives(l)...)
		case l.Actor.Kind == traces.ClientActor:
			if n := p.ThreadsOf(l.Actor.Name); n > maxThreads {
				all = append(all, fmt.Sprintf("%s has %d threads; the %s row of its lane is of all from thread %d on.", l.Title, n, ordinal(l.threads), l.threads))
			}
		case l.Actor.Kind == traces.NodeActor:
			all = append(all, p.omittedRecords(l)...)
		}
	}
	if _, more := p.EarlierLimits(); more {
		all = append(all, fmt.Sprintf("The picture marks the first %d overlaps of claims before the violation; there are more.", story.MaxLimits))
	}
	return all
}

func ordinal(n int) string {
	if n < 1 || n > 4 {
		return fmt.Sprintf("%dth", n)
	}
	return [...]string{"first", "second", "third", "fourth"}[n-1]
}

func (p *Picture) omittedLives(l *Lane) []string {
	shown, all := 0, 0
	for _, row := range l.Lives {
		shown += len(row)
	}
	for i := range p.Lives.All {
		if x := &p.Lives.All[i]; x.Place == model.PlaceLane && x.Began.Note.Noun == l.Noun {
			all++
		}
	}
	if all > shown {
		return []string{fmt.Sprintf("The picture has room for %d of %d %ss.", shown, all, wording.Printable(l.Noun))}
	}
	return nil
}

// omittedRecords returns the records of a node, and the waits for them, that have no row.
func (p *Picture) omittedRecords(l *Lane) []string {
	var without []string
	for i := range p.Presences {
		h := &p.Presences[i]
		if h.Node == l.Actor.Name && l.rowOf(h.Key) == nil && !slices.Contains(without, h.Key) {
			without = append(without, h.Key)
		}
	}
	waits := 0
	for i := range p.Lives.All {
		if x := &p.Lives.All[i]; x.Place == model.PlaceRecord && x.Node == l.Actor.Name {
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
		all = append(all, fmt.Sprintf("The lane of %s has no room for %s.", l.Title, wording.And(names)))
	}
	if waits > 0 {
		all = append(all, fmt.Sprintf("Nor does it show %d of the waits there.", waits))
		if len(without) == 0 {
			all[len(all)-1] = fmt.Sprintf("The lane of %s does not show %d of the waits there.", l.Title, waits)
		}
	}
	return all
}
