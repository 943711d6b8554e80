package simpostgres

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func init() {
	payload.Register("postgres", func() payload.Reader {
		c := &conversation{statements: map[string]*spoken{}, portals: map[string]*execution{}}
		return c.read
	})
}

// conversation is the part of a connection that the meaning of later segments depends on.
type conversation struct {
	client     string // the process that opened the connection; empty before the first segment
	statements map[string]*spoken
	portals    map[string]*execution
	described  []*spoken    // whose descriptions are to come
	executed   []*execution // whose results are to come
}

// spoken is a prepared statement.
type spoken struct {
	text    string
	params  []uint32 // the types of the parameters
	columns []pgproto3.FieldDescription
}

// execution is an execution of a prepared statement, or of a text of statements.
type execution struct {
	statement *spoken
	text      string  // with its parameters
	formats   []int16 // of the result
	simple    bool    // it ends when the server is ready
}

// summary is what is shown of a segment.
type summary struct {
	parts   []string
	rows    int
	first   string // row
	list    bool
	matters bool // it is more than a part of the protocol
	prepare string
}

func (s *summary) add(text string, matters bool) {
	s.parts = append(s.parts, text)
	s.matters = s.matters || matters
}

// read describes a segment of the protocol in a few words: the statement, or the answer, as
// "ok, 1 row" or "error 40P01 deadlock detected". It takes any bytes: what is not of the protocol is
// shown as text.
func (c *conversation) read(segment *sim.Event) payload.Message {
	data := segment.Payload
	if len(data) == 1 {
		return payload.Message{Text: "no encryption", Aside: true}
	}
	if text, ok := opening(data); ok {
		c.client = segment.Peer
		return payload.Message{Text: text, Aside: true}
	}
	if c.client == "" && len(data) > 0 && strings.ContainsRune("QPBX", rune(data[0])) {
		c.client = segment.Peer
	}
	var s summary
	for len(data) > 0 {
		if len(data) < 5 {
			return payload.Message{Text: payload.Plain(segment.Payload)}
		}
		end := 1 + int(binary.BigEndian.Uint32(data[1:]))
		if end < 5 || end > len(data) {
			return payload.Message{Text: payload.Plain(segment.Payload)}
		}
		if segment.Peer == c.client {
			c.request(&s, data[0], data[5:end])
		} else {
			c.answer(&s, data[0], data[5:end])
		}
		data = data[end:]
	}
	return s.message()
}

// message returns what is shown.
func (s *summary) message() payload.Message {
	s.flush()
	if len(s.parts) == 0 && s.prepare != "" {
		s.parts = []string{"prepare " + s.prepare}
	}
	text := strings.Join(s.parts, "; ")
	if text == "" {
		text = "ok"
	}
	return payload.Message{Text: wording.Fit(wording.Printable(text), payload.Most), List: s.list, Aside: !s.matters}
}

// flush adds the rows so far.
func (s *summary) flush() {
	if s.rows > 0 {
		text := wording.Count(s.rows, "row")
		if s.first != "" {
			text += ": " + s.first
		}
		s.add(text, true)
		s.rows, s.first = 0, ""
	}
}

// opening describes a message that begins a connection.
func opening(data []byte) (string, bool) {
	if len(data) < 8 || data[0] != 0 {
		return "", false
	}
	switch code := binary.BigEndian.Uint32(data[4:]); {
	case code == cancelCode && len(data) >= 12:
		return fmt.Sprintf("cancel the statement of connection %d", binary.BigEndian.Uint32(data[8:])), true
	case code == sslCode, code == gssCode:
		return "encryption?", true
	case code>>16 == 3:
		return "log in", true
	}
	return "", false
}

// begins reports whether a statement begins with one of the words.
func begins(statement string, words ...string) bool {
	first, _, _ := strings.Cut(statement, " ")
	for _, w := range words {
		if strings.EqualFold(w, strings.TrimRight(first, ";")) {
			return true
		}
	}
	return false
}

// request describes a message of the client. The requests that begin and end a transaction are aside, since what matters is in
// its statements.
func (c *conversation) request(s *summary, kind byte, body []byte) {
	executes := func(e *execution) {
		c.executed = append(c.executed, e)
		s.add(e.text, !begins(e.text, "BEGIN", "START", "COMMIT", "ROLLBACK", "SET", "DISCARD", "DEALLOCATE"))
	}
	switch kind {
	case 'Q':
		var m pgproto3.Query
		if m.Decode(body) == nil {
			executes(&execution{text: line(m.String), simple: true})
		}
	case 'P':
		var m pgproto3.Parse
		if m.Decode(body) == nil {
			s.prepare = line(m.Query)
			c.statements[m.Name] = &spoken{text: s.prepare, params: m.ParameterOIDs}
		}
	case 'B':
		var m pgproto3.Bind
		if m.Decode(body) == nil && c.statements[m.PreparedStatement] != nil {
			p := c.statements[m.PreparedStatement]
			c.portals[m.DestinationPortal] = &execution{statement: p, text: bound(p, &m), formats: m.ResultFormatCodes}
		}
	case 'D':
		var m pgproto3.Describe
		if m.Decode(body) == nil {
			p := c.statements[m.Name]
			if o := c.portals[m.Name]; m.ObjectType == 'P' && o != nil {
				p = o.statement
			}
			c.described = append(c.described, p)
		}
	case 'E':
		var m pgproto3.Execute
		if m.Decode(body) == nil && c.portals[m.Portal] != nil {
			executes(c.portals[m.Portal])
		}
	case 'C':
		s.add("close", false)
	case 'X':
		s.add("quit", false)
	}
}

// line returns a statement without its line breaks.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// bound returns a statement with its parameters, as far as they can be read.
func bound(p *spoken, m *pgproto3.Bind) string {
	text := p.text
	for i := len(m.Parameters) - 1; i >= 0; i-- {
		oid := types.UnknownOID
		if i < len(p.params) {
			oid = types.OID(p.params[i])
		}
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i+1), shownParam(oid, m.Parameters[i], formatOf(m.ParameterFormatCodes, i)))
	}
	return text
}

// formatOf is format for a list that may be too short.
func formatOf(list []int16, i int) int16 {
	if len(list) > 1 && i >= len(list) {
		return pgproto3.TextFormat
	}
	return format(list, i)
}

// shownParam returns a parameter as it would be written.
func shownParam(oid types.OID, b []byte, f int16) string {
	text, ok := shownBytes(oid, b, f)
	switch {
	case b == nil:
		return "NULL"
	case !ok:
		return "..."
	}
	switch oid {
	case types.Int2OID, types.Int4OID, types.Int8OID, types.Float8OID, types.BoolOID, types.NumericOID, types.OIDOID:
		return text
	}
	return "'" + text + "'"
}

// shownBytes returns a value of a message as text.
func shownBytes(oid types.OID, b []byte, f int16) (text string, ok bool) {
	if f == pgproto3.TextFormat {
		return string(b), true
	}
	if !types.Known(oid) {
		return "", false
	}
	v, err := types.ParseBinary(oid, b)
	if err != nil {
		return "", false
	}
	return types.Text(oid, v), true
}

// answer describes a message of the server. The answer to a change has the number of rows that were
// changed, even if it is 0.
func (c *conversation) answer(s *summary, kind byte, body []byte) {
	switch kind {
	case 't':
		var m pgproto3.ParameterDescription
		if m.Decode(body) == nil && len(c.described) > 0 && c.described[0] != nil {
			c.described[0].params = m.ParameterOIDs
		}
	case 'n':
		c.pop(nil)
	case 'T':
		var m pgproto3.RowDescription
		if m.Decode(body) == nil {
			c.pop(m.Fields)
		}
		s.list = true
	case 'D':
		c.row(s, body)
	case 'C', 'I', 's':
		c.complete(s, kind, body)
	case 'Z':
		if len(c.executed) > 0 && c.executed[0].simple {
			c.executed = c.executed[1:]
		}
	case 'E', 'N':
		var m pgproto3.ErrorResponse
		if m.Decode(body) == nil {
			s.flush()
			s.add(fmt.Sprintf("%s %s %s", strings.ToLower(m.Severity), m.Code, m.Message), true)
		}
		if kind == 'E' {
			c.described, c.executed = nil, nil
		}
	case 'A':
		var m pgproto3.NotificationResponse
		if m.Decode(body) == nil {
			s.flush()
			s.add(strings.TrimSpace("notification on "+m.Channel+" "+m.Payload), true)
		}
	}
}

// pop takes a description: of a prepared statement, or of the rows that follow.
func (c *conversation) pop(columns []pgproto3.FieldDescription) {
	switch {
	case len(c.described) > 0:
		if p := c.described[0]; p != nil {
			p.columns = columns
		}
		c.described = c.described[1:]
	case len(c.executed) > 0:
		c.executed[0].statement = &spoken{columns: columns}
	}
}

// row counts a row, and describes the first one. An empty text has quotation marks.
func (c *conversation) row(s *summary, body []byte) {
	s.list = true
	s.rows++
	var m pgproto3.DataRow
	if s.rows > 1 || m.Decode(body) != nil || len(c.executed) == 0 {
		return
	}
	e := c.executed[0]
	var values []string
	for i, b := range m.Values {
		oid := types.UnknownOID
		if e.statement != nil && i < len(e.statement.columns) {
			oid = types.OID(e.statement.columns[i].DataTypeOID)
		}
		text, ok := shownBytes(oid, b, formatOf(e.formats, i))
		switch {
		case b == nil:
			text = "NULL"
		case !ok:
			text = "..."
		case text == "":
			text = "''"
		}
		values = append(values, text)
	}
	s.first = strings.Join(values, ", ")
}

// complete describes the end of a statement.
func (c *conversation) complete(s *summary, kind byte, body []byte) {
	var m pgproto3.CommandComplete
	rows := s.rows
	s.flush()
	word, count := "", ""
	if kind == 'C' && m.Decode(body) == nil {
		tag := string(m.CommandTag)
		word, _, _ = strings.Cut(tag, " ")
		count = tag[strings.LastIndexByte(tag, ' ')+1:]
	}
	switch word {
	case "SELECT":
		if rows == 0 {
			s.add("no rows", true)
		}
	case "INSERT", "UPDATE", "DELETE":
		if rows == 0 {
			s.list = false
			if count == "1" {
				s.add("ok, 1 row", true)
			} else {
				s.add("ok, "+count+" rows", true)
			}
		}
	default:
		s.add("ok", true)
	}
	if len(c.executed) > 0 && !c.executed[0].simple {
		c.executed = c.executed[1:]
	}
}
