package objects_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

func TestReadWrite(t *testing.T) {
	testRules(t, spec(model.KindReadWrite), []rule{
		{"readers together", "a acquire-read 1-2 ok; b acquire-read 3-4 ok", true},
		{"writer beside a reader", "a acquire-read 1-2 ok; b acquire-write 3-4 ok", false},
		{"reader beside a writer", "a acquire-write 1-2 ok; b acquire-read 3-4 ok", false},
		{"writers together", "a acquire-write 1-2 ok; b acquire-write 3-4 ok", false},
		{"writer after the last reader", "a acquire-read 1-2 ok; b acquire-read 3-4 ok; a release-read 5-6 ok; b release-read 7-8 ok; a acquire-write 9-10 ok", true},
		{"writer before the last reader", "a acquire-read 1-2 ok; b acquire-read 3-4 ok; a release-read 5-6 ok; a acquire-write 7-8 ok", false},
		{"reads again", "a acquire-read 1-2 ok; a acquire-read 3-4 ok; a release-read 5-6 ok; b acquire-write 7-8 failed try", true},
		{"writes again", "a acquire-write 1-2 ok; a acquire-write 3-4 ok; a release-write 5-6 ok; b acquire-read 7-8 failed try", true},
		{"writes again, and is released as often", "a acquire-write 1-2 ok; a acquire-write 3-4 ok; a release-write 5-6 ok; a release-write 7-8 ok; b acquire-read 9-10 ok", true},
		{"a writer reads", "a acquire-write 1-2 ok; a acquire-read 3-4 ok; b acquire-read 5-6 failed try", true},
		{"a writer who reads writes again", "a acquire-write 1-2 ok; a acquire-read 3-4 ok; a acquire-write 5-6 ok", true},
		{"downgrade", "a acquire-write 1-2 ok; a acquire-read 3-4 ok; a release-write 5-6 ok; b acquire-read 7-8 ok; b acquire-write 9-10 failed try", true},
		{"downgraded, it still reads", "a acquire-write 1-2 ok; a acquire-read 3-4 ok; a release-write 5-6 ok; b acquire-write 7-8 ok", false},
		{"upgrade", "a acquire-read 1-2 ok; a acquire-write 3-4 ok", false},
		{"upgrade is refused", "a acquire-read 1-2 ok; a acquire-write 3-4 failed try; a release-read 5-6 ok; a acquire-write 7-8 ok", true},
		{"a reader's try fails when free", "a acquire-read 1-2 failed try", false},
		{"a reader's try fails beside readers", "a acquire-read 1-2 ok; b acquire-read 3-4 failed try", false},
		{"the writer's own try to read does not fail", "a acquire-write 1-2 ok; a acquire-read 3-4 failed try", false},
		{"a writer's try fails when free", "a acquire-write 1-2 failed try", false},
		{"released in the other mode", "a acquire-read 1-2 ok; a release-write 3-4 ok", false},
		{"released once too often", "a acquire-read 1-2 ok; a release-read 3-4 ok; a release-read 5-6 ok", false},
		{"a denied release ends the mode", "a acquire-read 1-2 ok; a acquire-read 3-4 ok; a release-read 5-6 failed; b acquire-write 7-8 ok", true},
		{"no answer: it may read", "a acquire-read 1-; b acquire-write 2-3 failed try; b acquire-read 4-5 ok", true},
		{"no answer: it may write", "a acquire-write 1-; b acquire-read 2-3 failed try", true},
		{"no answer: it may not", "a acquire-write 1-; b acquire-read 2-3 ok; b release-read 4-5 ok; b acquire-write 6-7 ok", true},
		{"crash of a reader", "a acquire-read 1-2 ok; b acquire-read 3-4 ok; a crash 5-; b release-read 6-7 ok; c acquire-write 8-9 ok", true},
		{"crash of another reader", "a acquire-read 1-2 ok; b acquire-read 3-4 ok; a crash 5-; c acquire-write 8-9 ok", false},
		{"re-entry renews what a crash let lapse", "a acquire-read 1-2 ok owner=x; a crash 3-; b acquire-read 4-5 ok owner=x; c acquire-write 6-7 ok", false},
		{"crash after all was released", "a acquire-read 1-2 ok; b acquire-read 3-4 ok; a release-read 5-6 ok; a crash 7-; c acquire-write 8-9 ok", false},
		{"crash of the writer", "a acquire-write 1-2 ok; a acquire-write 3-4 ok; a crash 5-; b acquire-read 6-7 ok", true},
	})
}

func TestSemaphore(t *testing.T) {
	testRules(t, spec(model.KindSemaphore), []rule{
		{"as many as there are", "a acquire 1-2 ok; b acquire 3-4 ok", true},
		{"one more", "a acquire 1-2 ok; b acquire 3-4 ok; c acquire 5-6 ok", false},
		{"two at once", "a acquire 1-2 ok n=2; b acquire 3-4 ok", false},
		{"two at once when one is left", "a acquire 1-2 ok; b acquire 3-4 ok n=2", false},
		{"more than there are", "a acquire 1-2 failed try n=3", true},
		{"given back one by one", "a acquire 1-2 ok n=2; a release 3-4 ok; b acquire 5-6 ok; a release 7-8 ok; c acquire 9-10 ok", true},
		{"given back all at once", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 ok n=2; b acquire 7-8 ok n=2", true},
		{"given back more than had", "a acquire 1-2 ok; a release 3-4 ok n=2", false},
		{"given back another one's", "a acquire 1-2 ok; b release 3-4 ok", false},
		{"given back by the hold", "a acquire 1-2 ok; b release 3-4 ok of=1; c acquire 5-6 ok n=2", true},
		{"given back more than the hold has", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 ok n=2 of=1", false},
		{"a denied release ends what it has", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 failed n=3; b acquire 7-8 ok n=2", true},
		{"a denied release ends no more than it names", "a acquire 1-2 ok; a acquire 3-4 ok; a release 5-6 failed; b acquire 7-8 ok n=2", false},
		{"a release with no answer ends what it has", "a acquire 1-2 ok; a release 3- n=2; b acquire 4-5 ok n=2", true},
		{"a try fails for two when one is left", "a acquire 1-2 ok; b acquire 3-4 failed try n=2", true},
		{"a try fails for one when one is left", "a acquire 1-2 ok; b acquire 3-4 failed try", false},
		{"no answer: it may have both", "a acquire 1- n=2; b acquire 2-3 failed try", true},
		{"no answer: it cannot have one of them", "a acquire 1- n=2; b acquire 2-3 failed try; b acquire 4-5 ok", false},
		{"no answer to a release", "a acquire 1-2 ok n=2; a release 3-; b acquire 4-5 ok; c acquire 6-7 failed try", true},
		{"crash", "a acquire 1-2 ok; b acquire 3-4 ok; a crash 5-; c acquire 6-7 ok; d acquire 8-9 failed try", true},
		{"crash ends its own only", "a acquire 1-2 ok; b acquire 3-4 ok; a crash 5-; c acquire 6-7 ok n=2", false},
	})
}

func TestPermitSemaphore(t *testing.T) {
	testRules(t, spec(model.KindPermitSemaphore), []rule{
		{"as many as there are", "a acquire 1-2 ok permit=p; b acquire 3-4 ok permit=q", true},
		{"one more", "a acquire 1-2 ok permit=p; b acquire 3-4 ok permit=q; c acquire 5-6 ok permit=r", false},
		{"one permit twice", "a acquire 1-2 ok permit=p; b acquire 3-4 ok permit=p", false},
		{"one permit again", "a acquire 1-2 ok permit=p; a release 3-4 ok permit=p; b acquire 5-6 ok permit=p", true},
		{"released by whoever knows it", "a acquire 1-2 ok permit=p; b release 3-4 ok permit=p", true},
		{"released by the hold", "a acquire 1-2 ok permit=p; a release 3-4 ok of=1; a release 5-6 failed permit=p", true},
		{"released twice", "a acquire 1-2 ok permit=p; a release 3-4 ok permit=p; a release 5-6 ok permit=p", false},
		{"released one that there is not", "a acquire 1-2 ok permit=p; a release 3-4 ok permit=q", false},
		{"each has its own end", "a acquire 1-2 ok permit=p until=5; b acquire 3-4 ok permit=q until=9; c acquire 6-7 ok permit=r", true},
		{"before the second ends", "a acquire 1-2 ok permit=p until=5; b acquire 3-4 ok permit=q until=20; c acquire 6-7 ok permit=r; d acquire 8-9 ok permit=s", false},
		{"extended", "a acquire 1-2 ok permit=p until=7; b acquire 3-4 ok permit=q; a extend 5-6 ok permit=p until=20; c acquire 8-9 ok permit=r", false},
		{"extended after its end, unless it is gone", "a acquire 1-2 ok permit=p until=5; b acquire 3-4 ok permit=q; c acquire 6-7 ok permit=r; a extend 8-9 ok permit=p until=20", false},
		{"extend with no answer cannot be relied on", "a acquire 1-2 ok permit=p until=7; b acquire 3-4 ok permit=q; a extend 5- permit=p; c acquire 8-9 ok permit=r", true},
		{"a try fails when all are out", "a acquire 1-2 ok permit=p; b acquire 3-4 ok permit=q; c acquire 5-6 failed try", true},
		{"a try fails when one is left", "a acquire 1-2 ok permit=p; c acquire 3-4 failed try", false},
		{"no answer: it may have one", "a acquire 1-2 ok permit=p; b acquire 3-; c acquire 4-5 failed try", true},
		{"crash", "a acquire 1-2 ok permit=p; a acquire 3-4 ok permit=q; a crash 5-; b acquire 6-7 ok permit=r; b acquire 8-9 ok permit=s", true},
		{"loss is learnt", "a acquire 1-2 ok permit=p; a acquire 3-4 ok permit=q; a expire 5- permit=p; b acquire 6-7 ok permit=r", true},
	})
}

func TestLatch(t *testing.T) {
	testRules(t, spec(model.KindLatch), []rule{
		{"at zero", "a count-down 1-2 ok; b count-down 3-4 ok; c await 5-6 ok", true},
		{"before zero", "a count-down 1-2 ok; c await 3-4 ok", false},
		{"in the course of the last", "a count-down 1-2 ok; c await 3-6 ok; b count-down 4-5 ok", true},
		{"two at once", "a count-down 1-2 ok n=2; c await 3-4 ok", true},
		{"never below zero", "a count-down 1-2 ok n=3; c read 3-4 ok value=0", true},
		{"a try fails at zero", "a count-down 1-2 ok n=2; c await 3-4 failed try", false},
		{"a try fails before", "c await 1-2 failed try", true},
		{"giving up says nothing", "a count-down 1-2 ok n=2; c await 3-4 failed", true},
		{"no answer: it may have counted", "a count-down 1-2 ok; b count-down 3-; c await 4-5 ok", true},
		{"no answer: it need not", "a count-down 1-2 ok; b count-down 3-; c await 4-5 failed try", true},
		{"failed does not count", "a count-down 1-2 ok; b count-down 3-4 failed; c await 5-6 ok", false},
		{"read", "a count-down 1-2 ok; c read 3-4 ok value=1", true},
		{"read otherwise", "a count-down 1-2 ok; c read 3-4 ok value=2", false},
		{"read nothing", "a count-down 1-2 ok; c read 3-4 ok", true},
	})
}

func TestBarrier(t *testing.T) {
	testRules(t, spec(model.KindBarrier), []rule{
		{"together", "a await 1-4 ok; b await 2-3 ok", true},
		{"alone", "a await 1-2 ok", false},
		{"one has gone before the other came", "a await 1-2 ok; b await 3-4 ok", false},
		{"again", "a await 1-4 ok; b await 2-3 ok; a await 5-8 ok; c await 6-7 ok", true},
		{"three are not four", "a await 1-4 ok; b await 2-3 ok; c await 2-5 ok", false},
		{"the generation", "a await 1-4 ok value=0; b await 2-3 ok value=0; a await 5-8 ok value=1; c await 6-7 ok value=1", true},
		{"two of different generations", "a await 1-4 ok value=0; b await 2-3 ok value=1", false},
		{"four at once", "a await 1-10 ok value=1; b await 2-11 ok value=0; c await 3-12 ok value=1; d await 4-13 ok value=0", true},
		{"four, of whom one has gone first", "a await 1-3 ok value=1; b await 2-11 ok value=0; c await 4-12 ok value=1; d await 5-13 ok value=0", false},
		{"one who gave up does not count", "a await 1-2 failed; b await 3-4 ok", false},
		{"no answer: it may have come", "a await 1-; b await 2-3 ok", true},
		{"no answer: it may not have", "a await 1-; b await 2-5 ok; c await 3-4 ok", true},
		{"no answer: not before its call", "b await 1-2 ok; a await 3-", false},
		{"a crash changes nothing", "a await 1-; a crash 2-; b await 3-4 ok", true},
	})
}

func TestRegister(t *testing.T) {
	testRules(t, model.Spec{Kind: model.KindRegister, Initial: 5}, []rule{
		{"as it began", "a read 1-2 ok value=5", true},
		{"as it was written", "a write 1-2 ok n=7; a read 3-4 ok value=7", true},
		{"as it was", "a write 1-2 ok n=7; a read 3-4 ok value=5", false},
		{"a failed write has no effect", "a write 1-2 failed n=7; a read 3-4 ok value=7", false},
		{"no answer: it may be written", "a write 1- n=7; a read 2-3 ok value=5; a read 4-5 ok value=7", true},
		{"no answer: it is written once", "a write 1- n=7; a read 2-3 ok value=7; b write 4-5 ok n=8; a read 6-7 ok value=7", false},
		{"exchanged", "a cas 1-2 ok expected=5 n=7; b cas 3-4 ok expected=7 n=6; a read 5-6 ok value=6", true},
		{"another than it expects", "a cas 1-2 ok expected=6 n=7", false},
		{"exchanged twice", "a cas 1-4 ok expected=5 n=7; b cas 2-3 ok expected=5 n=8", false},
		{"refused for the value", "a write 1-2 ok n=7; a cas 3-4 failed refused expected=5 n=8; a read 5-6 ok value=7", true},
		{"refused though it is the value", "a cas 1-2 failed refused expected=5 n=8", false},
		{"failed, and says no more", "a cas 1-2 failed expected=5 n=8; a read 3-4 ok value=5", true},
		{"failed without effect", "a cas 1-2 failed expected=5 n=8; a read 3-4 ok value=8", false},
		{"no answer: it may be exchanged", "a cas 1- expected=5 n=7; a read 2-3 ok value=5; b read 4-5 ok value=7", true},
		{"no answer: not from another value", "a cas 1- expected=6 n=7; b read 2-3 ok value=7", false},
		{"refused for the value, and the token has been seen", "a cas 1-2 failed refused expected=6 n=7 token=3; b read 3-4 failed refused token=2", true},
		{"a lower token", "a write 1-2 ok n=7 token=2; b write 3-4 ok n=8 token=1", false},
		{"the same token", "a write 1-2 ok n=7 token=2; b write 3-4 ok n=8 token=2", true},
		{"a lower token is refused", "a write 1-2 ok n=7 token=2; b write 3-4 failed refused n=8 token=1; a read 5-6 ok value=7 token=2", true},
		{"a higher token is refused", "a write 1-2 ok n=7 token=2; b write 3-4 failed refused n=8 token=3", false},
		{"a read has been seen too", "a read 1-2 ok value=5 token=2; b write 3-4 ok n=8 token=1", false},
		{"no token is asked of who has none", "a write 1-2 ok n=7 token=2; b write 3-4 ok n=8", true},
		{"who has none is not refused", "a write 1-2 failed refused n=7", false},
		{"no answer: its token may have been seen", "a write 1- n=7 token=9; b read 2-3 failed refused token=3", true},
	})
}

func TestCounter(t *testing.T) {
	testRules(t, model.Spec{Kind: model.KindCounter, Initial: 5}, []rule{
		{"sums", "a add 1-2 ok n=2 value=7; b add 3-4 ok n=-1 value=6; b read 5-6 ok value=6", true},
		{"a lost update", "a add 1-4 ok n=1 value=6; b add 2-3 ok n=1 value=6", false},
		{"sums that were not answered", "a add 1-2 ok n=2; b add 3-4 ok n=1; b read 5-6 ok value=8", true},
		{"no answer", "a add 1- n=2; b read 2-3 ok value=5; b read 4-5 ok value=7", true},
		{"a lower token", "a add 1-2 ok n=2 token=2; b read 3-4 ok value=7 token=1", false},
	})
}

func TestStock(t *testing.T) {
	testRules(t, spec(model.KindStock), []rule{
		{"all", "a take 1-2 ok n=2; b take 3-4 ok segment=1 n=2", true},
		{"oversold", "a take 1-2 ok n=2; b take 3-4 ok", false},
		{"refused what there was", "a take 1-2 ok; b take 3-4 failed refused", false},
		{"refused what there was not", "a take 1-2 ok; b take 3-4 failed refused n=2", true},
		{"put back", "a take 1-2 ok n=2; a put 3-4 ok; b take 5-6 ok", true},
		{"read", "a take 1-2 ok; b read 3-4 ok value=1; b read 5-6 ok segment=1 value=2", true},
		{"read otherwise", "a take 1-2 ok; b read 3-4 ok value=2", false},
		{"no answer", "a take 1- n=2; b take 2-3 failed refused; b read 4-5 ok value=0", true},
		{"no answer: all or nothing", "a take 1- n=2; b read 2-3 ok value=1", false},
		{"a lower token", "a take 1-2 ok token=2; b take 3-4 ok segment=1 token=1", false},
		{"a lower token is refused", "a take 1-2 ok token=2; b take 3-4 failed refused segment=1 token=1", true},
	})
}
