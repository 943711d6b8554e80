package simpostgres

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/postgres/internal/executor"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// handle handles a message.
func (s *session) handle(kind byte, body []byte) {
	s.statement = s.present()
	s.extended = isExtended(kind)
	if s.skips && kind != 'S' && kind != 'X' {
		return
	}
	s.text = ""
	switch kind {
	case 'Q':
		var m pgproto3.Query
		if err := m.Decode(body); err != nil {
			s.fail(errFormat())
		} else {
			s.simpleQuery(m.String)
		}
		s.piped = false
		s.ready()
	case 'S':
		s.sync()
	case 'X':
		s.ending = endedBy(s.Origin())
	case 'H':
		s.conn.flush()
	case 'F':
		s.fail(pgerror.Lacks("calls of functions by a message of their own (fast path)"))
		s.ready()
	case 'd', 'c', 'f': // of a COPY that has failed
	default:
		if err := s.extend(kind, body); err != nil {
			s.fail(err)
		}
	}
}

// isExtended reports whether a message is one of the extended protocol, in which an error skips the messages until Sync.
func isExtended(kind byte) bool {
	switch kind {
	case 'P', 'B', 'D', 'E', 'C', 'H':
		return true
	}
	return false
}

// errFormat is the answer to a message that cannot be read.
func errFormat() error { return pgerror.New(pgerror.ProtocolViolation, "invalid message format") }

// simpleQuery executes the statements of a text, all of them in one transaction unless they begin or end others.
func (s *session) simpleQuery(text string) {
	s.ask(text)
	delete(s.statements, "")
	if err := s.execute(text); err != nil {
		s.fail(err)
	}
}

// ask notes the statement that the client has sent.
func (s *session) ask(text string) {
	s.text, s.query, s.queried = text, text, s.statement.at
}

// execute is simpleQuery.
func (s *session) execute(text string) error {
	if err := s.startCommand(); err != nil {
		return err
	}
	list, err := s.node.cluster.parse(text)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if err := s.finishCommand(); err != nil {
			return err
		}
		s.send(&pgproto3.EmptyQueryResponse{})
		return nil
	}
	for i, st := range list {
		if err := s.executeOne(st, len(list) > 1, i == len(list)-1); err != nil {
			return err
		}
	}
	return nil
}

// executeOne executes one of the statements of a text.
func (s *session) executeOne(st syntax.Statement, several, last bool) error {
	if s.block == failedBlock && !isExit(st) {
		return errFailedBlock()
	}
	if err := s.startCommand(); err != nil {
		return err
	}
	if several && s.block == noBlock {
		s.block = implicitBlock
	}
	s.node.serve(requestName(st), s.task)
	p := &prepared{statement: st}
	r, err := s.run(p, nil, true)
	if err == nil {
		_, err = s.rows(r, 0, nil)
	}
	if p.started {
		s.leavePortal(p, err != nil)
	}
	if err != nil {
		return err
	}
	_, isTransaction := st.(*syntax.Transaction)
	switch {
	case last:
		if s.block == implicitBlock {
			s.block = noBlock
		}
		err = s.finishCommand()
	case isTransaction:
		err = s.finishCommand()
	default:
		s.timeout.Stop()
	}
	if err != nil {
		return err
	}
	s.send(&pgproto3.CommandComplete{CommandTag: []byte(r.tag)})
	return nil
}

// leavePortal notes what a statement of a simple query leaves of the unnamed portal, by which it is executed: nothing, or, if
// it has failed, a portal that cannot be run.
func (s *session) leavePortal(p *prepared, failed bool) {
	delete(s.portals, "")
	if failed {
		s.portals[""] = &portal{prepared: p, depth: s.depth(), failed: true, simple: true}
	}
}

// result is what a statement returns.
type result struct {
	columns []executor.Column // nil if it returns no rows
	cursor  *executor.Cursor  // of a query, whose rows are found when they are sent; nil for others
	rows    [][]types.Value   // that were not sent yet, without a cursor
	tag     string
	over    bool // all rows were sent
}

// next returns the next row, nil after the last one.
func (r *result) next() (row []types.Value, err error) {
	switch {
	case r.over:
	case r.cursor != nil:
		row, err = r.cursor.Next()
	case len(r.rows) > 0:
		row, r.rows = r.rows[0], r.rows[1:]
	}
	r.over = r.over || row == nil
	return row, err
}

// run executes a statement, which is analysed first if it was not. With describe, the client gets the description of the rows.
func (s *session) run(p *prepared, params []types.Value, describe bool) (*result, error) {
	p.started = !isPlanned(p.statement)
	if ok, r, err := s.utility(p.statement); ok {
		if err == nil && describe && r.columns != nil {
			s.describe(r.columns, nil)
		}
		return r, err
	}
	if err := s.mayRun(p.statement); err != nil {
		return nil, err
	}
	if p.plan == nil {
		plan, err := executor.Prepare(s, p.statement, p.types)
		if err != nil {
			return nil, err
		}
		p.plan = plan
	}
	p.started = p.started || p.plan.Err() == nil
	if isQuery(p.statement) {
		c, err := p.plan.Start(s, params)
		if err == nil && describe {
			s.describe(p.plan.Columns, nil)
		}
		return &result{columns: p.plan.Columns, cursor: c, tag: "SELECT 0"}, err
	}
	got, err := p.plan.Run(s, params)
	if err != nil {
		return nil, err
	}
	if describe && p.plan.Columns != nil {
		s.describe(p.plan.Columns, nil)
	}
	return &result{columns: p.plan.Columns, rows: got.Rows, tag: got.Tag}, nil
}

// isQuery reports whether a statement is a SELECT that changes nothing, whose rows a server sends as it finds them.
func isQuery(st syntax.Statement) bool {
	q, ok := st.(*syntax.Select)
	if !ok {
		return false
	}
	if q.With != nil {
		for _, c := range q.With.Items {
			if _, reads := c.Query.(*syntax.Select); !reads {
				return false
			}
		}
	}
	return true
}

// isPlanned reports whether a statement is analysed and planned before it is executed.
func isPlanned(st syntax.Statement) bool {
	switch st.(type) {
	case *syntax.Select, *syntax.Insert, *syntax.Update, *syntax.Delete:
		return true
	}
	return false
}

// mayRun returns an error if a statement must not be executed in the present state of the transaction.
func (s *session) mayRun(st syntax.Statement) error {
	switch t := st.(type) {
	case *syntax.LockTable:
		return s.requireBlock("LOCK TABLE")
	case *syntax.CreateIndex:
		if t.Concurrently {
			return s.preventBlock("CREATE INDEX CONCURRENTLY")
		}
	case *syntax.Drop:
		if t.Concurrently {
			return s.preventBlock("DROP INDEX CONCURRENTLY")
		}
	case *syntax.Maintain:
		if t.Word == "VACUUM" {
			return s.preventBlock("VACUUM")
		}
	}
	return nil
}

// send adds a message to the answer.
func (s *session) send(m pgproto3.BackendMessage) {
	if s.conn != nil {
		s.conn.task = s.task
		s.conn.send(m)
	}
}

// describe sends the description of rows. Formats are those that the client wants, for all or for each column.
func (s *session) describe(columns []executor.Column, formats []int16) {
	m := pgproto3.RowDescription{Fields: make([]pgproto3.FieldDescription, len(columns))}
	for i, c := range columns {
		m.Fields[i] = pgproto3.FieldDescription{
			Name: []byte(c.Name), TableOID: c.TableOID, TableAttributeNumber: uint16(c.Number), DataTypeOID: uint32(c.Type),
			DataTypeSize: types.Size(c.Type), TypeModifier: c.Mod, Format: format(formats, i),
		}
	}
	s.send(&m)
}

// format returns the format of a value, from the list of a message: text if it is empty, the same for all if it has one.
func format(list []int16, i int) int16 {
	switch len(list) {
	case 0:
		return pgproto3.TextFormat
	case 1:
		return list[0]
	}
	return list[i]
}

// rows sends the next rows of a result, at most limit of them unless that is 0, and returns how many.
func (s *session) rows(r *result, limit int, formats []int16) (sent int, err error) {
	if r.columns == nil {
		r.over = true
		s.back.NextCommand()
		return 0, nil
	}
	for limit == 0 || sent < limit {
		row, err := r.next()
		if err != nil {
			return sent, err
		}
		if row == nil {
			break
		}
		if err := s.row(r.columns, row, formats); err != nil {
			return sent, err
		}
		sent++
	}
	if r.cursor != nil {
		if r.tag = fmt.Sprintf("SELECT %d", sent); !r.over {
			s.back.Hold(r.cursor.Snapshot())
		}
	}
	if r.cursor != nil || r.over { // the next command does not see the changes of one whose rows are not sent
		s.back.NextCommand()
	}
	return sent, nil
}

// row sends a row.
func (s *session) row(columns []executor.Column, row []types.Value, formats []int16) error {
	m := pgproto3.DataRow{Values: make([][]byte, len(row))}
	for i, v := range row {
		switch {
		case v == nil:
		case format(formats, i) == pgproto3.BinaryFormat:
			b, err := types.Binary(columns[i].Type, v)
			if err != nil {
				return err
			}
			m.Values[i] = append([]byte{}, b...) // nil is NULL, and void has no bytes
		default:
			m.Values[i] = []byte(types.Text(columns[i].Type, v))
		}
	}
	s.send(&m)
	return nil
}
