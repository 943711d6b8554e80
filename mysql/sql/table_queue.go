package sql

import "slices"

// excludes returns the uses by others beside which one cannot begin.
func (u tableUse) excludes() tableUse {
	switch u {
	case reading:
		return owning | defining
	case writing:
		return freezing | owning | defining
	case freezing:
		return writing | owning | defining
	}
	return reading | writing | freezing | owning | defining
}

// yields returns the waiting uses of others behind which a use waits. A session that locks a table exclusively
// precedes those that read and write it, although they have waited for longer.
func (u tableUse) yields() tableUse {
	switch u {
	case reading, writing:
		return owning | defining
	case freezing:
		return writing | owning | defining
	case owning:
		return defining
	}
	return 0
}

// covers reports whether a use of a table includes another.
func (u tableUse) covers(other tableUse) bool {
	return u == other || other == reading || u >= owning
}

// queue is that of a table, or of what may become one.
func (db *Database) queue(name string) *tableQueue {
	key := tableKey(name)
	if db.queues[key] == nil {
		db.queues[key] = &tableQueue{}
	}
	return db.queues[key]
}

// place returns what the claim is on.
func (c *claim) place() Place { return Place{Table: c.table, Whole: true} }

// hindrances returns the claims of others that one waits for.
func (c *claim) hindrances() (list []*claim) {
	for _, o := range c.queue.granted {
		if o.user != c.user && o.use&c.use.excludes() != 0 {
			list = append(list, o)
		}
	}
	for _, o := range c.queue.waiting {
		if o.user != c.user && o.use&c.use.yields() != 0 {
			list = append(list, o)
		}
	}
	return list
}

// grant gives the table to the session.
func (c *claim) grant() {
	c.queue.granted = append(c.queue.granted, c)
	c.user.took(c)
}

// release gives the table up, to those who need not wait any more.
func (c *claim) release(end *Ending) {
	c.queue.granted = slices.DeleteFunc(c.queue.granted, func(o *claim) bool { return o == c })
	c.user.gave(c, end)
	c.queue.grant()
}

// grant grants the claims that need not wait any more, in the order of their requests.
func (q *tableQueue) grant() {
	for _, c := range slices.Clone(q.waiting) {
		if !slices.Contains(q.waiting, c) || c.hindrances() != nil {
			continue
		}
		c.leave(true)
		c.grant()
		c.user.wake()
	}
}

// leave takes the claim out of the queue.
func (c *claim) leave(granted bool) {
	c.queue.waiting = slices.DeleteFunc(c.queue.waiting, func(o *claim) bool { return o == c })
	c.user.left(granted)
}

// weight returns what a wait is worth in a deadlock.
func (c *claim) weight() int {
	if c.use == reading || c.use == writing {
		return 0
	}
	return 1
}

// circle returns the waits for each other of which the first on the way there is one, nil if it is in no circle.
func (c *claim) circle(way []*claim) []*claim {
	way = append(slices.Clip(way), c)
	for _, o := range c.hindrances() {
		next := o.user.waitsFor()
		switch {
		case next == nil:
		case next == way[0]:
			return way
		case !slices.Contains(way, next):
			if list := next.circle(way); list != nil {
				return list
			}
		}
	}
	return nil
}
