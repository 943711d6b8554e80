package simpostgres

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/postgres/internal/executor"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// prepared is a prepared statement, or one that is about to be executed. The statement is nil if its text has none.
type prepared struct {
	name      string
	text      string
	statement syntax.Statement
	types     []types.OID // of the parameters, as far as the client has given them; 0 for the others
	plan      *executor.Plan
	started   bool // its last execution has come as far as to be in a portal
}

// portal is a prepared statement with its parameters.
type portal struct {
	prepared *prepared
	params   []types.Value
	formats  []int16 // of the result
	result   *result // nil until it has been started: a query by Bind, and others by Execute
	served   bool    // its execution has begun
	depth    int     // the number of savepoints when it was made
	failed   bool    // its execution has
	simple   bool    // it is of a simple query
	lost     bool    // a failure has taken its plan
}

// extend handles a message of the extended protocol other than Sync and Flush.
func (s *session) extend(kind byte, body []byte) error {
	s.active = s.active || kind == 'P' || kind == 'B' || kind == 'E'
	switch kind {
	case 'P':
		var m pgproto3.Parse
		if err := m.Decode(body); err != nil {
			return errFormat()
		}
		return s.parse(&m)
	case 'B':
		var m pgproto3.Bind
		if err := m.Decode(body); err != nil {
			return errFormat()
		}
		return s.bind(&m)
	case 'D':
		var m pgproto3.Describe
		if err := m.Decode(body); err != nil {
			return errFormat()
		}
		return s.describeRequest(&m)
	case 'E':
		var m pgproto3.Execute
		if err := m.Decode(body); err != nil {
			return errFormat()
		}
		return s.executePortal(&m)
	}
	var m pgproto3.Close
	if err := m.Decode(body); err != nil {
		return errFormat()
	}
	return s.closeRequest(&m)
}

// parse prepares a statement.
func (s *session) parse(m *pgproto3.Parse) error {
	s.ask(m.Query)
	s.node.serve("PARSE", s.task)
	if err := s.startCommand(); err != nil {
		return err
	}
	if m.Name == "" {
		delete(s.statements, "")
	}
	list, err := s.node.cluster.parse(m.Query)
	switch {
	case err != nil:
		return err
	case len(list) > 1:
		return pgerror.New(pgerror.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	p := &prepared{name: m.Name, text: m.Query}
	for _, oid := range m.ParameterOIDs {
		p.types = append(p.types, types.OID(oid))
	}
	if len(list) == 1 {
		p.statement = list[0]
		if s.block == failedBlock && !isExit(p.statement) {
			return errFailedBlock()
		}
		if err := s.analyse(p); err != nil {
			return err
		}
	}
	if err := s.keep(p); err != nil {
		return err
	}
	s.back.NextCommand() // so that the next one sees what a portal has changed that has not sent all its rows
	s.send(&pgproto3.ParseComplete{})
	return nil
}

// analyse finds the types of a statement.
func (s *session) analyse(p *prepared) (err error) {
	switch {
	case isUtility(p.statement):
		_, err = s.columns(p)
	case p.plan == nil:
		p.plan, err = executor.Prepare(s, p.statement, p.types)
	}
	return err
}

// keep keeps a prepared statement under its name.
func (s *session) keep(p *prepared) error {
	if p.name != "" && s.statements[p.name] != nil {
		return pgerror.New(pgerror.DuplicatePreparedStatement, "prepared statement %q already exists", p.name)
	}
	s.statements[p.name] = p
	return nil
}

// find returns a prepared statement.
func (s *session) find(name string) (*prepared, error) {
	p := s.statements[name]
	switch {
	case p != nil:
		return p, nil
	case name == "":
		return nil, pgerror.New(pgerror.InvalidStatementName, "unnamed prepared statement does not exist")
	}
	return nil, pgerror.New(pgerror.InvalidStatementName, "prepared statement %q does not exist", name)
}

// paramTypes returns the types of the parameters.
func (p *prepared) paramTypes() []types.OID {
	if p.plan != nil {
		return p.plan.Params
	}
	return nil
}

// bind makes a portal.
func (s *session) bind(m *pgproto3.Bind) error {
	p, err := s.find(m.PreparedStatement)
	if err != nil {
		return err
	}
	s.ask(p.text)
	if err := s.startCommand(); err != nil {
		return err
	}
	want := p.paramTypes()
	switch {
	case len(m.ParameterFormatCodes) > 1 && len(m.ParameterFormatCodes) != len(m.Parameters):
		return pgerror.New(pgerror.ProtocolViolation, "bind message has %d parameter formats but %d parameters", len(m.ParameterFormatCodes), len(m.Parameters))
	case len(m.Parameters) != len(want):
		return pgerror.New(pgerror.ProtocolViolation, "bind message supplies %d parameters, but prepared statement %q requires %d", len(m.Parameters), p.name, len(want))
	case s.block == failedBlock && (!isExit(p.statement) || len(want) > 0):
		return errFailedBlock()
	case m.DestinationPortal != "" && s.portals[m.DestinationPortal] != nil:
		return pgerror.New(pgerror.DuplicateCursor, "cursor %q already exists", m.DestinationPortal)
	}
	o := &portal{prepared: p, formats: m.ResultFormatCodes, depth: s.depth()}
	if err := s.fill(o, m, want); err != nil {
		left := &portal{prepared: &prepared{}, depth: o.depth} // empty, unless the plan was made
		if isQuery(p.statement) && p.started {
			left.prepared.statement = p.statement
		}
		s.portals[m.DestinationPortal] = left
		return err
	}
	s.portals[m.DestinationPortal] = o
	s.send(&pgproto3.BindComplete{})
	return nil
}

// fill gives a portal what its Bind has, and starts it.
func (s *session) fill(o *portal, m *pgproto3.Bind, want []types.OID) (err error) {
	o.prepared.started = false
	if o.params, err = s.parameters(m, want); err != nil {
		return err
	}
	columns, err := s.columns(o.prepared)
	if err != nil {
		return err
	}
	if len(o.formats) > 1 && len(o.formats) != len(columns) {
		return pgerror.New(pgerror.ProtocolViolation, "bind message has %d result formats but query has %d columns", len(o.formats), len(columns))
	}
	return s.startPortal(o)
}

// startPortal plans a portal's statement, and starts it if it is a query: its snapshot is that of the Bind.
func (s *session) startPortal(o *portal) (err error) {
	p := o.prepared
	if p.plan == nil {
		return nil
	}
	if isQuery(p.statement) {
		o.result, err = s.run(p, o.params, false)
		return err
	}
	return p.plan.Late(s, o.params)
}

// parameters reads the values of a Bind.
func (s *session) parameters(m *pgproto3.Bind, want []types.OID) ([]types.Value, error) {
	list := make([]types.Value, len(want))
	for i, b := range m.Parameters {
		if b == nil {
			continue
		}
		var err error
		switch format(m.ParameterFormatCodes, i) {
		case pgproto3.TextFormat:
			list[i], err = executor.Input(s, want[i], string(b))
		case pgproto3.BinaryFormat:
			list[i], err = executor.InputBinary(s, want[i], b)
		default:
			err = pgerror.New(pgerror.InvalidParameterValue, "unsupported format code: %d", m.ParameterFormatCodes[i])
		}
		if err != nil {
			e := *pgerror.From(err)
			e.Where = parameterPlace(m, i)
			return nil, &e
		}
	}
	return list, nil
}

// parameterPlace is the context of an error in a parameter.
func parameterPlace(m *pgproto3.Bind, i int) string {
	place := "unnamed portal"
	if m.DestinationPortal != "" {
		place = fmt.Sprintf("portal %q", m.DestinationPortal)
	}
	place = fmt.Sprintf("%s parameter $%d", place, i+1)
	if format(m.ParameterFormatCodes, i) == pgproto3.TextFormat {
		place += " = '...'"
	}
	return place
}

// columns returns the columns of a prepared statement, nil if it returns no rows.
func (s *session) columns(p *prepared) ([]executor.Column, error) {
	switch st := p.statement.(type) {
	case *syntax.Show:
		return s.settings.columns(st.Name)
	case *syntax.Execute:
		if inner := s.statements[st.Name]; inner != nil {
			return s.columns(inner)
		}
	}
	if p.plan == nil {
		return nil, nil
	}
	return p.plan.Columns, nil
}

// describeRequest describes a prepared statement or a portal.
func (s *session) describeRequest(m *pgproto3.Describe) error {
	if err := s.startCommand(); err != nil {
		return err
	}
	var p *prepared
	var formats []int16
	var err error
	switch m.ObjectType {
	case 'S':
		if p, err = s.find(m.Name); err != nil {
			return err
		}
	case 'P':
		o := s.portals[m.Name]
		if o == nil {
			return pgerror.New(pgerror.InvalidCursorName, "portal %q does not exist", m.Name)
		}
		if p, formats = o.prepared, o.formats; o.failed {
			if _, err := s.columns(p); err != nil {
				p = &prepared{} // a simple SHOW of nothing
			}
		}
	default:
		return pgerror.New(pgerror.ProtocolViolation, "invalid DESCRIBE message subtype %d", m.ObjectType)
	}
	columns, err := s.columns(p)
	switch {
	case err != nil:
		return err
	case s.block == failedBlock && columns != nil:
		return errFailedBlock()
	}
	if m.ObjectType == 'S' {
		d := pgproto3.ParameterDescription{ParameterOIDs: []uint32{}}
		for _, t := range p.paramTypes() {
			d.ParameterOIDs = append(d.ParameterOIDs, uint32(t))
		}
		s.send(&d)
		if p.plan != nil {
			if err := p.plan.Check(s); err != nil {
				return err
			}
		}
	}
	if columns == nil {
		s.send(&pgproto3.NoData{})
		return nil
	}
	s.describe(columns, formats)
	return nil
}

// closeRequest closes a prepared statement or a portal.
func (s *session) closeRequest(m *pgproto3.Close) error {
	switch m.ObjectType {
	case 'S':
		delete(s.statements, m.Name)
	case 'P':
		delete(s.portals, m.Name)
	default:
		return pgerror.New(pgerror.ProtocolViolation, "invalid CLOSE message subtype %d", m.ObjectType)
	}
	s.send(&pgproto3.CloseComplete{})
	return nil
}

// executePortal executes a portal, or sends more of its rows.
func (s *session) executePortal(m *pgproto3.Execute) error {
	o := s.portals[m.Portal]
	if o == nil {
		return pgerror.New(pgerror.InvalidCursorName, "portal %q does not exist", m.Portal)
	}
	p := o.prepared
	s.ask(p.text)
	if p.statement == nil {
		s.send(&pgproto3.EmptyQueryResponse{})
		return nil
	}
	if err := s.startCommand(); err != nil {
		return err
	}
	switch {
	case s.block == failedBlock && (o.lost || !isExit(p.statement)):
		return errFailedBlock()
	case o.failed:
		return errCannotRun(m.Portal)
	}
	err := s.serve(o, m)
	o.failed = err != nil
	return err
}

// errCannotRun is the answer to an Execute of a portal whose execution has failed, or is over.
func errCannotRun(name string) error {
	return pgerror.New(pgerror.ObjectNotInPrerequisiteState, "portal %q cannot be run", name)
}

// serve executes a portal, or sends more of its rows.
func (s *session) serve(o *portal, m *pgproto3.Execute) error {
	p, first := o.prepared, !o.served
	if first {
		o.served = true
		s.node.serve(requestName(p.statement), s.task)
	}
	if o.result == nil {
		r, err := s.run(p, o.params, false)
		if err != nil {
			return err
		}
		o.result = r
	} else if !first && o.result.columns == nil {
		return errCannotRun(m.Portal)
	}
	sent, err := s.rows(o.result, int(m.MaxRows), o.formats)
	if err != nil {
		return err
	}
	if !o.result.over {
		s.send(&pgproto3.PortalSuspended{})
		return nil
	}
	return s.completed(o, sent)
}

// completed ends the execution of a portal that has sent all rows, sent of them by the last request.
func (s *session) completed(o *portal, sent int) error {
	tag := o.result.tag
	if at := strings.LastIndexByte(tag, ' '); at >= 0 && o.result.columns != nil {
		tag = fmt.Sprintf("%s %d", tag[:at], sent)
	}
	if _, ok := o.prepared.statement.(*syntax.Transaction); ok || s.immediate(o.prepared.statement) {
		if err := s.finishCommand(); err != nil {
			return err
		}
	} else {
		s.piped = true
		s.timeout.Stop()
	}
	s.send(&pgproto3.CommandComplete{CommandTag: []byte(tag)})
	return nil
}

// immediate reports whether a statement commits at once, without a Sync.
func (s *session) immediate(st syntax.Statement) bool {
	switch t := st.(type) {
	case *syntax.CreateIndex:
		return t.Concurrently
	case *syntax.Drop:
		return t.Concurrently
	case *syntax.Maintain:
		return t.Word == "VACUUM"
	}
	return false
}

// sync ends a pipeline, and its transaction unless it is a block.
func (s *session) sync() {
	s.skips, s.piped = false, false
	if err := s.finishCommand(); err != nil {
		s.fail(err)
	}
	s.ready()
}
