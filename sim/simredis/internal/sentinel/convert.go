package sentinel

// suspect notes since when a server is not a replica of the master, and corrects it if that lasts:
// the first INFO shows it, and the second, ten seconds later, that it has been so for longer than
// eight, which is four periods of hello messages.
func (s *Sentinel[S]) suspect(w *watched[S]) {
	v := s.views[w]
	switch {
	case w == s.master || v.silent != never || !s.isWrong(w):
		v.wrong = never
		return
	case v.wrong != never:
		return
	}
	since := s.group.world.Now()
	v.wrong = since
	s.later(s.group.rules.info()+s.jitter(s.group.rules.Second)+s.phase(), func() {
		if v.wrong != since {
			return
		}
		v.wrong = never
		if s.failover == nil && !s.tilted && s.masterIsSane() {
			s.correct(w)
		} else {
			s.suspect(w)
		}
	})
}

// isWrong reports whether a server is a primary, or follows another server than the master.
func (s *Sentinel[S]) isWrong(w *watched[S]) bool {
	return w.server.IsPrimary() || w.server.Source() != s.master.server
}

// masterIsSane reports whether the master is up and reports that it is a primary.
func (s *Sentinel[S]) masterIsSane() bool {
	v := s.views[s.master]
	return v.silent == never && !v.down && s.master.server.IsPrimary()
}

// correct makes a server a replica of the master.
func (s *Sentinel[S]) correct(w *watched[S]) {
	event := "+fix-slave-config"
	if w.server.IsPrimary() {
		event = "+convert-to-slave"
	}
	s.event(event, s.about(w))
	s.order(w, s.master)
}
