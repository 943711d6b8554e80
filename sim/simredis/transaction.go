package simredis

import "strings"

// transaction has the commands that a connection has queued since MULTI.
type transaction struct {
	queue []*request
	dirty bool // a command was refused: EXEC will be, too
}

func (n *Node) multi(r *request) {
	if r.conn.tx != nil {
		r.out.WriteError("ERR MULTI calls can not be nested")
		return
	}
	r.conn.tx = &transaction{}
	r.out.WriteOK()
}

func (n *Node) discard(r *request) {
	if r.conn.tx == nil {
		r.out.WriteError("ERR DISCARD without MULTI")
		return
	}
	r.conn.endTransaction()
	r.out.WriteOK()
}

func (n *Node) exec(r *request) {
	c := r.conn
	tx := c.tx
	if tx == nil {
		r.out.WriteError("ERR EXEC without MULTI")
		return
	}
	outdated := n.outdated(c)
	c.endTransaction()
	switch {
	case tx.dirty:
		r.out.WriteError("EXECABORT Transaction discarded because of previous errors.")
	case outdated:
		r.out.writeNoArray()
	default:
		r.out.WriteLen(len(tx.queue))
		for _, queued := range tx.queue {
			n.run(queued)
		}
	}
}

// refuse answers a command with an error instead of executing or queueing it.
func (c *conn) refuse(s *spec, reason string) {
	switch {
	case c.tx == nil:
	case s != nil && s.name == "exec":
		c.endTransaction()
		reason = "EXECABORT Transaction discarded because of: " + strings.TrimPrefix(reason, "ERR ")
	default:
		c.tx.dirty = true
	}
	c.out.WriteError(reason)
}

// endTransaction discards queued commands and watched keys.
func (c *conn) endTransaction() { c.tx, c.watched = nil, nil }

func (n *Node) watch(r *request) {
	c := r.conn
	if c.tx != nil {
		r.out.WriteError("ERR WATCH inside MULTI is not allowed")
		return
	}
	if c.watched == nil {
		c.watched = map[string]int64{}
	}
	for _, key := range r.args {
		if _, already := c.watched[key]; !already {
			c.watched[key] = n.versions[key]
		}
	}
	r.out.WriteOK()
}

func (n *Node) unwatch(r *request) {
	r.conn.watched = nil
	r.out.WriteOK()
}

// outdated reports whether a watched key has changed.
func (n *Node) outdated(c *conn) bool {
	// unordered: any will do
	for key, version := range c.watched {
		if n.versions[key] != version {
			return true
		}
	}
	return false
}
