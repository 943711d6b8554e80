package judging

import "github.com/lockpick-dev/lockpick/model"

// kindWords are, for each kind, its noun and its rule.
var kindWords = map[model.Kind]struct{ noun, rule string }{
	model.KindMutex:           {"mutex", "one owner at a time holds the lock, and only its owner gives it back."},
	model.KindReentrant:       {"re-entrant mutex", "one owner at a time holds the lock. It may take it again, and gives it back as often."},
	model.KindLeased:          {"leased mutex", "one owner at a time holds the lock. Its hold may end by itself once its lease is no longer valid, and never before."},
	model.KindFenced:          {"fenced mutex", "one owner at a time holds the lock, and each hold has a greater token than those before."},
	model.KindReentrantFenced: {"re-entrant fenced mutex", "one owner at a time holds the lock, as often as it takes it, and each hold has a greater token than those before."},
	model.KindReadWrite:       {"read-write lock", "one writer or many readers hold the lock at a time."},
	model.KindSemaphore:       {"semaphore", "no more permits are taken at a time than there are."},
	model.KindPermitSemaphore: {"semaphore of permits with leases", "no more permits are taken at a time than there are, and each permit is one owner's until it is given back or its lease ends."},
	model.KindFair:            {"fair mutex", "one owner at a time holds the lock, and who queued first gets it first."},
	model.KindLatch:           {"latch", "whoever awaits it goes on once the count is zero, and not before."},
	model.KindBarrier:         {"barrier", "whoever awaits it goes on once all parties have come, and not before."},
	model.KindRegister:        {"register", "a read answers the value that was written last, and a cas replaces the value that it expects."},
	model.KindCounter:         {"counter", "a read answers the sum of all that was added before."},
	model.KindStock:           {"stock", "no more is taken of a segment than it has."},
}

// Noun is the noun for a kind, such as "leased mutex".
func Noun(k model.Kind) string { return kindWords[k].noun }

// Rule says in a sentence what an object of the kind must keep to, without a capital.
func Rule(k model.Kind) string { return kindWords[k].rule }
