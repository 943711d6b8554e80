package simpgbouncer

import "github.com/jackc/pgx/v5/pgproto3"

// release makes the server connection free for another client. In session mode it is reset first. It returns false if the
// connection is over.
func (b *backend) release() bool {
	next := serverIdle
	o := &b.pooler.options
	switch b.state {
	case serverActive, serverCanceled:
		if b.client != nil {
			b.client.server = nil
			b.client = nil
		}
		if !o.NoServerResetQuery && (o.PoolMode == Session || o.ServerResetQueryAlways) {
			next = serverTested
		}
	case serverLogin:
		b.pool.connectFailed, b.pool.loginFailed = false, false
	}
	b.dropCancelers()
	switch {
	case b.state != serverLogin && b.pool.lifeOver(b):
		b.disconnect(true, "server lifetime over")
		b.pool.lastLifetime = b.pooler.now()
		return false
	case b.obsolete:
		b.disconnect(true, "close_needed")
		return false
	case len(b.cancelers) > 0:
		b.enter(serverCanceled)
		return true
	}
	b.enter(next)
	if next == serverTested {
		b.query(resetQuery, nil)
		return true
	}
	if first := b.pool.clients[clientWaits]; len(first) > 0 {
		first[0].wake()
	}
	return b.state != serverGone
}

// disconnect ends the server connection, and its client with the reason. With terminate the server is notified first.
func (b *backend) disconnect(terminate bool, reason string) {
	if b.state == serverGone {
		return
	}
	switch c := b.client; {
	case c != nil:
		b.client, c.server = nil, nil
		if c.state == clientActive {
			b.showClosed(c, reason)
		}
		c.disconnect(c.state != clientCancels, reason)
	case b.state == serverLogin && b.ready:
		b.pool.connectFailed = false
		terminate = false
	case b.state == serverLogin:
		b.pool.connectFailed, b.pool.loginFailed = true, true
	}
	for _, c := range b.cancelers {
		c.victim = nil
	}
	b.cancelers = nil
	b.enter(serverGone)
	if b.wire == nil {
		return
	}
	if terminate {
		b.send(request{data: encode(&pgproto3.Terminate{})})
	}
	b.wire.close()
}
