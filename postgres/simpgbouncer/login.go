package simpgbouncer

import (
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
)

// login handles a message of a client that has not logged in.
func (c *client) login(m message) bool {
	switch {
	case m.kind != 0:
		c.disconnect(false, "bad packet")
		return false
	case m.code() == codeSSL || m.code() == codeGSSENC:
		c.sock.Send(0, []byte{'N'}, c.task)
		return true
	case m.code() == codeCancel:
		c.cancel(m)
		return false
	case m.code() == codeOld:
		c.disconnect(true, "old V2 protocol not supported")
		return false
	case m.code()&^1 != codeVersion:
		c.disconnect(true, "bad packet header")
		return false
	}
	return c.enterPool(m.body[4:])
}

// enterPool finds the pool that a start-up message asks for.
func (c *client) enterPool(params []byte) bool {
	var user, database string
	for {
		key, rest, ok := text(params)
		if !ok || key == "" {
			break
		}
		value, rest, ok := text(rest)
		if !ok {
			break
		}
		params = rest
		switch {
		case key == "database":
			database = value
		case key == "user":
			user = value
		case c.vars.set(key, value):
		case !slices.Contains(c.pooler.options.IgnoreStartupParameters, key):
			c.disconnect(true, "unsupported startup parameter: "+key)
			return false
		}
	}
	if database == "" {
		database = user
	}
	switch {
	case user == "":
		c.disconnect(true, "no username supplied")
		return false
	case database == "pgbouncer":
		c.sock.Refuse(c.task, "the simulated PgBouncer has no console: connect to a database of PostgreSQL instead of database pgbouncer")
		c.disconnect(true, "not allowed")
		return false
	case len(c.pooler.clients) > c.pooler.options.MaxClientConn:
		c.disconnect(true, "no more connections allowed (max_client_conn)")
		return false
	case user != simpostgres.RoleName:
		c.disconnect(true, `"trust" authentication failed`)
		return false
	}
	c.pool = c.pooler.pool(database, user)
	c.enter(clientActive)
	return c.finishLogin()
}

// finishLogin sends a client what a server would, if the pooler knows that already.
func (c *client) finishLogin() bool {
	q := c.pool
	if !q.known {
		c.awaitsWelcome = true
		c.wait()
		q.launch()
		return false
	}
	c.awaitsWelcome = false
	c.showWaited(waitOver)
	c.vars.fill(&q.vars)
	c.key = c.pooler.cancelKey()
	out := slices.Concat(encode(&pgproto3.AuthenticationOk{}), q.welcome, encode(c.vars.statuses()...))
	id := pgproto3.BackendKeyData{SecretKey: c.key[4:]}
	for _, b := range c.key[:4] {
		id.ProcessID = id.ProcessID<<8 | uint32(b)
	}
	c.sock.Send(0, append(out, encode(&id, &pgproto3.ReadyForQuery{TxStatus: 'I'})...), c.task)
	return true
}
