package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// herd measures the cost of a release when many wait.
var herd = &Experiment{
	ID:       "herd",
	Summary:  "wake-ups and the time to hand a lock over, by how those who wait learn of it",
	Question: "How many clients does a release wake, and how long does it take until the next one has the lock?",
	Source:   "crazymakercircle and others: Distributed locks (ZooKeeper: each waiter watches the znode before its own)",
	Seeds:    5,
	Settings: []Setting{
		{Name: "waiters", About: "the most clients that wait; runs have 2, 5, 10, 20, 50, 100 and 200, up to that", Unit: 1, Default: 200, Min: 2, Max: 200},
		{Name: "hold", About: "how long the lock is held, and how long a client stays away after that", Unit: time.Millisecond, Default: 10, Min: 1, Max: 60_000},
		{Name: "pause", About: "least pause between two tries of those who poll; it is drawn from [pause, 2*pause)", Unit: time.Millisecond, Default: 10, Min: 1, Max: 60_000},
		{Name: "holds", About: "holds that there would be if handing over took no time", Unit: 1, Default: 50, Min: 10, Max: 100_000},
	},
	Variants: herdVariants,
	Report:   reportHerd,
}

// herdSizes are the numbers of waiting clients.
var herdSizes = []int{2, 5, 10, 20, 50, 100, 200}

// herdLock is a lock of the program that is an example of a way to wait.
type herdLock struct{ id, waits string }

var herdLocks = []herdLock{
	{"setpx", "polls Redis"},
	{"reentrant", "is told by a message of Redis"},
	{"zookeeper-herd", "watches the first in ZooKeeper"},
	{"zookeeper", "watches the one before in ZooKeeper"},
	{"etcd", "watches the one before in etcd"},
	{"db-row", "waits in MySQL, FOR UPDATE"},
}

func herdVariants(v Values, locks []cell.Lock) (list []Variant, _ error) {
	for _, h := range herdLocks {
		i := slices.IndexFunc(locks, func(l cell.Lock) bool { return l.ID == h.id })
		if i < 0 {
			continue // a note of the report names it
		}
		for _, n := range upTo(herdSizes, v["waiters"]) {
			list = append(list, Variant{Name: herdName(h, n), Plan: contention{
				lock: locks[i], clients: n + 1, hold: v.Duration("hold"), away: v.Duration("hold"), pause: v.Duration("pause"),
				lease: time.Minute, gathers: true, warmUp: 2 * time.Second, lasts: time.Duration(v["holds"]) * v.Duration("hold"),
			}.plan()})
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the program has none of the locks of this experiment")
	}
	return list, nil
}

func herdName(h herdLock, waiters int) string { return fmt.Sprintf("%s, %d waiters", h.waits, waiters) }

// herdResults are the results by way to wait and number of waiters.
type herdResults struct {
	bySize
	ways []herdLock // those of the program
}

func newHerdResults(r Results) herdResults {
	h := herdResults{bySize: bySize{Results: r, what: "a client that waits", one: "waiter", sizes: upTo(herdSizes, r.Values["waiters"])}}
	for _, l := range herdLocks {
		if slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.Name == herdName(l, h.sizes[0]) }) {
			h.ways, h.rows = append(h.ways, l), append(h.rows, l.waits)
		}
	}
	return h
}

func reportHerd(r Results) labreport.Report {
	h := newHerdResults(r)
	wakeUps, requests := perAcquisition(received), perAcquisition((*lab.Sample).Asked)
	return labreport.Report{
		Tables: []labreport.Table{
			h.table("Segments that clients receive per hand-over", "", wakeUps),
			h.table("Requests to the store per hand-over", "", requests),
			h.table("Time to hand the lock over, median", "ms", handover(0.5)),
			h.table("Time to hand the lock over, 99 %", "ms", handover(0.99)),
		},
		Plots: []labreport.Plot{
			h.plot("Segments that clients receive per hand-over", "segments", "", wakeUps),
			h.plot("Requests to the store per hand-over", "requests", "", requests),
			h.plot("Time to hand the lock over, median", "time", "ms", handover(0.5)),
			h.plot("Time to hand the lock over, 99 %", "time", "ms", handover(0.99)),
		},
		Claims: h.claims(wakeUps, requests),
		Notes:  h.notes(),
	}
}

// way returns the index of a way by the ID of its lock, -1 if the program does not have it.
func (h herdResults) way(id string) int {
	return slices.IndexFunc(h.ways, func(l herdLock) bool { return l.id == id })
}

// claims returns the claims about locks of the program.
func (h herdResults) claims(wakeUps, requests func(*lab.Sample) float64) (list []labreport.Claim) {
	last := h.last()
	if last == 0 {
		return nil // nothing grows
	}
	few, many := h.sizes[0], h.sizes[last]
	// grows returns the factor by which something grows up to the most waiters.
	grows := func(s []*lab.Sample, way int, of func(*lab.Sample) float64) float64 {
		return of(s[h.at(way, last)]) / of(s[h.at(way, 0)])
	}
	claim := func(sentence string, ids []string, holds func(s []*lab.Sample, ways []int) bool) {
		var ways []int
		for _, id := range ids {
			ways = append(ways, h.way(id))
		}
		if !slices.Contains(ways, -1) {
			list = append(list, h.Claim(sentence, func(s []*lab.Sample) bool { return holds(s, ways) }))
		}
	}
	half := float64(many) / float64(few) / 2
	all := func(s []*lab.Sample, ways []int) bool { return grows(s, ways[0], wakeUps) >= half }
	claim(fmt.Sprintf("Where all watch the first, %d waiters receive at least %.0f times as much as %d: a release wakes them all.", many, half, few), []string{"zookeeper-herd"}, all)
	claim(fmt.Sprintf("Where all listen to a message, %d waiters receive at least %.0f times as much as %d.", many, half, few), []string{"reentrant"}, all)
	one := func(s []*lab.Sample, ways []int) bool { return grows(s, ways[0], wakeUps) <= 2 }
	claim("Where each watches the one before in ZooKeeper, what clients receive per hand-over does not double, however many wait: only the next one is told.", []string{"zookeeper"}, one)
	claim("The same is true of etcd.", []string{"etcd"}, one)
	claim("The same is true of those that wait in MySQL.", []string{"db-row"}, one)
	claim(fmt.Sprintf("With %d waiters, watching the one before hands the lock over faster than watching the first.", many), []string{"zookeeper", "zookeeper-herd"}, func(s []*lab.Sample, ways []int) bool {
		return handover(0.5)(s[h.at(ways[0], last)]) < handover(0.5)(s[h.at(ways[1], last)])
	})
	saves := fmt.Sprintf("A message saves requests over polling: fewer per hand-over with %d waiters.", many)
	claim(saves, []string{"reentrant", "setpx"}, func(s []*lab.Sample, ways []int) bool {
		return requests(s[h.at(ways[0], last)]) < requests(s[h.at(ways[1], last)])
	})
	claim(fmt.Sprintf("With %d waiters, Redis hands the lock over faster by a message than ZooKeeper to the next: a write in ZooKeeper goes to all servers.", few), []string{"reentrant", "zookeeper"}, func(s []*lab.Sample, ways []int) bool {
		return handover(0.5)(s[h.at(ways[0], 0)]) < handover(0.5)(s[h.at(ways[1], 0)])
	})
	for i := range list {
		if list[i].Sentence == saves {
			list[i].Note = "A message wakes all who wait, and each asks once. Who polls asks once in a pause: that is more only if a hold lasts for longer than a pause."
		}
	}
	return list
}

func (h herdResults) notes() []string {
	notes := []string{
		"One client has the lock, so many others wait. Each is a process of its own, and comes back after a release when it has stayed away for as long as it held the lock.",
		"What clients receive are the segments that arrive at their connections: answers, messages and events. What is received and asked for during the first two seconds, in which the clients connect, does not count. Renewals of sessions and leases do.",
		"On real servers, each read of a connection is a segment: an answer that comes in two parts counts twice, and what gRPC says of its own flow counts too.",
		"The time to hand over is that from the call of a release to the return of the next Acquire, where somebody waited when the release was called.",
		"To send a message or an event takes a server no time in the simulation, so a herd costs what its requests cost.",
	}
	if h.way("etcd") >= 0 {
		notes = append(notes, "A server of etcd that has already had the revision from which a watch begins tells the watch of it with its next round, one every 100 ms. Those are the longest hand-overs of etcd.")
	}
	var missing []string
	for _, l := range herdLocks {
		if h.way(l.id) < 0 {
			missing = append(missing, l.id)
		}
	}
	if len(missing) > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, as this program does not have the %s: %s.",
			wording.Count(len(missing), "way")+" to wait "+map[bool]string{true: "is", false: "are"}[len(missing) == 1],
			map[bool]string{true: "lock", false: "locks"}[len(missing) == 1], strings.Join(missing, ", ")))
	}
	return notes
}
