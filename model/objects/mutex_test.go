package objects_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// mutexRules hold for every kind of mutex.
var mutexRules = []rule{
	{"one after the other", "a acquire 1-2 ok; a release 3-4 ok; b acquire 5-6 ok", true},
	{"both", "a acquire 1-2 ok; b acquire 3-4 ok; a release 5-6 ok", false},
	{"in the course of the release", "a acquire 1-2 ok; a release 3-6 ok; b acquire 4-5 ok", true},
	{"returns and calls at one event", "a acquire 1-2 ok; a release 3-4 ok; b acquire 4-4 ok", true},
	{"two objects", "a acquire 1-2 ok; b acquire 3-4 ok object=p", true},
	{"each illegal object counts", "a acquire 1-2 ok; b acquire 3-4 ok object=p; c acquire 5-6 ok object=p", false},

	{"released by another one", "a acquire 1-2 ok; b release 3-4 ok", false},
	{"released by another one, who names the hold", "a acquire 1-2 ok; b release 3-4 ok of=1", true},
	{"released by another thread", "a acquire 1-2 ok; a release 3-4 ok thread=1", false},
	{"released by the same owner", "a acquire 1-2 ok owner=x; a release 3-4 ok thread=1 owner=x", true},
	{"released twice", "a acquire 1-2 ok; a release 3-4 ok; a release 5-6 ok", false},
	{"released what it has not", "a release 1-2 ok", false},
	{"release denied, and nobody had it", "a release 1-2 failed", true},
	{"release denied ends the hold", "a acquire 1-2 ok; a release 3-4 failed; b acquire 5-6 ok", true},
	{"a second release, denied, harms nobody", "a acquire 1-2 ok; a release 3-4 ok; b acquire 5-6 ok; a release 7-8 failed; c acquire 9-10 ok", false},
	{"a release with no answer may come", "a acquire 1-2 ok; a release 3-; b acquire 4-5 ok", true},
	{"a release with no answer may come late", "a acquire 1-2 ok; a release 3-; b acquire 4-5 failed try; b acquire 6-7 ok", true},
	{"a release with no answer comes once", "a acquire 1-2 ok; a release 3-; b acquire 4-5 ok; c acquire 6-7 ok", false},

	{"a try fails on a free one", "a acquire 1-2 failed try", false},
	{"a try fails before", "a acquire 1-2 failed try; b acquire 3-4 ok", false},
	{"a try fails beside", "a acquire 1-4 failed try; b acquire 2-3 ok", true},
	{"a try fails after", "b acquire 1-2 ok; a acquire 3-4 failed try", true},
	{"a try fails between two", "b acquire 1-2 ok; b release 3-4 ok; a acquire 5-6 failed try; c acquire 7-8 ok", false},
	{"giving up says nothing", "a acquire 1-2 failed; b acquire 3-4 ok; b release 5-6 ok; a acquire 7-8 failed", true},

	{"no answer: it may have it", "a acquire 1-; b acquire 2-3 failed try", true},
	{"no answer: it may not", "a acquire 1-; b acquire 2-3 ok; b acquire 4-5 failed try", true},
	{"no answer is an answer that leaves it open", "a acquire 1-2 unknown; a acquire 3-4 ok; b acquire 5-6 failed try", true},
	{"no answer: not before its call", "b acquire 1-2 failed try; a acquire 3-", false},
	{"no answer, and then released", "a acquire 1-; a release 2-3 ok of=1; b acquire 4-5 ok", true},
	{"no answer, and somebody else has it when it releases", "a acquire 1-; b acquire 2-3 ok; a release 4-5 ok of=1", false},

	{"crash of the holder", "a acquire 1-2 ok; a crash 3-; b acquire 4-5 ok", true},
	{"the lock may outlast the crash", "a acquire 1-2 ok; a crash 3-; b acquire 4-5 failed try; b acquire 6-7 ok", true},
	{"crash of somebody else", "a acquire 1-2 ok; b crash 3-; b acquire 4-5 ok", false},
	{"not before the crash", "a acquire 1-2 ok; b acquire 3-4 ok; a crash 5-", false},
	{"one crash frees once", "a acquire 1-2 ok; a crash 3-; a acquire 4-5 ok; b acquire 6-7 ok", false},
	{"crash while it acquires", "a acquire 1-; a crash 2-; b acquire 3-4 failed try; b acquire 5-6 ok", true},
	{"crash on all objects", "a acquire 1-2 ok; a acquire 3-4 ok object=p; a crash 5-; b acquire 6-7 ok; b acquire 8-9 ok object=p", true},
	{"crash on one object", "a acquire 1-2 ok; a acquire 3-4 ok object=p; a crash 5- object=p; b acquire 6-7 ok", false},
	{"crash after the release", "a acquire 1-2 ok; a release 3-4 ok; a crash 5-; b acquire 6-7 ok; c acquire 8-9 ok", false},
	{"crash in the course of the release", "a acquire 1-2 ok; a release 3-8 failed; a crash 5-; b acquire 6-7 ok", true},
	{"the hold is said to lapse", "a acquire 1-2 ok; a expire 3- of=1; b acquire 4-5 ok", true},
	{"another hold is said to lapse", "a acquire 1-2 ok; a release 3-4 ok; b acquire 5-6 ok; a expire 7- of=1; c acquire 8-9 ok", false},
}

// onceRules hold for those that one owner has once only.
var onceRules = []rule{
	{"it is not re-entrant", "a acquire 1-2 ok; a acquire 3-4 ok", false},
	{"its owner's try fails too", "a acquire 1-2 ok; a acquire 3-4 failed try", true},
}

// lastingRules hold where nothing makes a try fail but a hold that somebody has
// to end: neither one who queues nor a lease that may run out.
var lastingRules = []rule{
	{"no answer: it cannot have let go", "a acquire 1-; b acquire 2-3 failed try; b acquire 4-5 ok", false},
}

func TestMutex(t *testing.T) {
	for _, story := range stories {
		s := story.spec
		switch s.Kind {
		case model.KindMutex, model.KindFenced:
			t.Run(string(s.Kind), func(t *testing.T) { testRules(t, s, slices.Concat(mutexRules, onceRules, lastingRules)) })
		case model.KindLeased, model.KindFair:
			t.Run(string(s.Kind), func(t *testing.T) { testRules(t, s, slices.Concat(mutexRules, onceRules)) })
		}
	}
}

func TestLeased(t *testing.T) {
	testRules(t, spec(model.KindLeased), []rule{
		{"before the end", "a acquire 1-2 ok until=5; b acquire 3-4 ok", false},
		{"at the end", "a acquire 1-2 ok until=5; b acquire 3-5 ok", true},
		{"after the end", "a acquire 1-2 ok until=5; b acquire 6-7 ok", true},
		{"it may last longer", "a acquire 1-2 ok until=5; b acquire 6-7 failed try; a release 8-9 ok", true},
		{"released after the end, when another one has it", "a acquire 1-2 ok until=5; b acquire 6-7 ok; a release 8-9 ok", false},
		{"release denied, when another one has it", "a acquire 1-2 ok until=5; b acquire 6-7 ok; a release 8-9 failed; c acquire 10-11 ok", false},
		{"extended", "a acquire 1-2 ok until=5; a extend 3-4 ok until=9; b acquire 6-7 ok", false},
		{"after the new end", "a acquire 1-2 ok until=5; a extend 3-4 ok until=9; b acquire 9-10 ok", true},
		{"extended for good", "a acquire 1-2 ok until=5; a extend 3-4 ok; b acquire 9-10 ok", false},
		{"extended by another one", "a acquire 1-2 ok until=5; b extend 3-4 ok until=9", false},
		{"extended after another one had it", "a acquire 1-2 ok until=3; b acquire 4-5 ok; b release 6-7 ok; a extend 8-9 ok until=12", false},
		{"extend denied", "a acquire 1-2 ok until=5; a extend 3-4 failed; b acquire 6-7 ok", true},
		{"extend with no answer cannot be relied on", "a acquire 1-2 ok until=5; a extend 3-; b acquire 6-7 ok", true},
		{"shortened", "a acquire 1-2 ok until=9; a extend 3-4 ok until=5; b acquire 6-7 ok", true},
		{"no answer: it may have let go", "a acquire 1-; b acquire 2-3 failed try; b acquire 4-5 ok", true},
		{"no answer, but extended", "a acquire 1-; a extend 2-3 ok of=1 until=9; b acquire 4-5 ok", false},
		{"loss is learnt", "a acquire 1-2 ok until=9; a expire 3- of=1; b acquire 4-5 ok", true},
		{"loss of the hold before", "a acquire 1-2 ok; a release 3-4 ok; a acquire 5-6 ok until=20; a expire 7- of=1; b acquire 8-9 ok", false},
	})
}

func TestFenced(t *testing.T) {
	testRules(t, spec(model.KindFenced), []rule{
		{"growing", "a acquire 1-2 ok token=-3; a release 3-4 ok; b acquire 5-6 ok token=7", true},
		{"the same again", "a acquire 1-2 ok token=7; a release 3-4 ok; b acquire 5-6 ok token=7", false},
		{"lower than one long ago", "a acquire 1-2 ok token=7; a release 3-4 ok; b acquire 5-6 ok; b release 7-8 ok; a acquire 9-10 ok token=6", false},
		{"in the order of holds, not of calls", "a acquire 1-10 ok token=8; b acquire 2-3 ok token=7; b release 4-5 ok", true},
		{"a lower token after a crash", "a acquire 1-2 ok token=8; a crash 3-; b acquire 4-5 ok token=7", false},
		{"a token that was not answered", "a acquire 1-; a release 2-3 ok of=1; b acquire 4-5 ok token=1", true},
	})
}

func TestReentrant(t *testing.T) {
	for _, kind := range []model.Kind{model.KindReentrant, model.KindReentrantFenced} {
		s := spec(kind)
		rules := []rule{
			{"again", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 ok; a release 7-8 ok; b acquire 9-10 ok", true},
			{"released once too few", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 ok; b acquire 7-8 ok", false},
			{"released once too often", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 ok; a release 7-8 ok; a release 9-10 ok", false},
			{"beyond the limit", "a acquire 1-2 ok; a acquire 3-4 ok; a acquire 5-6 ok", false},
			{"a try at the limit fails", "a acquire 1-2 ok; a acquire 3-4 ok; a acquire 5-6 failed try", true},
			{"a try below the limit does not", "a acquire 1-2 ok; a acquire 3-4 failed try", false},
			{"two threads as one owner", "a acquire 1-2 ok owner=x; b acquire 3-4 ok owner=x", true},
			{"two threads", "a acquire 1-2 ok; a acquire 3-4 ok thread=1", false},
			{"a denied release ends all", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 failed; b acquire 7-8 ok", true},
			{"a crash ends all", "a acquire 1-2 ok; a acquire 3-4 ok; a crash 5-; b acquire 6-7 ok", true},
			{"re-entry renews what a crash let lapse", "a acquire 1-2 ok owner=x; a crash 3-; b acquire 4-5 ok owner=x; c acquire 6-7 ok", false},
			{"re-entry with no answer", "a acquire 1-2 ok; a acquire 3-; a release 4-5 ok; b acquire 6-7 failed try", true},
			{"re-entry with no answer need not be", "a acquire 1-2 ok; a acquire 3-; a release 4-5 ok; b acquire 6-7 ok", true},
		}
		t.Run(string(kind), func(t *testing.T) { testRules(t, s, slices.Concat(rules, mutexRulesOfOwners(), lastingRules)) })
	}
	s := spec(model.KindReentrant)
	s.Limit = 0
	testRules(t, s, []rule{{"without limit", "a acquire 1-2 ok; a acquire 3-4 ok; a acquire 5-6 ok; a acquire 7-8 ok", true}})
}

// mutexRulesOfOwners are those that hold for a re-entrant mutex, which goes by
// owners, as well.
func mutexRulesOfOwners() []rule {
	var rules []rule
	for _, r := range mutexRules {
		switch r.name {
		case "released by another one, who names the hold", "no answer: it may not":
		default:
			rules = append(rules, r)
		}
	}
	return rules
}

func TestReentrantFenced(t *testing.T) {
	testRules(t, spec(model.KindReentrantFenced), []rule{
		{"the same token within a hold", "a acquire 1-2 ok token=7; a acquire 3-4 ok token=7", true},
		{"another token within a hold", "a acquire 1-2 ok token=7; a acquire 3-4 ok token=8", false},
		{"no token the second time", "a acquire 1-2 ok token=7; a acquire 3-4 ok", true},
		{"no token the first time", "a acquire 1-2 ok; a acquire 3-4 ok token=7", true},
		{"no token the first time, then an old one",
			"a acquire 1-2 ok token=7; a release 3-4 ok; a acquire 5-6 ok; a acquire 7-8 ok token=7", false},
		{"the token of the hold before", "a acquire 1-2 ok token=7; a release 3-4 ok; a acquire 5-6 ok token=7", false},
		{"growing from hold to hold", "a acquire 1-2 ok token=7; a release 3-4 ok; b acquire 5-6 ok token=8", true},
		{"the hold's token, not another", "a acquire 1-2 ok token=7; a release 3-4 ok; b acquire 5-6 ok token=8; b acquire 7-8 ok token=9", false},
	})
}

func TestFair(t *testing.T) {
	testRules(t, spec(model.KindFair), []rule{
		{"in the order of queueing",
			"h acquire 1-2 ok; a acquire 3-12 ok queued=4; b acquire 5-16 ok queued=6; h release 7-8 ok; a release 13-14 ok", true},
		{"past one who queued before",
			"h acquire 1-2 ok; a acquire 3-16 ok queued=4; b acquire 5-12 ok queued=6; h release 7-8 ok; b release 13-14 ok", false},
		{"past one who may have queued later",
			"h acquire 1-2 ok; a acquire 3-16 ok; b acquire 5-12 ok queued=6; h release 7-8 ok; b release 13-14 ok", true},
		{"both queued at the same time",
			"h acquire 1-2 ok; a acquire 3-16 ok queued=6; b acquire 4-12 ok queued=5; h release 7-8 ok; b release 13-14 ok", true},
		{"past one who gave up",
			"h acquire 1-2 ok; a acquire 3-16 failed queued=4; b acquire 5-12 ok queued=6; h release 7-8 ok", true},
		{"past one of whom nothing is known",
			"h acquire 1-2 ok; a acquire 3- queued=4; b acquire 5-12 ok queued=6; h release 7-8 ok", true},
		{"a try past the queue",
			"h acquire 1-2 ok; a acquire 3-12 ok queued=4; h release 5-6 ok; b acquire 7-8 failed try", true},
		{"a try gets past the queue",
			"h acquire 1-2 ok; a acquire 3-12 ok queued=4; h release 5-6 ok; b acquire 7-8 ok try; b release 9-10 ok", false},
		{"a try fails for one who gives up",
			"h acquire 1-2 ok; a acquire 3-12 failed queued=4; h release 5-6 ok; b acquire 7-8 failed try; b acquire 9-10 ok", true},
		{"a try fails for one who withdraws as the first",
			"h acquire 1-2 ok; a acquire 3- queued=4; h release 5-6 ok; b acquire 7-8 failed try; b acquire 9-10 ok", true},
	})
}
