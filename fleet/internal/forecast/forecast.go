package forecast

import (
	"math/rand/v2"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Rules are the rules of the fleet.
type Rules struct {
	Lease time.Duration // how long a worker may be silent
	Beat  time.Duration // how often it renews a lease
	Alive time.Duration // how often it reports that it lives
	Look  time.Duration // between two looks of the server at the bucket
	Again time.Duration // how long a worker waits for the queue to hear an acknowledgement
	Tries int           // how often a piece is handed out before it is set aside
	// Readers is how many results the server reads at a time.
	Readers int
}

// World is the environment of a fleet.
type World struct {
	Seed     uint64
	Workers  int
	Schedule time.Duration // processor time of one schedule on a machine of speed 100
	// Slowest and Fastest are the limits of the speeds, in per cent, and Spread is the variation of a piece's cost in per
	// cent.
	Slowest, Fastest, Spread int
	Queue                    time.Duration // a request to the queue and its answer
	Bucket                   time.Duration // a request to the bucket and its answer
	Names                    int           // number of names in one answer of the bucket
	Read, Merge              time.Duration // processor time of the server to read a result and to merge it
	Processors               int           // of the server
	// Life is the average life of a worker, and Away the average time until another starts; Calm is the average time without a
	// pause, and Pause the average length of one; each is 0 for never. Down is how long the server is gone, in the middle of
	// the search; 0 for never.
	Life, Away, Calm, Pause, Down time.Duration
}

// Outcome is the result of a search.
type Outcome struct {
	Pieces     int
	Results    int           // pieces that have one at the end
	Wall       time.Duration // from the first piece that was handed out to the joined result
	Tail       time.Duration // of it, from the last piece that is handed out for the first time to the last result
	Merge      time.Duration // of it, after the last result is in the bucket
	Work       time.Duration // processor time of the search on one machine of speed 100
	SpeedUp    float64       // Work / Wall
	Efficiency float64       // the share of the capacity of all workers, by their speeds
	Deaths     int
	Pauses     int
	Again      int           // pieces that were handed out again
	Found      int           // of these and of late ones, those whose result was found and not searched again
	Lost       time.Duration // processor time, at speed 100, of unfinished pieces of dead workers
	Twice      time.Duration // the same for results that were already there
	Doubles    int           // the number of these
	Aside      int           // pieces that were set aside
	Server     float64       // processor time of the server for results / Wall
	Messages   float64       // of the queue, for each second of the search, all workers at work
}

// piece is a piece of the plan.
type piece struct {
	blocks  int
	given   int // how often it was handed out
	kept    bool
	acked   bool
	aside   bool
	waiting bool // to be handed out again
}

// simulation is a fleet at work.
type simulation struct {
	clock
	rules   Rules
	world   World
	plan    pieces.Plan
	pieces  []piece
	fresh   int   // the first piece that was never handed out
	again   []int // those to hand out again, before others
	workers []*worker
	idle    []*worker
	up      bool
	server  server
	outcome Outcome
	last    time.Duration // time at which the last fresh piece was handed out
	kept    int
	aside   int
	end     bool
}

// Run searches a number of schedules.
func Run(schedules int, rules Rules, world World) Outcome {
	blocks := (schedules + explore.BlockSize - 1) / explore.BlockSize
	return run(pieces.NewPlan(blocks, 0), rules, world)
}

func run(plan pieces.Plan, rules Rules, world World) Outcome {
	s := &simulation{rules: rules, world: world, plan: plan, pieces: make([]piece, plan.Pieces()), up: true}
	for n := range s.pieces {
		r := plan.Range(n)
		s.pieces[n].blocks = r.End - r.First
	}
	speeds := 0
	for n := range world.Workers {
		w := &worker{simulation: s, rng: rand.New(rand.NewPCG(world.Seed, uint64(n)))}
		w.speed = world.Slowest + w.rng.IntN(world.Fastest-world.Slowest+1)
		speeds += w.speed
		s.workers = append(s.workers, w)
		w.born()
	}
	s.server = server{simulation: s}
	enough := 1000*time.Hour + 10*time.Duration(plan.Blocks*explore.BlockSize)*world.Schedule // a longer search does not end
	s.run(func() bool { return s.end || s.now > enough })
	return s.result(speeds)
}

// result returns the outcome.
func (s *simulation) result(speeds int) Outcome {
	o := &s.outcome
	o.Pieces, o.Results, o.Wall, o.Aside = len(s.pieces), s.kept, s.now, s.aside
	o.Work = time.Duration(s.plan.Blocks*explore.BlockSize) * s.world.Schedule
	o.SpeedUp = float64(o.Work) / float64(o.Wall)
	o.Efficiency = o.SpeedUp / (float64(speeds) / 100)
	o.Server = float64(s.server.busy) / float64(o.Wall)
	const each = 6 // the request, the piece, the acknowledgement and its answer, the report, and a message that is stored
	o.Messages = float64(each*(o.Pieces+o.Again))/o.Wall.Seconds() + float64(s.world.Workers)*(1/s.rules.Beat.Seconds()+1/s.rules.Alive.Seconds())
	return *o
}

// ask gives a worker the next piece, or makes it wait for one.
func (s *simulation) ask(w *worker) {
	s.idle = append(s.idle, w)
	s.serve()
}

// serve hands out the available pieces to waiting workers.
func (s *simulation) serve() {
	for s.up && len(s.idle) > 0 {
		n, first := s.next()
		if n < 0 {
			return
		}
		w := s.idle[0]
		s.idle = s.idle[1:]
		p := &s.pieces[n]
		p.given++
		if first {
			s.last = s.now
		} else {
			s.outcome.Again++
		}
		w.take(n)
	}
}

// next returns the piece to hand out, -1 for none. Pieces to hand out again come first, as with NATS.
func (s *simulation) next() (n int, first bool) {
	for len(s.again) > 0 {
		n = s.again[0]
		s.again = s.again[1:]
		p := &s.pieces[n]
		p.waiting = false
		switch {
		case p.acked || p.aside:
		case p.given >= s.rules.Tries && !p.kept:
			p.aside = true
			s.aside++
			s.server.heard()
		default:
			return n, false
		}
	}
	if s.fresh == len(s.pieces) {
		return -1, false
	}
	s.fresh++
	return s.fresh - 1, true
}

// expire hands a piece out again.
func (s *simulation) expire(n int) {
	if p := &s.pieces[n]; !p.acked && !p.aside && !p.waiting {
		p.waiting = true
		s.again = append(s.again, n)
		s.serve()
	}
}
