package checker

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// index has parts of a history by what they are looked up by, so that a question does not go through all of it. Each is
// made when it is asked for first.
type index struct {
	places   []model.Stamp // of all events, by their times; each with the last event until then
	strikes  *strikes
	requests *grouped[*model.Observation] // of each operation
	owners   *grouped[*model.Observation] // what each operation owns
	delays   *grouped[*model.Observation] // of each acquisition
	extends  *grouped[*model.Operation]   // of each acquisition
	claims   *grouped[int]                // of each acquisition, by their numbers
	records  map[record][]*model.Observation
	previous []int32
	named    map[string][]int32
	turns    []*model.Observation // that change who serves, or who can be reached
	threads  map[string]int       // of each client: the number of its thread, or several
	busy     map[string]*spans    // operations, by their clients
	claimed  map[string]*spans    // claims, by their clients
	acting   map[string]*spans    // by authorities, when one acted that had been replaced
	crashes  map[string][]model.Stamp

	entries map[thread]*spans // claims
	holds   map[string]*spans // acquisitions, by their clients: from the number of their return to the time of hasUntil
}

// strikes are the observations of some faults.
type strikes struct{ delays, jumps, pauses []*model.Observation }

func (j *Judge) strikes() *strikes {
	if j.index.strikes == nil {
		s := &strikes{}
		for i := range j.h.Observations {
			switch o := &j.h.Observations[i]; o.Kind {
			case model.Delayed:
				s.delays = append(s.delays, o)
			case model.ClockJumped:
				s.jumps = append(s.jumps, o)
			case model.Paused:
				s.pauses = append(s.pauses, o)
			}
		}
		j.index.strikes = s
	}
	return j.index.strikes
}

// grouped has things by the number of what they belong to, such as the ID of an operation, in their order.
type grouped[T any] struct {
	ends []int32 // of the things of each number, in the list
	list []T
}

// newGrouped groups things by numbers from 0 to most. Each calls its argument with every thing and its number; it is
// called twice, and must do the same both times.
func newGrouped[T any](most int, each func(add func(number int, thing T))) *grouped[T] {
	s := &grouped[T]{ends: make([]int32, most+1)}
	each(func(number int, _ T) { s.ends[number]++ })
	for i := range s.ends {
		if i > 0 {
			s.ends[i] += s.ends[i-1]
		}
	}
	s.list = make([]T, s.ends[most])
	next := make([]int32, most+1)
	copy(next[1:], s.ends)
	each(func(number int, thing T) {
		s.list[next[number]] = thing
		next[number]++
	})
	return s
}

func (s *grouped[T]) of(number int) []T {
	if number == 0 {
		return s.list[:s.ends[0]]
	}
	return s.list[s.ends[number-1]:s.ends[number]]
}

// several stands for the threads of a client that has operations of more than one.
const several = -1

// threads has the clients, each with the number of its thread, or several.
func (j *Judge) threads() map[string]int {
	if j.index.threads == nil {
		j.index.threads = map[string]int{}
		for i := range j.h.Operations {
			op := &j.h.Operations[i]
			if one, known := j.index.threads[op.Client]; !known {
				j.index.threads[op.Client] = op.Thread
			} else if one != op.Thread {
				j.index.threads[op.Client] = several
			}
		}
	}
	return j.index.threads
}

// crashAfter returns when the process first crashed after the event, or the
// zero Stamp.
func (j *Judge) crashAfter(client string, seq int64) model.Stamp {
	if j.index.crashes == nil {
		j.index.crashes = map[string][]model.Stamp{}
		for i := range j.h.Observations {
			if o := &j.h.Observations[i]; o.Kind == model.Crashed {
				j.index.crashes[o.Node] = append(j.index.crashes[o.Node], o.Stamp)
			}
		}
	}
	list := j.index.crashes[client]
	n, _ := slices.BinarySearchFunc(list, seq+1, func(s model.Stamp, seq int64) int { return cmp.Compare(s.Seq, seq) })
	if n == len(list) {
		return model.Stamp{}
	}
	return list[n]
}

// record is a key on a node.
type record struct{ place, key string }

// thread is one of a client.
type thread struct {
	client string
	number int
}

func threadOf(op *model.Operation) thread { return thread{op.Client, op.Thread} }

// stampAt returns the place in the run at the given time: the time, and the
// last event that the history knows until then.
func (j *Judge) stampAt(at time.Duration) model.Stamp {
	if j.index.places == nil {
		j.index.places = j.allPlaces()
	}
	list := j.index.places
	n, _ := slices.BinarySearchFunc(list, at, func(s model.Stamp, at time.Duration) int {
		if s.At <= at {
			return -1
		}
		return 1
	})
	if n == 0 {
		return model.Stamp{At: at}
	}
	return model.Stamp{At: at, Seq: list[n-1].Seq}
}

func (j *Judge) allPlaces() []model.Stamp {
	list := make([]model.Stamp, 0, 3*len(j.h.Operations)+len(j.h.Observations)+1)
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		list = append(list, op.Call, op.Return, op.Lost)
	}
	for i := range j.h.Observations {
		list = append(list, j.h.Observations[i].Stamp)
	}
	list = append(list, j.h.End)
	slices.SortFunc(list, func(a, b model.Stamp) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq)) })
	last := int64(0)
	for i := range list {
		last = max(last, list[i].Seq)
		list[i].Seq = last
	}
	return list
}

// known is an operation's ID, or 0 if the history has none of it.
func (j *Judge) known(op int) int {
	if j.h.Operation(op) == nil {
		return 0
	}
	return op
}

// delaysOf are the observations that something of an acquisition was held back.
func (j *Judge) delaysOf(acquisition int) []*model.Observation {
	delays := j.strikes().delays
	if len(delays) == 0 {
		return nil
	}
	if j.index.delays == nil {
		j.index.delays = newGrouped(len(j.h.Operations), func(add func(int, *model.Observation)) {
			for _, o := range delays {
				add(j.acquisitionOf(o.By), o)
			}
		})
	}
	return j.index.delays.of(acquisition)
}

// requestsOf are the observations of what an operation's requests did.
func (j *Judge) requestsOf(op int) []*model.Observation {
	if j.index.requests == nil {
		j.index.requests = j.observationsBy(func(o *model.Observation) model.Origin { return o.By })
	}
	return j.index.requests.of(j.known(op))
}

// ownedBy are the observations of what an operation owns.
func (j *Judge) ownedBy(op int) []*model.Observation {
	if j.index.owners == nil {
		j.index.owners = j.observationsBy(func(o *model.Observation) model.Origin { return o.Owner })
	}
	return j.index.owners.of(j.known(op))
}

// observationsBy are all observations by the operation of one of their origins.
func (j *Judge) observationsBy(origin func(*model.Observation) model.Origin) *grouped[*model.Observation] {
	return newGrouped(len(j.h.Operations), func(add func(int, *model.Observation)) {
		for i := range j.h.Observations {
			o := &j.h.Observations[i]
			add(j.known(origin(o).Op), o)
		}
	})
}

// observed is the first observation of an event, nil if there is none.
func (j *Judge) observed(seq int64) *model.Observation {
	list := j.h.Observations
	i, found := slices.BinarySearchFunc(list, seq, func(o model.Observation, seq int64) int { return cmp.Compare(o.Seq, seq) })
	if !found {
		return nil
	}
	return &list[i]
}

// told are the observations of a key on a node, from an event on.
func (j *Judge) told(place, key string, from int64) []*model.Observation {
	if j.index.records == nil {
		j.index.records = map[record][]*model.Observation{}
		for i := range j.h.Observations {
			o := &j.h.Observations[i]
			k := record{o.Place(), o.Key}
			j.index.records[k] = append(j.index.records[k], o)
		}
	}
	list := j.index.records[record{place, key}]
	n, _ := slices.BinarySearchFunc(list, from, func(o *model.Observation, seq int64) int { return cmp.Compare(o.Seq, seq) })
	return list[n:]
}

// before is the observation before number i of the same key on the same node, or nil.
func (j *Judge) before(i int) *model.Observation {
	if j.index.previous == nil {
		last := map[record]int32{}
		j.index.previous = make([]int32, len(j.h.Observations))
		for i := range j.h.Observations {
			o := &j.h.Observations[i]
			k := record{o.Place(), o.Key}
			j.index.previous[i] = last[k] - 1
			last[k] = int32(i + 1)
		}
	}
	if p := j.index.previous[i]; p >= 0 {
		return &j.h.Observations[p]
	}
	return nil
}

// naming are the numbers of the observations that show a key with a name.
func (j *Judge) naming(name string) []int32 {
	if j.index.named == nil {
		j.index.named = map[string][]int32{}
		for i := range j.h.Observations {
			for n := range namesIn(&j.h.Observations[i]) {
				if list := j.index.named[n]; len(list) == 0 || list[len(list)-1] != int32(i) {
					j.index.named[n] = append(list, int32(i))
				}
			}
		}
	}
	return j.index.named[name]
}

// turns are the observations that change who serves or who can be reached, and those by which another node speaks for
// an authority than before.
func (j *Judge) turns() []*model.Observation {
	if j.index.turns == nil {
		j.index.turns = []*model.Observation{}
		speaks := map[string]string{}
		for i := range j.h.Observations {
			o := &j.h.Observations[i]
			turns := false
			switch o.Kind {
			case model.Crashed, model.Promoted, model.Returned, model.Parted, model.United, model.Paused, model.Closed, model.Opened:
				turns = true
			}
			if o.Note == nil && o.Authority != "" && speaks[o.Authority] != o.Node {
				speaks[o.Authority], turns = o.Node, true
			}
			if turns {
				j.index.turns = append(j.index.turns, o)
			}
		}
	}
	return j.index.turns
}

// extendsOf are the Extends of an acquisition.
func (j *Judge) extendsOf(acquisition int) []*model.Operation {
	if j.index.extends == nil {
		j.index.extends = newGrouped(len(j.h.Operations), func(add func(int, *model.Operation)) {
			for i := range j.h.Operations {
				if op := &j.h.Operations[i]; op.Kind == model.Extend {
					add(j.known(op.Acquisition), op)
				}
			}
		})
	}
	return j.index.extends.of(acquisition)
}

// claimsOf are the numbers of an acquisition's claims.
func (j *Judge) claimsOf(acquisition int) []int {
	if j.index.claims == nil {
		j.index.claims = newGrouped(len(j.h.Operations), func(add func(int, int)) {
			for i := range j.claims {
				add(j.claims[i].op.ID, i)
			}
		})
	}
	return j.index.claims.of(acquisition)
}

// claimsAt are the numbers of a thread's claims that stand right after an event, unless the clock has ended them, ascending.
func (j *Judge) claimsAt(t thread, seq int64) []int {
	if j.index.entries == nil {
		lists := map[thread][]span{}
		for i := range j.claims {
			c := &j.claims[i]
			s := span{c.start.Seq, endless, i}
			if c.stop.Happened() {
				s.to = c.stop.Seq
			}
			lists[threadOf(c.op)] = append(lists[threadOf(c.op)], s)
		}
		j.index.entries = map[thread]*spans{}
		for t, list := range lists { // unordered: each for itself
			j.index.entries[t] = newSpans(list)
		}
	}
	found := j.index.entries[t].overlapping(nil, seq, seq)
	slices.Sort(found)
	return found
}

// namesIn are the names that a key has: its value, or its elements.
func namesIn(o *model.Observation) iter.Seq[string] {
	return func(yield func(string) bool) {
		switch step := 1; {
		case o.Kind != model.RecordCreated && o.Kind != model.RecordChanged:
		case o.Type == "":
			yield(o.Value)
		default:
			if o.Type == "hash" || o.Type == "zset" {
				step = 2
			}
			for i := 0; i < len(o.Items) && yield(o.Items[i]); i += step {
			}
		}
	}
}
