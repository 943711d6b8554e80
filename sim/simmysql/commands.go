package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Commands of the protocol.
const (
	comQuit            byte = 1
	comInitDB          byte = 2
	comQuery           byte = 3
	comPing            byte = 14
	comStmtPrepare     byte = 22
	comStmtExecute     byte = 23
	comStmtLongData    byte = 24
	comStmtClose       byte = 25
	comStmtReset       byte = 26
	comResetConnection byte = 31
)

// command handles a request.
func (c *conn) command(body []byte) {
	if len(body) == 0 {
		c.fail(errUnknownCommand)
		return
	}
	s, args := c.session, body[1:]
	switch body[0] {
	case comQuit:
		c.leave(&ending{kind: model.RecordDeleted, by: c.by(c.task)})
	case comInitDB:
		c.node.serve("USE")
		if err := s.enter(string(args)); err != nil {
			c.fail(err)
			return
		}
		c.ok(&result{})
	case comPing:
		c.node.serve("PING")
		c.ok(&result{})
	case comQuery:
		c.query(string(args))
	case comResetConnection:
		c.node.serve("RESET CONNECTION")
		s.reset(c.by(c.task))
		c.prepared = nil
		c.ok(&result{})
	case comStmtPrepare:
		c.prepare(string(args))
	case comStmtExecute:
		c.execute(args)
	case comStmtClose:
		id := (&decoder{rest: args}).uint32()
		c.prepared = slices.DeleteFunc(c.prepared, func(p *prepared) bool { return p.id == id })
	case comStmtReset:
		if p := c.statement((&decoder{rest: args}).uint32()); p != nil {
			p.long = nil
		}
		c.ok(&result{})
	case comStmtLongData:
		c.longData(args)
	default:
		c.fail(errUnknownCommand)
	}
}

// query carries out a statement.
func (c *conn) query(text string) {
	p, err := c.session.node.cluster.parse(text)
	if err == nil && p.params > 0 {
		err = errUnsupported("a parameter in a statement that is not prepared")
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.perform(&execution{statement: p.statement})
}

// perform carries out a statement. If it waits, it is answered later.
func (c *conn) perform(x *execution) {
	x.task = c.task
	c.node.serve(requestName(x.statement))
	c.session.waited = false
	c.session.perform(x)
	c.session.waited = c.session.current == x
}

// prepared is a statement that the client has prepared.
type prepared struct {
	id uint32
	parsed
	types []byte         // of its parameters, two bytes each, from the last execution that said them
	long  map[int][]byte // parameters that were sent before the next execution
}

// prepare is COM_STMT_PREPARE.
func (c *conn) prepare(text string) {
	c.node.serve("PREPARE")
	st, err := c.session.node.cluster.parse(text)
	if err != nil {
		c.fail(err)
		return
	}
	var columns []resultColumn
	if q, is := st.statement.(*selection); is {
		if columns, err = c.columns(q); err != nil {
			c.fail(err)
			return
		}
	}
	c.nextID++
	p := &prepared{id: c.nextID, parsed: st}
	c.prepared = append(c.prepared, p)
	params := make([]resultColumn, st.params)
	for i := range params {
		params[i] = resultColumn{name: "?", kind: columnTypes["varchar"]}
	}
	status := c.session.status()
	c.send(func(e *encoder) {
		e.begin()
		e.byte(0)
		e.uint32(p.id)
		e.uint16(uint16(len(columns)))
		e.uint16(uint16(st.params))
		e.byte(0)
		e.uint16(0)
		e.end()
		e.columns(params, status)
		e.columns(columns, status)
	})
}

// columns are those of a query's result, as far as they are known without its values.
func (c *conn) columns(q *selection) ([]resultColumn, error) {
	x := &execution{session: c.session}
	var t *table
	if q.table != "" {
		var err error
		if t, err = x.table(q.table); err != nil {
			return nil, err
		}
	}
	if err := q.checkItems(x, t); err != nil {
		return nil, err
	}
	return columnsOf(t, q.items, nil), nil
}

// execute is COM_STMT_EXECUTE.
func (c *conn) execute(args []byte) {
	d := &decoder{rest: args}
	id := d.uint32()
	d.byte()   // of cursors, which there are none
	d.uint32() // how often: once
	p := c.statement(id)
	if p == nil || d.bad {
		c.fail(fail(1243, "HY000", "Unknown prepared statement handler (%d) given to mysqld_stmt_execute", id))
		return
	}
	values, err := p.values(d)
	p.long = nil
	if err != nil {
		c.fail(err)
		return
	}
	c.perform(&execution{statement: p.statement, params: values, binary: true})
}

// statement is a prepared statement, nil if there is none of that number.
func (c *conn) statement(id uint32) *prepared {
	if i := slices.IndexFunc(c.prepared, func(p *prepared) bool { return p.id == id }); i >= 0 {
		return c.prepared[i]
	}
	return nil
}

// longData is COM_STMT_SEND_LONG_DATA, which has no answer: a part of a parameter of the next execution.
func (c *conn) longData(args []byte) {
	d := &decoder{rest: args}
	p, n := c.statement(d.uint32()), int(d.uint16())
	if p == nil || d.bad || n >= p.params {
		return
	}
	if p.long == nil {
		p.long = map[int][]byte{}
	}
	if len(p.long[n]) <= maxPacket { // what is too long already is refused when it is executed
		p.long[n] = append(p.long[n], d.rest...)
	}
}

// values are the parameters of an execution.
func (p *prepared) values(d *decoder) ([]value, error) {
	if p.params == 0 {
		return nil, nil
	}
	nulls := d.take((p.params + 7) / 8)
	if d.byte() == 1 {
		p.types = slices.Clone(d.take(2 * p.params))
	}
	if d.bad || len(p.types) != 2*p.params {
		return nil, errMalformed
	}
	values := make([]value, p.params)
	for i := range values {
		switch long, sent := p.long[i]; {
		case len(long) > maxPacket:
			return nil, errTooLarge
		case sent:
			values[i] = textValue(string(long))
		case nulls[i/8]&(1<<(i%8)) == 0:
			values[i] = d.value(p.types[2*i], p.types[2*i+1]&0x80 != 0)
		}
	}
	if d.bad {
		return nil, errMalformed
	}
	return values, nil
}
