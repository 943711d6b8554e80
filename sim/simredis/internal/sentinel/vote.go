package sentinel

import (
	"strconv"
	"time"
)

// vote is the last vote of a sentinel.
type vote[S Server[S]] struct {
	epoch  int64
	leader *Sentinel[S]
}

// answer is what another sentinel has said last when it was asked about the master.
type answer[S Server[S]] struct {
	at   time.Duration
	down bool
	vote vote[S]
}

// ask asks the others whether they take the master for down as well, now and every second for as
// long as this one does.
func (s *Sentinel[S]) ask() {
	if s.asks {
		return
	}
	s.asks = true
	master := s.master
	s.askAll()
	s.later(s.group.rules.Second, func() {
		s.asks = false
		if s.views[s.master].down && !s.tilted {
			s.ask()
			s.check()
		} else if s.master == master {
			s.check()
		}
	})
}

// askAll asks all others at once. One that tries to lead a failover asks for their votes.
func (s *Sentinel[S]) askAll() {
	master, epoch := s.master, s.epoch
	candidate := s.failover != nil && s.failover.state == waiting
	what := "is-master-down-by-addr " + spaced(master.Address())
	if candidate {
		what += ", vote in epoch " + strconv.FormatInt(epoch, 10)
	}
	for _, o := range s.Others() {
		s.send(o.Host, what, func() { o.reply(s, master, epoch, candidate) })
	}
}

// reply answers another sentinel's question about its master.
func (s *Sentinel[S]) reply(to *Sentinel[S], master *watched[S], epoch int64, candidate bool) {
	a := answer[S]{down: !s.tilted && s.master == master && s.views[master].down}
	if candidate && s.master == master {
		s.voteFor(to, epoch)
		a.vote = s.vote
	}
	s.send(to.Host, "master-down-by-addr", func() {
		if to.master != master {
			return
		}
		a.at = s.group.world.Now()
		if a.vote.leader == nil {
			a.vote = to.answers[s].vote
		}
		to.answers[s] = a
		to.check()
	})
}

// voteFor votes for a sentinel in an epoch, unless it has voted in that or a later one.
func (s *Sentinel[S]) voteFor(leader *Sentinel[S], epoch int64) {
	s.hearOf(epoch)
	if s.vote.epoch >= epoch || s.epoch > epoch {
		return
	}
	s.vote = vote[S]{epoch, leader}
	s.event("+vote-for-leader", leader.ID+" "+strconv.FormatInt(epoch, 10))
	if leader != s {
		s.tried = s.group.world.Now() + s.jitter(s.group.rules.Second)
	}
}

// hearOf notes an epoch that is greater than all before.
func (s *Sentinel[S]) hearOf(epoch int64) {
	if epoch > s.epoch {
		s.epoch = epoch
		s.event("+new-epoch", strconv.FormatInt(epoch, 10))
	}
}

// check looks whether the master is objectively down, and who leads the failover.
func (s *Sentinel[S]) check() {
	if s.tilted {
		return // it looks when that is over
	}
	agree := s.agree()
	if odown := agree >= s.group.rules.Quorum; odown != s.odown {
		s.odown = odown
		if odown {
			s.event("+odown", s.about(s.master)+" #quorum "+strconv.Itoa(agree)+"/"+strconv.Itoa(s.group.rules.Quorum))
		} else {
			s.event("-odown", s.about(s.master))
		}
	}
	switch {
	case s.failover != nil:
		s.tally()
	case s.odown:
		s.try()
	}
}

// agree returns how many sentinels take the master for down, this one among them; 0 if it does not. What
// another has said is good for five seconds.
func (s *Sentinel[S]) agree() int {
	if s.tilted || !s.views[s.master].down {
		return 0
	}
	n := 1
	for _, o := range s.Others() {
		if a, said := s.answers[o]; said && a.down && s.group.world.Now()-a.at < 5*s.group.rules.Second {
			n++
		}
	}
	return n
}

// try begins a failover, now or when the time since the last one is over.
func (s *Sentinel[S]) try() {
	now, again := s.group.world.Now(), s.tried+2*s.group.rules.FailoverTimeout+s.phase()
	if s.tried == never || now >= again {
		if !s.group.contest.joins(s) {
			s.start(false)
		}
		return
	}
	if !s.again {
		s.again = true
		s.later(again-now, func() {
			s.again = false
			s.check()
		})
	}
}

// tally counts the votes for its own failover.
func (s *Sentinel[S]) tally() {
	f := s.failover
	if f.state != waiting {
		return
	}
	votes := 0
	if s.vote.epoch == f.epoch && s.vote.leader == s {
		votes++
	}
	for _, o := range s.Others() {
		if v := s.answers[o].vote; v.epoch == f.epoch && v.leader == s {
			votes++
		}
	}
	if votes >= max(s.group.rules.Quorum, s.group.majority()) {
		s.lead()
	}
}
