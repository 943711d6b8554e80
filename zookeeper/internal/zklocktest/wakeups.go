package zklocktest

// Waiters is how many wait in [Stand.WakeUps].
const Waiters = 5

// WakeUps compares how many waiters a release wakes. A woken waiter reads the directory.
func (s *Stand) WakeUps(make Constructor, want int) {
	held := s.Acquire(make(s.Client(Lasting).Session, s.Dir))
	var clients []*Client
	var attempts []*Attempt
	for n := range Waiters {
		c := s.Client(Lasting)
		clients, attempts = append(clients, c), append(attempts, s.Begin(make(c.Session, s.Dir), n+2))
	}
	attempts[Waiters-1].Waits() // all have set their watches
	listed := func() (n int) {
		for _, c := range clients {
			n += c.Link.Sent(OpGetChildren)
		}
		return n
	}
	before := listed()
	s.Release(held)
	next := attempts[0].Held()
	attempts[1].Waits()
	woken := listed() - before
	// The next one may list twice, if it had to ask the leader.
	if woken != want && woken != want+1 {
		s.Errorf("a release with %d waiters made %d listings, want %d or one more", Waiters, woken, want)
	}
	s.Release(next)
	for _, a := range attempts[1:] {
		s.Release(a.Held())
	}
}
