package simpgbouncer

import (
	"bytes"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// committing are the first words of the answers to statements that commit changes, if they end in no transaction.
var committing = [][]byte{[]byte("COMMIT"), []byte("INSERT"), []byte("UPDATE"), []byte("DELETE"), []byte("MERGE")}

// noteReport notes whether a message that the client gets says, with others, that a transaction was committed.
func (c *client) noteReport(m message) {
	switch m.kind {
	case 'C':
		word, rest, _ := bytes.Cut(bytes.TrimRight(m.body, "\x00"), []byte(" "))
		changed := slices.ContainsFunc(committing, func(w []byte) bool { return bytes.Equal(w, word) })
		c.commits = c.commits || changed && !bytes.Equal(rest, []byte("0")) && !bytes.HasSuffix(rest, []byte(" 0"))
	case 'E':
		c.commits = false
	case 'Z':
		c.reports = c.commits && m.body[0] == 'I'
		c.commits = false
	}
}

// Acknowledges reports whether what the pooler has sent last on a connection says that a transaction
// was committed: the answer to a COMMIT, or to another statement that has committed changes.
func (p *Pooler) Acknowledges(on *sim.Conn) bool {
	return slices.ContainsFunc(p.clients, func(c *client) bool { return c.sock.ID() == on.ID() && c.reports })
}
