package picture

import (
	"slices"

	"github.com/lockpick-dev/lockpick/traces"
)

// The heights of the parts of a picture, in pixels from the top down.
const (
	axisHeight = 24 // the time, above and below the lanes
	FlagTop    = axisHeight
	flagHeight = 20 // the violation's name
	epochTop   = FlagTop + flagHeight
	epochRow   = 18 // the epochs' names, if there are any

	captionHeight  = 22 // "what the clients believe"
	laneGap        = 6
	StripHeight    = 18 // the numbers of the steps
	beliefHeight   = 20 // waiting and claims
	actionHeight   = 20 // accesses and releases
	roleHeight     = 14
	keyHeight      = 24 // the lock's key
	smallKeyHeight = 18 // each row of them, if there are several
	extraHeight    = 15 // another key
	noteHeight     = 16 // the strip of notes
	lifeHeight     = 22 // a row of lives
	stripeHeight   = 5  // a life that waits for a record
	valueHeight    = 20 // of the resource

	printedHeight = 18 // what was printed

	maxThreads = 4
	maxRows    = 3 // of keys
	maxColors  = 8
)

// Lane is the room of one actor.
type Lane struct {
	Actor  traces.Actor
	Title  string
	Note   string // under the title
	Top    float64
	height float64
	color  int // of a client, from 0
	// threads is the number of rows of a client, rows are those of a node's keys.
	threads int
	rows    []keyRow
	// strip is where in the lane a node's notes are drawn; 0 if it has none.
	strip float64
	// Lives are the rows of a lane of lives, by their index in the story, and Noun is the store's noun for them; nil in other
	// lanes.
	Lives   [][]int
	Noun    string
	Caption string // above the lane, if it is the first of its group
}

// Bottom returns where a lane ends.
func (l *Lane) Bottom() float64 { return l.Top + l.height }

// above returns the base line of texts above a lane's bars, where the numbers of steps are.
func (l *Lane) above() float64 { return l.Top + StripHeight - 6 }

// port returns where messages leave a lane upwards or downwards.
func (l *Lane) port(other *Lane) float64 {
	if other.Top > l.Top {
		return l.Bottom()
	}
	if l.Actor.Kind == traces.ClientActor {
		return l.Top
	}
	return l.Top + StripHeight
}

// Lane returns the lane of an actor, or nil.
func (p *Canvas) Lane(name string) *Lane {
	for i := range p.Lanes {
		if p.Lanes[i].Actor.Name == name {
			return &p.Lanes[i]
		}
	}
	return nil
}

// index returns the index of a lane.
func (p *Canvas) index(l *Lane) int {
	return slices.IndexFunc(p.Lanes, func(o Lane) bool { return o.Top == l.Top })
}

// ColorOf returns the class of a client's colour, or of the colour for no client.
func (p *Canvas) ColorOf(client string) string {
	if l := p.Lane(client); l != nil && l.Actor.Kind == traces.ClientActor {
		return colorClass(l.color)
	}
	return "kx"
}

func colorClass(n int) string { return "k" + string(rune('0'+n%maxColors)) }

// keyRow is a row of a node's lane. No two of its keys exist at the same time.
type keyRow struct {
	keys []string
	// top is where it begins in the lane. A lock's row shows the remaining time of the record.
	top, height float64
	lock        bool
	// queue is the number of stripes below it, of sessions that wait for its keys.
	queue int
}

// has reports whether the row shows a key.
func (r *keyRow) has(key string) bool { return slices.Contains(r.keys, key) }

// bottom returns where it ends in the lane, with its queue.
func (r *keyRow) bottom() float64 { return r.top + r.height + float64(r.queue)*stripeHeight }

// rowOf returns the row of a key, or nil.
func (l *Lane) rowOf(key string) *keyRow {
	for i := range l.rows {
		if l.rows[i].has(key) {
			return &l.rows[i]
		}
	}
	return nil
}
