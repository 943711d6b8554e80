package simmysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func init() {
	payload.Register("mysql", func() payload.Reader {
		c := &conversation{prepared: map[uint32]string{}}
		return func(segment *sim.Event) payload.Message { return c.read(segment.Payload) }
	})
}

// conversation is the part of a connection that the meaning of later segments depends on: the texts
// of the prepared statements, and of the last request.
type conversation struct {
	asked    string
	prepared map[uint32]string
}

// read describes a segment of the protocol in a few words: the statement, or the answer, as
// "ok, 1 row" or "error 1213 Deadlock found". It takes any bytes: what is not of the protocol is
// shown as text.
func (c *conversation) read(segment []byte) payload.Message {
	var bodies [][]byte
	first := byte(0)
	for rest := segment; len(rest) > 0; {
		sequence, body, more, whole, err := cutPacket(rest)
		if err != nil || !whole || len(body) == 0 {
			return payload.Message{Text: payload.Plain(segment)}
		}
		if len(bodies) == 0 {
			first = sequence
		}
		bodies, rest = append(bodies, body), more
	}
	if len(bodies) == 0 {
		return payload.Message{Text: payload.Plain(segment)}
	}
	text, list, aside := "", false, false
	switch {
	case first == 0:
		text, aside = c.request(bodies[0])
	case first == 1 && len(bodies) == 1 && isLogin(bodies[0]):
		text, aside = "log in", true
	default:
		text, list, aside = c.answer(bodies)
	}
	return payload.Message{Text: wording.Fit(wording.Printable(text), payload.Most), List: list, Aside: aside}
}

// request describes a request, or the greeting. The requests that begin and end a transaction are
// aside, since what matters is in its statements.
func (c *conversation) request(body []byte) (text string, aside bool) {
	d := decoder{rest: body[1:]}
	c.asked = ""
	switch body[0] {
	case comQuery:
		c.asked = strings.Join(strings.Fields(string(d.rest)), " ")
		return c.asked, begins(c.asked, "BEGIN", "START", "COMMIT", "ROLLBACK", "SET")
	case comStmtPrepare:
		c.asked = strings.Join(strings.Fields(string(d.rest)), " ")
	case comStmtExecute:
		c.asked = c.prepared[d.uint32()]
		if c.asked != "" {
			return executed(c.asked, d.rest), begins(c.asked, "BEGIN", "START", "COMMIT", "ROLLBACK", "SET")
		}
		return requestText(body), false
	}
	return requestText(body), true
}

// begins reports whether a statement begins with one of the words.
func begins(statement string, words ...string) bool {
	first, _, _ := strings.Cut(statement, " ")
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, strings.TrimRight(first, ";")) })
}

// executed returns a prepared statement with its parameters, as far as they can be read.
func executed(statement string, rest []byte) string {
	parts := strings.Split(statement, "?")
	n := len(parts) - 1
	d := decoder{rest: rest}
	d.take(5) // a flag and the number of times
	nulls := d.take((n + 7) / 8)
	if n == 0 || d.bad || d.byte() != 1 {
		return statement
	}
	types := d.take(2 * n)
	text := parts[0]
	for i := range n {
		value := "NULL"
		if !d.bad && nulls[i/8]&(1<<(i%8)) == 0 {
			v := d.value(types[2*i], types[2*i+1]&0x80 != 0)
			if value = v.String(); v.Kind == sql.Text {
				value = "'" + value + "'"
			}
		}
		text += value + parts[i+1]
	}
	if d.bad {
		return statement
	}
	return text
}

// isLogin reports whether a packet is a client's answer to the greeting.
func isLogin(body []byte) bool {
	const shortest = 33
	_, ok := parseLogin(body)
	return ok && len(body) > shortest
}

// requestText describes a request that is no statement, or the greeting.
func requestText(body []byte) string {
	d := decoder{rest: body[1:]}
	switch body[0] {
	case 10:
		return "hello, " + d.terminated()
	case comQuit:
		return "quit"
	case comInitDB:
		return "use " + string(d.rest)
	case comPing:
		return "ping"
	case comStmtPrepare:
		return "prepare " + strings.Join(strings.Fields(string(d.rest)), " ")
	case comStmtExecute:
		return fmt.Sprintf("execute statement %d", d.uint32())
	case comStmtLongData:
		return fmt.Sprintf("parameter of statement %d", d.uint32())
	case comStmtClose:
		return fmt.Sprintf("close statement %d", d.uint32())
	case comStmtReset:
		return fmt.Sprintf("reset statement %d", d.uint32())
	case comResetConnection:
		return "reset the connection"
	}
	return fmt.Sprintf("command %d", body[0])
}

// answer describes an answer. The answer to a change has the number of rows that were
// changed, even if it is 0.
func (c *conversation) answer(bodies [][]byte) (text string, list, aside bool) {
	body := bodies[0]
	d := decoder{rest: body[1:]}
	switch body[0] {
	case 0xff:
		number := d.uint16()
		d.take(min(6, len(d.rest))) // the state
		return fmt.Sprintf("error %d %s", number, d.rest), false, false
	case 0:
		const prepared = 12
		if len(body) == prepared {
			id := d.uint32()
			if c.asked != "" && !d.bad {
				c.prepared[id] = c.asked
			}
			return fmt.Sprintf("prepared statement %d", id), false, true
		}
		if rows := d.length(); rows > 0 || begins(c.asked, "INSERT", "UPDATE", "DELETE", "REPLACE") {
			return "ok, " + wording.Count(int(min(rows, 1<<31)), "row"), false, false
		}
		return "ok", false, false
	}
	return rowsText(bodies), true, false
}

// rowsText describes a result with rows.
func rowsText(bodies [][]byte) string {
	count := (&decoder{rest: bodies[0]}).length()
	if count == 0 || count > uint64(len(bodies)) {
		return "rows"
	}
	columns := int(count)
	from := 1 + columns + 1 // the columns, and their end
	if len(bodies) < from+1 {
		return "rows"
	}
	rows := bodies[from : len(bodies)-1]
	if len(rows) == 0 {
		return "no rows"
	}
	text := wording.Count(len(rows), "row")
	if values, ok := rowText(rows[0], bodies[1:1+columns]); ok {
		text += ": " + values
	}
	return text
}

// rowText returns a row in words, if it is one. An empty text has quotation marks.
func rowText(row []byte, columns [][]byte) (string, bool) {
	if len(row) > 0 && row[0] == 0 {
		if text, ok := binaryRowText(row, columns); ok && len(columns) > 0 {
			return text, true
		}
	}
	d := decoder{rest: row}
	var values []string
	for range columns {
		if len(d.rest) > 0 && d.rest[0] == 0xfb {
			d.byte()
			values = append(values, "NULL")
			continue
		}
		values = append(values, cmp.Or(d.text(), "''"))
	}
	return strings.Join(values, ", "), !d.bad && len(d.rest) == 0
}

// binaryRowText returns a row of a prepared statement in words.
func binaryRowText(row []byte, columns [][]byte) (string, bool) {
	d := decoder{rest: row[1:]}
	nulls := d.take((len(columns) + 9) / 8)
	var values []string
	for i, c := range columns {
		if d.bad {
			return "", false
		}
		if nulls[(i+2)/8]&(1<<((i+2)%8)) != 0 {
			values = append(values, "NULL")
			continue
		}
		values = append(values, cmp.Or(d.value(columnCode(c), false).String(), "''"))
	}
	return strings.Join(values, ", "), !d.bad && len(d.rest) == 0
}

// columnCode returns the type of a column, from the packet that describes it.
func columnCode(body []byte) byte {
	d := decoder{rest: body}
	for range 6 {
		d.text()
	}
	d.length()
	d.uint16()
	d.uint32()
	return d.byte()
}
