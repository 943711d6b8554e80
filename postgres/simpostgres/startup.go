package simpostgres

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// The codes of messages that begin connections; others are versions of the protocol.
const (
	cancelCode = 80877102
	sslCode    = 80877103
	gssCode    = 80877104
)

// startup handles a message that begins a connection. It returns false if it has not arrived whole.
// Encryption is declined: a client that insists on it ends the connection with an error of its own. The cure is
// sslmode=disable in its connection string.
func (c *conn) startup() bool {
	if len(c.in) < 8 {
		return false
	}
	length, code := int(binary.BigEndian.Uint32(c.in)), binary.BigEndian.Uint32(c.in[4:])
	if length < 8 || length > longestStartup {
		c.close() // without a word, as PostgreSQL does
		return false
	}
	if len(c.in) < length {
		return false
	}
	body := c.in[4:length]
	c.in = c.in[length:]
	switch {
	case code == cancelCode:
		c.cancel(body[4:])
		c.close()
	case code == sslCode || code == gssCode:
		c.out = append(c.out, 'N')
		c.flush()
	case code>>16 != 3:
		c.refuse(pgerror.Fatal(pgerror.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports 3.0 to 3.0", code>>16, code&0xffff))
	default:
		c.begin(body)
	}
	return true
}

// refuse answers with an error, and closes the connection.
func (c *conn) refuse(e *pgerror.Error) {
	if e.Severity == pgerror.SeverityError {
		e.Severity = pgerror.SeverityFatal
	}
	c.report(e, "")
	c.close()
}

// begin makes a session for a client. Every password is right: authentication is "trust".
func (c *conn) begin(body []byte) {
	var m pgproto3.StartupMessage
	if err := m.Decode(body); err != nil {
		c.refuse(pgerror.Fatal(pgerror.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte"))
		return
	}
	n := c.node
	n.serve("CONNECT", c.task)
	c.negotiate(m.ProtocolVersion, m.Parameters)
	user := m.Parameters["user"]
	database := cmp.Or(m.Parameters["database"], user)
	switch {
	case user == "":
		c.refuse(pgerror.Fatal(pgerror.InvalidAuthorization, "no PostgreSQL user name specified in startup packet"))
		return
	case m.Parameters["replication"] != "" && !isOneOf(m.Parameters["replication"], "false", "off", "no", "0"):
		c.refuse(pgerror.Lacks("connections for replication"))
		return
	}
	c.send(&pgproto3.AuthenticationOk{})
	switch {
	case user != n.cluster.options.Role:
		c.refuse(pgerror.Fatal(pgerror.InvalidAuthorization, "role %q does not exist", user))
		return
	case database != n.cluster.options.Database:
		c.refuse(pgerror.Fatal(pgerror.InvalidCatalogName, "database %q does not exist", database))
		return
	}
	s := newSession(n, c)
	if err := s.settings.startup(m.Parameters); err != nil {
		c.refuse(pgerror.From(err))
		s.back.Close(nil)
		return
	}
	c.session = s
	n.sessions = append(n.sessions, s)
	s.observeBegin()
	for _, name := range reported {
		c.send(&pgproto3.ParameterStatus{Name: name, Value: s.settings.show(name)})
	}
	c.send(&pgproto3.BackendKeyData{ProcessID: uint32(s.pid), SecretKey: binary.BigEndian.AppendUint32(nil, s.secret)})
	s.ready()
}

// negotiate answers a client that has asked for a newer protocol, or for options of it, that there is none.
func (c *conn) negotiate(version uint32, parameters map[string]string) {
	var options []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if strings.HasPrefix(name, "_pq_.") {
			options = append(options, name)
		}
	}
	if version&0xffff > 0 || len(options) > 0 {
		c.send(&pgproto3.NegotiateProtocolVersion{NewestMinorProtocol: pgproto3.ProtocolVersionNumber & 0xffff, UnrecognizedOptions: options})
	}
}

// report sends an error or a notice, at once, as PostgreSQL does, or with what follows in the same step. One about something that the simulated server does not
// support fails the run. Text is the statement.
func (c *conn) report(e *pgerror.Error, text string) {
	if lacks := pgerror.Lacking(e); lacks != "" {
		what := "the simulated PostgreSQL does not support " + lacks
		if text != "" {
			what = fmt.Sprintf("the simulated PostgreSQL does not support %s (%s)", quoted(text), lacks)
		}
		c.link.Refuse(c.task, what)
	}
	r := pgproto3.ErrorResponse{
		Severity: string(e.Severity), SeverityUnlocalized: string(e.Severity), Code: e.Code, Message: e.Message,
		Detail: e.Detail, Hint: e.Hint, Position: int32(e.Position), Where: e.Where, SchemaName: e.Schema, TableName: e.Table,
		ColumnName: e.Column, DataTypeName: e.DataType, ConstraintName: e.Constraint,
	}
	switch e.Severity {
	case pgerror.SeverityWarning, pgerror.SeverityNotice:
		notice := pgproto3.NoticeResponse(r)
		c.send(&notice)
	default:
		c.send(&r)
	}
	c.urgent = true
	if !c.busy() {
		c.flush()
	}
}
