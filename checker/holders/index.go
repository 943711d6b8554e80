package holders

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// index has parts of a history by their lookup keys, so that a query does not scan the history. Each part is built on
// first use.
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
	turns    []*model.Observation  // that change who serves, or who can be reached
	threads  map[string]int        // of each client: the number of its thread, or several
	acting   map[string]*spans.Set // by authorities, when one acted that had been replaced
	crashes  map[string][]model.Stamp

	entries map[thread]*spans.Set // claims
}

// strikes are the observations of some faults.
type strikes struct{ delays, jumps, pauses []*model.Observation }

func (hs *Holders) strikes() *strikes {
	if hs.index.strikes == nil {
		s := &strikes{}
		for i := range hs.h.Observations {
			switch o := &hs.h.Observations[i]; o.Kind {
			case model.Delayed:
				s.delays = append(s.delays, o)
			case model.ClockJumped:
				s.jumps = append(s.jumps, o)
			case model.Paused:
				s.pauses = append(s.pauses, o)
			}
		}
		hs.index.strikes = s
	}
	return hs.index.strikes
}

// Pauses returns the observations of processes that were paused.
func (hs *Holders) Pauses() []*model.Observation { return hs.strikes().pauses }

// grouped has things by the number of their group, such as the ID of an operation, in their original order.
type grouped[T any] struct {
	ends []int32 // of the things of each number, in the list
	list []T
}

// newGrouped groups things by numbers from 0 to most. each passes every thing and its number to its argument. It is called
// twice, and must do the same both times.
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

// several is the thread number of a client with operations of more than one thread.
const several = -1

// threads returns the clients, each with the number of its thread, or several.
func (hs *Holders) threads() map[string]int {
	if hs.index.threads == nil {
		hs.index.threads = map[string]int{}
		for i := range hs.h.Operations {
			op := &hs.h.Operations[i]
			if one, known := hs.index.threads[op.Client]; !known {
				hs.index.threads[op.Client] = op.Thread
			} else if one != op.Thread {
				hs.index.threads[op.Client] = several
			}
		}
	}
	return hs.index.threads
}

// SeveralThreads reports whether a client has operations of more than one thread.
func (hs *Holders) SeveralThreads(client string) bool { return hs.threads()[client] == several }

// CrashAfter returns the first crash of a process after an event, or the zero Stamp.
func (hs *Holders) CrashAfter(client string, seq int64) model.Stamp {
	if hs.index.crashes == nil {
		hs.index.crashes = map[string][]model.Stamp{}
		for i := range hs.h.Observations {
			if o := &hs.h.Observations[i]; o.Kind == model.Crashed {
				hs.index.crashes[o.Node] = append(hs.index.crashes[o.Node], o.Stamp)
			}
		}
	}
	list := hs.index.crashes[client]
	n, _ := slices.BinarySearchFunc(list, seq+1, func(s model.Stamp, seq int64) int { return cmp.Compare(s.Seq, seq) })
	if n == len(list) {
		return model.Stamp{}
	}
	return list[n]
}

// record identifies a key on a node.
type record struct{ place, key string }

// thread identifies a thread of a client.
type thread struct {
	client string
	number int
}

func threadOf(op *model.Operation) thread { return thread{op.Client, op.Thread} }

// StampAt returns the stamp of a time: the time, and the number of the last event at or before it.
func (hs *Holders) StampAt(at time.Duration) model.Stamp {
	if hs.index.places == nil {
		hs.index.places = hs.allPlaces()
	}
	list := hs.index.places
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

func (hs *Holders) allPlaces() []model.Stamp {
	list := make([]model.Stamp, 0, 3*len(hs.h.Operations)+len(hs.h.Observations)+1)
	for i := range hs.h.Operations {
		op := &hs.h.Operations[i]
		list = append(list, op.Call, op.Return, op.Lost)
	}
	for i := range hs.h.Observations {
		list = append(list, hs.h.Observations[i].Stamp)
	}
	list = append(list, hs.h.End)
	slices.SortFunc(list, func(a, b model.Stamp) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq)) })
	last := int64(0)
	for i := range list {
		last = max(last, list[i].Seq)
		list[i].Seq = last
	}
	return list
}

// known returns an operation's ID, or 0 if the history does not have the operation.
func (hs *Holders) known(op int) int {
	if hs.h.Operation(op) == nil {
		return 0
	}
	return op
}

// DelaysOf returns the observations of an acquisition's late messages.
func (hs *Holders) DelaysOf(acquisition int) []*model.Observation {
	delays := hs.strikes().delays
	if len(delays) == 0 {
		return nil
	}
	if hs.index.delays == nil {
		hs.index.delays = newGrouped(len(hs.h.Operations), func(add func(int, *model.Observation)) {
			for _, o := range delays {
				add(hs.AcquisitionOf(o.By), o)
			}
		})
	}
	return hs.index.delays.of(acquisition)
}

// requestsOf returns the observations caused by an operation's requests.
func (hs *Holders) requestsOf(op int) []*model.Observation {
	if hs.index.requests == nil {
		hs.index.requests = hs.observationsBy(func(o *model.Observation) model.Origin { return o.By })
	}
	return hs.index.requests.of(hs.known(op))
}

// ownedBy returns the observations of an operation's records.
func (hs *Holders) ownedBy(op int) []*model.Observation {
	if hs.index.owners == nil {
		hs.index.owners = hs.observationsBy(func(o *model.Observation) model.Origin { return o.Owner })
	}
	return hs.index.owners.of(hs.known(op))
}

// observationsBy groups all observations by the operation of one of their origins.
func (hs *Holders) observationsBy(origin func(*model.Observation) model.Origin) *grouped[*model.Observation] {
	return newGrouped(len(hs.h.Operations), func(add func(int, *model.Observation)) {
		for i := range hs.h.Observations {
			o := &hs.h.Observations[i]
			add(hs.known(origin(o).Op), o)
		}
	})
}

// observed returns the first observation of an event, nil if there is none.
func (hs *Holders) observed(seq int64) *model.Observation {
	list := hs.h.Observations
	i, found := slices.BinarySearchFunc(list, seq, func(o model.Observation, seq int64) int { return cmp.Compare(o.Seq, seq) })
	if !found {
		return nil
	}
	return &list[i]
}

// ObservationsOf returns the observations of a key on a node, from the event on.
func (hs *Holders) ObservationsOf(place, key string, from int64) []*model.Observation {
	if hs.index.records == nil {
		hs.index.records = map[record][]*model.Observation{}
		for i := range hs.h.Observations {
			o := &hs.h.Observations[i]
			k := record{o.Place(), o.Key}
			hs.index.records[k] = append(hs.index.records[k], o)
		}
	}
	list := hs.index.records[record{place, key}]
	n, _ := slices.BinarySearchFunc(list, from, func(o *model.Observation, seq int64) int { return cmp.Compare(o.Seq, seq) })
	return list[n:]
}

// Previous returns the observation before number i of the same key on the same node, or nil.
func (hs *Holders) Previous(i int) *model.Observation {
	if hs.index.previous == nil {
		last := map[record]int32{}
		hs.index.previous = make([]int32, len(hs.h.Observations))
		for i := range hs.h.Observations {
			o := &hs.h.Observations[i]
			k := record{o.Place(), o.Key}
			hs.index.previous[i] = last[k] - 1
			last[k] = int32(i + 1)
		}
	}
	if p := hs.index.previous[i]; p >= 0 {
		return &hs.h.Observations[p]
	}
	return nil
}

// naming returns the numbers of the observations that show a key with a name.
func (hs *Holders) naming(name string) []int32 {
	if hs.index.named == nil {
		hs.index.named = map[string][]int32{}
		for i := range hs.h.Observations {
			for n := range namesIn(&hs.h.Observations[i]) {
				if list := hs.index.named[n]; len(list) == 0 || list[len(list)-1] != int32(i) {
					hs.index.named[n] = append(list, int32(i))
				}
			}
		}
	}
	return hs.index.named[name]
}

// Turns returns the observations that change which nodes serve or can be reached, and the first observation of each node
// that acts as an authority.
func (hs *Holders) Turns() []*model.Observation {
	if hs.index.turns == nil {
		hs.index.turns = []*model.Observation{}
		speaks := map[string]string{}
		for i := range hs.h.Observations {
			o := &hs.h.Observations[i]
			turns := false
			switch o.Kind {
			case model.Crashed, model.Promoted, model.Returned, model.Parted, model.United, model.Paused, model.Closed, model.Opened:
				turns = true
			}
			if o.Note == nil && o.Authority != "" && speaks[o.Authority] != o.Node {
				speaks[o.Authority], turns = o.Node, true
			}
			if turns {
				hs.index.turns = append(hs.index.turns, o)
			}
		}
	}
	return hs.index.turns
}

// extendsOf returns the Extends of an acquisition.
func (hs *Holders) extendsOf(acquisition int) []*model.Operation {
	if hs.index.extends == nil {
		hs.index.extends = newGrouped(len(hs.h.Operations), func(add func(int, *model.Operation)) {
			for i := range hs.h.Operations {
				if op := &hs.h.Operations[i]; op.Kind == model.Extend {
					add(hs.known(op.Acquisition), op)
				}
			}
		})
	}
	return hs.index.extends.of(acquisition)
}

// ClaimsOf returns the indexes in [Holders.Claims] of an acquisition's claims, by its ID.
func (hs *Holders) ClaimsOf(acquisition int) []int {
	if hs.index.claims == nil {
		hs.index.claims = newGrouped(len(hs.h.Operations), func(add func(int, int)) {
			for i := range hs.claims {
				add(hs.claims[i].Acquire.ID, i)
			}
		})
	}
	return hs.index.claims.of(acquisition)
}

// ClaimsAt returns the indexes in [Holders.Claims] of the claims of an operation's thread that are active right after an event, ascending.
// Ends by the clock are not considered.
func (hs *Holders) ClaimsAt(op *model.Operation, seq int64) []int {
	if hs.index.entries == nil {
		lists := map[thread][]spans.Span{}
		for i := range hs.claims {
			c := &hs.claims[i]
			s := spans.Span{From: c.Start.Seq, To: spans.Endless, At: i}
			if c.Stop.Happened() {
				s.To = c.Stop.Seq
			}
			lists[threadOf(c.Acquire)] = append(lists[threadOf(c.Acquire)], s)
		}
		hs.index.entries = map[thread]*spans.Set{}
		for t, list := range lists { // unordered: each for itself
			hs.index.entries[t] = spans.New(list)
		}
	}
	found := hs.index.entries[threadOf(op)].Overlapping(nil, seq, seq)
	slices.Sort(found)
	return found
}

// namesIn returns the names that a key has: its value, or its elements.
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
