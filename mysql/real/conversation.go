package real

import (
	"encoding/binary"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql/store"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Commands of the protocol.
const (
	comQuit        byte = 1
	comQuery       byte = 3
	comPrepare     byte = 22
	comExecute     byte = 23
	comLongData    byte = 24
	comCloseStmt   byte = 25
	header              = 4 // of a packet: the length of what follows in three bytes, and a number
	longest             = 1<<24 - 1
	noEOF               = 1 << 24 // of a client's capabilities
	moreResults         = 8       // of a server's status: another result follows
	eofPacket      byte = 0xfe
	errPacket      byte = 0xff
	localInfile    byte = 0xfb
	shortestPrompt      = 9 // an EOF packet is shorter
)

// conversation is a connection. It begins with the greeting and the log-in, which serve the connection; then a request
// has one answer, of several packets.
type conversation struct {
	client, server confirm.Stream
	session        string
	ready          bool // the log-in is over
	withoutEOF     bool // client and server have agreed not to end descriptions by packets of their own
	asked          int
	open           []asked // requests that have not been answered
	prepared       map[uint32]string
	answer         answer
}

// asked is a request that is to be answered.
type asked struct {
	number    int
	command   byte
	statement string // that is prepared
}

// answer is the part of an answer that has arrived.
type answer struct {
	bytes []byte
	left  int  // packets that come before the rows, or until the answer to a preparation ends
	rows  bool // rows come, if nothing is left
}

// Converse begins to read a connection.
func (*mariadb) Converse() confirm.Conversation { return &conversation{prepared: map[uint32]string{}} }

// Session is the name of the connection's session in records.
func (c *conversation) Session() string { return c.session }

// size is the length of the first packet.
func size(b []byte) (int, error) {
	if len(b) < header {
		return 0, nil
	}
	n := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	if n == longest {
		return 0, errors.New("a packet of 16 MB")
	}
	return header + n, nil
}

// Client reads requests.
func (c *conversation) Client(sent []byte) (list []confirm.Message, err error) {
	packets, err := c.client.Cut(sent, size)
	for _, p := range packets {
		m := confirm.Message{Bytes: p}
		switch body := p[header:]; {
		case !c.ready && p[3] == 1 && len(body) >= 4:
			c.withoutEOF = binary.LittleEndian.Uint32(body)&noEOF != 0
		case p[3] == 0 && len(body) > 0 && c.ready:
			c.request(&m, body)
		}
		list = append(list, m)
	}
	return list, err
}

func (c *conversation) request(m *confirm.Message, body []byte) {
	a := asked{command: body[0]}
	switch args := body[1:]; body[0] {
	case comQuit, comLongData, comCloseStmt:
		return // without an answer
	case comQuery:
		m.Signature = signature(string(args))
	case comPrepare:
		a.statement = string(args)
	case comExecute:
		if len(args) >= 4 {
			m.Signature = signature(c.prepared[binary.LittleEndian.Uint32(args)])
		}
	}
	c.asked++
	a.number, m.Number = c.asked, c.asked
	c.open = append(c.open, a)
}

// Server reads the greeting, and answers.
func (c *conversation) Server(sent []byte) (list []confirm.Message, err error) {
	packets, err := c.server.Cut(sent, size)
	for _, p := range packets {
		body := p[header:]
		switch {
		case c.ready && len(c.open) > 0:
			if !c.part(p, body) {
				continue
			}
			list = append(list, confirm.Message{Bytes: c.answer.bytes, Number: c.open[0].number})
			c.open, c.answer = c.open[1:], answer{}
			continue
		case c.session == "" && len(body) > 0 && body[0] == 10:
			c.greeted(body[1:])
		case len(body) > 0 && body[0] == 0:
			c.ready = true
		}
		list = append(list, confirm.Message{Bytes: p})
	}
	return list, err
}

// greeted takes the number of the connection out of the greeting.
func (c *conversation) greeted(rest []byte) {
	if _, after, found := strings.Cut(string(rest), "\x00"); found && len(after) >= 4 {
		c.session = sessionName(int64(binary.LittleEndian.Uint32([]byte(after))))
	}
}

func sessionName(id int64) string { return "connection " + strconv.FormatInt(id, 10) }

// part takes a packet of an answer, and reports whether the answer is over.
func (c *conversation) part(packet, body []byte) (over bool) {
	a := &c.answer
	first := len(a.bytes) == 0
	a.bytes = append(a.bytes, packet...)
	switch {
	case len(body) == 0, body[0] == errPacket:
		return true
	case a.left > 0:
		a.left--
		return a.left == 0 && !a.rows
	case a.rows:
		if body[0] != eofPacket || !c.withoutEOF && len(body) >= shortestPrompt {
			return false // a row
		}
		status := 3
		if c.withoutEOF {
			status = okStatus(body)
		}
		a.rows = false // another result may follow
		return !followed(body, status)
	case first && c.open[0].command == comPrepare:
		return c.prepares(body)
	case body[0] == 0:
		return !followed(body, okStatus(body))
	case body[0] == eofPacket, body[0] == localInfile:
		return true
	}
	c.columns(body)
	return false
}

// columns reads the first packet of a result: how many columns it has, and, from some servers, whether they are
// described.
func (c *conversation) columns(body []byte) {
	a, n, flag := &c.answer, int(body[0]), 1
	if body[0] == 0xfc && len(body) >= 3 {
		n, flag = int(binary.LittleEndian.Uint16(body[1:])), 3
	}
	if flag < len(body) && body[flag] == 0 {
		n = 0
	}
	a.rows, a.left = true, c.described(n)
}

// described is the number of packets that describe columns or parameters.
func (c *conversation) described(n int) int {
	if c.withoutEOF {
		return n
	}
	return n + 1
}

// prepares reads the first packet of the answer to a preparation, which parameters and columns may follow.
func (c *conversation) prepares(body []byte) (over bool) {
	if len(body) < 9 {
		return true
	}
	c.prepared[binary.LittleEndian.Uint32(body[1:])] = c.open[0].statement
	for _, at := range []int{5, 7} {
		if n := int(binary.LittleEndian.Uint16(body[at:])); n > 0 {
			c.answer.left += c.described(n)
		}
	}
	return c.answer.left == 0
}

// okStatus is where an OK packet has the server's status: behind two numbers of variable length.
func okStatus(body []byte) int {
	at := 1
	for range 2 {
		if at >= len(body) {
			return at
		}
		switch body[at] {
		case 0xfc:
			at += 3
		case 0xfd:
			at += 4
		case 0xfe:
			at += 9
		default:
			at++
		}
	}
	return at
}

func followed(body []byte, status int) bool {
	return status+2 <= len(body) && binary.LittleEndian.Uint16(body[status:])&moreResults != 0
}

var (
	literal = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'|\b[0-9]+(?:\.[0-9]+)?\b`)
	table   = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE|TABLES)\s+` + "`?" + `([a-z0-9_]+)`)
)

// signature is a statement without its values. Statements that only set the connection up have none.
func signature(statement string) string {
	text := strings.Join(strings.Fields(literal.ReplaceAllString(statement, "?")), " ")
	first, _, _ := strings.Cut(text, " ")
	switch strings.ToUpper(strings.TrimRight(first, ";")) {
	case "SET", "BEGIN", "START", "USE":
		return ""
	}
	return text
}

// Key is the record of the lock in the table of a statement.
func (*mariadb) Key(signature string) string {
	if m := table.FindStringSubmatch(signature); m != nil {
		return store.RowKey(m[1], cell.LockName)
	}
	return store.NamedLockKey(cell.LockName)
}

// Blocks reports whether a statement may wait for a lock.
func (*mariadb) Blocks(signature string) bool {
	s := strings.ToUpper(signature)
	return strings.Contains(s, "GET_LOCK(") || strings.Contains(s, "FOR UPDATE") || strings.HasPrefix(s, "LOCK TABLE")
}

// Refused is for other stores.
func (*mariadb) Refused([]byte) bool { return false }
