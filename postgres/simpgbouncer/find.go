package simpgbouncer

// findServer gives the client a server connection, unless it has one. If it returns false, the client waits for one, or
// for the settings of its parameters there, or is gone.
func (c *client) findServer() bool {
	if c.server != nil {
		return true
	}
	b := c.pool.idle()
	if b == nil {
		if c.failsFast() {
			return false
		}
		c.wait()
		return false
	}
	set := c.vars.changes(&b.vars)
	c.showWaited(waitOver)
	b.showPassedOn(c)
	c.server, b.client = b, c
	b.enter(serverActive)
	if set == "" {
		return true
	}
	b.settingVars, b.ready = true, false
	b.query(set, c)
	c.paused = true
	return false
}

// idle returns the server connection to use next, nil if none is idle.
func (q *pool) idle() *backend {
	for len(q.servers[serverIdle]) > 0 {
		b := q.servers[serverIdle][0]
		switch {
		case b.obsolete:
			b.disconnect(true, "obsolete connection")
		case !b.ready:
			b.disconnect(true, "idle server got dirty")
		default:
			return b
		}
	}
	return nil
}

// failsFast ends the client, and returns true, if no server can be reached.
func (c *client) failsFast() bool {
	q := c.pool
	if !q.loginFailed || q.size() > len(q.servers[serverLogin]) {
		return false
	}
	c.disconnect(true, "server login has been failing, try again later (server_login_retry)")
	q.launch()
	return true
}
