package simmysql

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// command handles a request.
func (c *conn) command(body []byte) {
	if len(body) == 0 {
		c.fail(errUnknownCommand)
		return
	}
	s, args := c.session, body[1:]
	c.text = ""
	switch body[0] {
	case comQuit:
		c.leave(&sql.Ending{Kind: model.RecordDeleted, By: c.by(c.task)})
	case comInitDB:
		c.node.serve("USE", c.task)
		if err := s.enter(string(args)); err != nil {
			c.fail(err)
			return
		}
		c.ok(nil, &sql.Result{})
	case comPing:
		c.node.serve("PING", c.task)
		c.ok(nil, &sql.Result{})
	case comQuery:
		c.query(string(args))
	case comResetConnection:
		c.node.serve("RESET CONNECTION", c.task)
		s.reset(c.by(c.task))
		c.prepared = nil
		c.ok(nil, &sql.Result{})
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
		c.ok(nil, &sql.Result{})
	case comStmtLongData:
		c.longData(args)
	default:
		err := errUnknownCommand
		if command := body[0]; command <= lastCommand || command >= firstOfMariaDB {
			err = lack(fmt.Sprintf("command %d of the protocol", command), err)
		}
		c.fail(err)
	}
}

// query executes a statement.
func (c *conn) query(text string) {
	c.text = text
	p, err := c.session.node.cluster.parse(text)
	if err == nil && p.Params > 0 {
		err = sql.Fail(sql.Malformed, "a parameter, and is not prepared")
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.perform(p.Statement, nil, false)
}

// perform executes a statement. If it waits, it is answered later.
func (c *conn) perform(st sql.Statement, params []sql.Value, binary bool) {
	c.node.serve(st.Name(), c.task)
	c.session.waited = false
	c.session.perform(st, params, request{binary: binary, task: c.task})
	c.session.waited = c.session.Busy()
}

// prepare is COM_STMT_PREPARE.
func (c *conn) prepare(text string) {
	c.text = text
	c.node.serve("PREPARE", c.task)
	st, err := c.session.node.cluster.parse(text)
	if err != nil {
		c.fail(err)
		return
	}
	columns, err := c.session.Describe(st.Statement)
	if err != nil {
		c.fail(err)
		return
	}
	c.nextID++
	p := &prepared{id: c.nextID, text: text, Parsed: st}
	c.prepared = append(c.prepared, p)
	params := make([]sql.ResultColumn, st.Params)
	for i := range params {
		params[i] = sql.ResultColumn{Name: "?", Type: columnTypes["varchar"]}
	}
	status := c.session.status()
	c.send(func(e *encoder) {
		e.begin()
		e.byte(0)
		e.uint32(p.id)
		e.uint16(uint16(len(columns)))
		e.uint16(uint16(st.Params))
		e.byte(0)
		e.uint16(0)
		e.end()
		e.columns(params, status)
		e.columns(columns, status)
	})
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
	c.text = p.text
	values, err := p.values(d)
	p.long = nil
	if err != nil {
		c.fail(err)
		return
	}
	c.perform(p.Statement, values, true)
}

// statement returns a prepared statement, nil if there is none of that number.
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
	if p == nil || d.bad || n >= p.Params {
		return
	}
	if p.long == nil {
		p.long = map[int][]byte{}
	}
	if len(p.long[n]) <= maxPacket { // what is too long already is refused when it is executed
		p.long[n] = append(p.long[n], d.rest...)
	}
}

// values returns the parameters of an execution.
func (p *prepared) values(d *decoder) ([]sql.Value, error) {
	if p.Params == 0 {
		return nil, nil
	}
	nulls := d.take((p.Params + 7) / 8)
	if d.byte() == 1 {
		p.types = slices.Clone(d.take(2 * p.Params))
	}
	if d.bad || len(p.types) != 2*p.Params {
		return nil, errMalformed
	}
	values := make([]sql.Value, p.Params)
	for i := range values {
		switch long, sent := p.long[i]; {
		case len(long) > maxPacket:
			return nil, errTooLarge
		case sent:
			values[i] = sql.TextValue(string(long))
		case nulls[i/8]&(1<<(i%8)) == 0:
			values[i] = d.value(p.types[2*i], p.types[2*i+1]&0x80 != 0)
		}
	}
	if d.bad {
		return nil, errMalformed
	}
	return values, nil
}

// mostParsed is how many statements are remembered.
const mostParsed = 256

// parse reads a statement, and remembers it.
func (c *Cluster) parse(text string) (sql.Parsed, error) {
	if p, known := c.parsed[text]; known {
		return p, nil
	}
	p, err := dialect.Parse(text)
	if err != nil {
		return p, err
	}
	if c.parsed == nil || len(c.parsed) == mostParsed {
		c.parsed = map[string]sql.Parsed{}
	}
	c.parsed[text] = p
	return p, nil
}
