package simmysql

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func init() { payload.Register("mysql", payload.Each(readPayload)) }

// readPayload describes a segment of the protocol in a few words: the statement, or the answer, as
// "ok, 1 row" or "error 1213 Deadlock found". It takes any bytes: what is not of the protocol is
// shown as text.
func readPayload(segment []byte) payload.Message {
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
	text, list := "", false
	switch {
	case first == 0:
		text = requestText(bodies[0])
	case first == 1 && len(bodies) == 1 && isLogin(bodies[0]):
		text = "log in"
	default:
		text, list = answerText(bodies)
	}
	return payload.Message{Text: wording.Fit(wording.Printable(text), payload.Most), List: list}
}

// isLogin reports whether a packet is a client's answer to the greeting.
func isLogin(body []byte) bool {
	const shortest = 33
	_, ok := parseLogin(body)
	return ok && len(body) > shortest
}

// requestText describes a request, or the greeting.
func requestText(body []byte) string {
	d := decoder{rest: body[1:]}
	switch body[0] {
	case 10:
		return "hello, " + d.terminated()
	case comQuit:
		return "quit"
	case comInitDB:
		return "use " + string(d.rest)
	case comQuery:
		return strings.Join(strings.Fields(string(d.rest)), " ")
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

// answerText describes an answer.
func answerText(bodies [][]byte) (text string, list bool) {
	body := bodies[0]
	d := decoder{rest: body[1:]}
	switch body[0] {
	case 0xff:
		number := d.uint16()
		d.take(min(6, len(d.rest))) // the state
		return fmt.Sprintf("error %d %s", number, d.rest), false
	case 0:
		const prepared = 12
		if len(body) == prepared {
			return fmt.Sprintf("prepared statement %d", d.uint32()), false
		}
		if rows := d.length(); rows > 0 {
			return "ok, " + wording.Count(int(min(rows, 1<<31)), "row"), false
		}
		return "ok", false
	}
	return rowsText(bodies), true
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
	if values := rowText(rows[0], bodies[1:1+columns]); values != "" {
		text += ": " + values
	}
	return text
}

// rowText is a row in words, empty if it is none.
func rowText(row []byte, columns [][]byte) string {
	if len(row) > 0 && row[0] == 0 {
		if text, ok := binaryRowText(row, columns); ok {
			return text
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
		values = append(values, d.text())
	}
	if d.bad || len(d.rest) > 0 {
		return ""
	}
	return strings.Join(values, ", ")
}

// binaryRowText is a row of a prepared statement in words.
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
		values = append(values, d.value(columnCode(c), false).String())
	}
	return strings.Join(values, ", "), !d.bad && len(d.rest) == 0
}

// columnCode is the type of a column, from the packet that describes it.
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
