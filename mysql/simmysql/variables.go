package simmysql

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// variable is a variable of the session or the server in an expression.
type variable struct {
	name   string
	global bool // what new sessions begin with
}

// Parts are none.
func (*variable) Parts() []sql.Expr { return nil }

// Eval returns the variable's value.
func (v *variable) Eval(x *sql.Execution) (sql.Value, error) {
	if v.global {
		return sessionOf(x).initial(v.name)
	}
	return sessionOf(x).variable(v.name)
}

// readVariable parses a variable of the session or of the server.
func readVariable(p *sql.Parser, t sql.Token) *variable {
	name, isSystem := strings.CutPrefix(strings.ToLower(t.Text), "@@")
	if !isSystem {
		p.Refuse(t)
	}
	v := &variable{name: name}
	for _, scope := range []string{"session.", "global.", "local."} {
		if rest, found := strings.CutPrefix(name, scope); found {
			v.name, v.global = rest, scope == "global."
		}
	}
	return v
}

// set is SET.
type set struct {
	// variables are set one after the other; an isolation level is one of them.
	variables []sql.Assignment
	// nextOnly is SET TRANSACTION: for the next transaction.
	nextOnly bool
}

// Name is SET.
func (*set) Name() string { return "SET" }

// setting reads SET.
func setting(p *sql.Parser) sql.Statement {
	s := &set{}
	for p.OK() {
		scope := p.OneOf("session", "local", "global")
		switch {
		case p.Word("transaction"):
			s.nextOnly = scope == ""
			s.variables = append(s.variables, characteristics(p)...)
			return s
		case p.Word("names"):
			readCharset(p)
			if p.Word("collate") {
				readCollation(p)
			}
		default:
			s.variables = append(s.variables, setVariable(p))
		}
		if scope == "global" {
			p.Unexpected()
		}
		if !p.Symbol(",") {
			break
		}
	}
	return s
}

func setVariable(p *sql.Parser) sql.Assignment {
	name := ""
	if t := p.Peek(); t.Kind == sql.VariableToken {
		v := readVariable(p, p.Next())
		if name = v.name; v.global {
			p.Refuse(t)
		}
	} else {
		name = strings.ToLower(p.Name())
	}
	if !p.Symbol("=") {
		p.WantSymbol(":=")
	}
	if p.Word("on") { // no expression begins with it
		return sql.Assignment{Column: name, Expr: &sql.Literal{Value: sql.IntValue(1)}}
	}
	t := p.Peek()
	if word := strings.ToLower(t.Text); t.Kind == sql.WordToken && functions[word] == nil && t.Text != "null" {
		p.Next()
		if value, found := map[string]int{"off": 0, "true": 1, "false": 0}[word]; found {
			return sql.Assignment{Column: name, Expr: &sql.Literal{Value: sql.IntValue(value)}}
		}
		if word == "default" {
			return sql.Assignment{Column: name}
		}
		return sql.Assignment{Column: name, Expr: &sql.Literal{Value: sql.TextValue(t.Text)}}
	}
	return sql.Assignment{Column: name, Expr: p.Expr()}
}

// characteristics reads those of transactions.
func characteristics(p *sql.Parser) (list []sql.Assignment) {
	is := func(name string, v sql.Value) {
		list = append(list, sql.Assignment{Column: name, Expr: &sql.Literal{Value: v}})
	}
	for p.OK() {
		switch {
		case p.Word("isolation", "level", "repeatable", "read"):
			is("tx_isolation", sql.TextValue(repeatableRead.Name))
		case p.Word("isolation", "level", "read", "committed"):
			is("tx_isolation", sql.TextValue(readCommitted.Name))
		case p.Word("isolation", "level", "serializable"):
			is("tx_isolation", sql.TextValue(serializable.Name))
		case p.Word("isolation", "level"):
			p.Unexpected()
		case p.Word("read", "only"):
			is("tx_read_only", sql.IntValue(1))
		case p.Word("read", "write"):
			is("tx_read_only", sql.IntValue(0))
		default:
			p.Unexpected()
		}
		if !p.Symbol(",") {
			break
		}
	}
	return list
}

// Run sets the variables.
func (s *set) Run(x *sql.Execution) (*sql.Result, error) {
	to := sessionOf(x)
	for _, a := range s.variables {
		name := variableName(a.Column)
		v, err := to.assigned(x, name, a.Expr)
		if err != nil {
			return nil, err
		}
		if s.nextOnly {
			err = to.setNext(name, v)
		} else {
			err = to.set(name, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return &sql.Result{}, nil
}

// assigned returns the value that a variable gets: without an expression the one of a new session.
func (s *session) assigned(x *sql.Execution, name string, e sql.Expr) (sql.Value, error) {
	if e == nil {
		return s.initial(name)
	}
	return x.Evaluate(e)
}

// variableName returns the name of the variable that is set by a name.
func variableName(name string) string {
	switch name {
	case "transaction_isolation":
		return "tx_isolation"
	case "transaction_read_only":
		return "tx_read_only"
	}
	return name
}

// set sets a variable of the session.
func (s *session) set(name string, v sql.Value) error {
	var err error
	switch name {
	case "autocommit":
		var on bool
		if on, err = onOff(name, v); err == nil {
			err = s.SetAutocommit(on)
		}
	case "tx_isolation":
		var level sql.Isolation
		if level, err = levelOf(v); err == nil {
			s.Level = level
		}
	case "tx_read_only":
		s.ReadOnly, err = onOff(name, v)
	case "innodb_lock_wait_timeout":
		err = setSeconds(&s.LockWait, 0, name, v)
	case "lock_wait_timeout":
		err = setSeconds(&s.TableWait, 0, name, v)
	case "wait_timeout":
		err = setSeconds(&s.idle, time.Second, name, v)
	default:
		return setFixed(name, v)
	}
	return err
}

// setSeconds sets a number of seconds.
func setSeconds(to *time.Duration, least time.Duration, name string, v sql.Value) error {
	if v.Kind != sql.Integer {
		return fail(1232, "42000", "Incorrect argument type to variable '%s'", name)
	}
	*to = max(sql.Seconds(v.Number()), least)
	return nil
}

// fixed are variables with the values that they can have: those that change nothing here.
var fixed = map[string]func(text string) bool{
	"sql_mode":                 isStrict,
	"time_zone":                oneOf("+00:00", "utc", "system"),
	"character_set_results":    oneOf("utf8mb4", "utf8mb3", "utf8"),
	"character_set_client":     oneOf("utf8mb4", "utf8mb3", "utf8"),
	"character_set_connection": oneOf("utf8mb4", "utf8mb3", "utf8"),
	"collation_connection":     func(text string) bool { return strings.HasSuffix(text, "_ci") },
	"max_statement_time":       oneOf("0"),
	"sql_safe_updates":         oneOf("0", "off"),
	"net_write_timeout":        func(string) bool { return true }, // connections do not stall so that it matters
	"net_read_timeout":         func(string) bool { return true },
	"interactive_timeout":      func(string) bool { return true }, // of other clients
}

func oneOf(list ...string) func(string) bool {
	return func(text string) bool { return slices.Contains(list, text) }
}

// isStrict reports whether a list of modes leaves statements as they are here: strict, and in MySQL's own
// syntax.
func isStrict(modes string) bool {
	strict := false
	for mode := range strings.SplitSeq(modes, ",") {
		switch strings.TrimSpace(mode) {
		case "strict_trans_tables", "strict_all_tables", "traditional":
			strict = true
		case "error_for_division_by_zero", "no_auto_create_user", "no_engine_substitution", "only_full_group_by", "no_zero_date", "no_zero_in_date":
		default:
			return false
		}
	}
	return strict
}

// setFixed sets a variable to a value that changes nothing.
func setFixed(name string, v sql.Value) error {
	allows, known := fixed[name]
	switch {
	case !known:
		return unknownVariable(name)
	case !allows(strings.ToLower(v.String())):
		return lack(fmt.Sprintf("the value %q of %s", v.String(), name),
			fail(1231, "42000", "Variable '%s' can't be set to the value of '%s' on the simulated server", name, v.String()))
	}
	return nil
}

// setNext sets what holds for the next transaction alone.
func (s *session) setNext(name string, v sql.Value) error {
	next, err := s.Next()
	if err != nil {
		return err
	}
	if name == "tx_read_only" {
		next.ReadOnly, err = onOff(name, v)
		return err
	}
	next.Level, err = levelOf(v)
	return err
}

// onOff returns a value that is on or off.
func onOff(name string, v sql.Value) (on bool, err error) {
	switch strings.ToLower(v.String()) {
	case "1", "on":
		return true, nil
	case "0", "off":
		return false, nil
	}
	return false, fail(1231, "42000", "Variable '%s' can't be set to the value of '%s'", name, v.String())
}

func levelOf(v sql.Value) (sql.Isolation, error) {
	for _, level := range isolations {
		if strings.EqualFold(v.Text, level.Name) {
			return level, nil
		}
	}
	err := fail(1231, "42000", "Variable 'tx_isolation' can't be set to the value of '%s': the simulated server has REPEATABLE-READ, READ-COMMITTED and SERIALIZABLE", v.String())
	if strings.EqualFold(v.Text, "READ-UNCOMMITTED") {
		err = lack("the isolation level "+v.Text, err)
	}
	return sql.Isolation{}, err
}

// shown are the variables that can be read, in the order of their names.
var shown = []string{
	"autocommit", "character_set_server", "collation_server", "innodb_lock_wait_timeout", "lock_wait_timeout", "lower_case_table_names",
	"max_allowed_packet", "read_only", "transaction_isolation", "tx_isolation", "version", "wait_timeout",
}

// variable returns the value of a variable.
func (s *session) variable(name string) (sql.Value, error) {
	switch name {
	case "autocommit":
		return sql.BoolValue(s.Autocommit()), nil
	case "character_set_server":
		return sql.TextValue("utf8mb4"), nil
	case "collation_server":
		return sql.TextValue("utf8mb4_general_ci"), nil
	case "lower_case_table_names":
		return sql.IntValue(0), nil
	case "tx_isolation", "transaction_isolation":
		return sql.TextValue(s.Level.Name), nil
	case "innodb_lock_wait_timeout":
		return sql.IntValue(int64(s.LockWait.Seconds())), nil
	case "lock_wait_timeout":
		return sql.IntValue(int64(s.TableWait.Seconds())), nil
	case "wait_timeout":
		return sql.IntValue(int64(s.idle.Seconds())), nil
	case "max_allowed_packet":
		return sql.IntValue(maxPacket), nil
	case "read_only":
		return sql.BoolValue(s.node.readOnly()), nil
	case "version":
		return sql.TextValue(serverVersion), nil
	case "last_insert_id", "identity":
		return sql.IntValue(s.LastInsertID), nil
	}
	return sql.Value{}, unknownVariable(name)
}

// unknownVariable returns the error for a variable that the simulated server does not have.
func unknownVariable(name string) error {
	return lack("the variable "+name, fail(1193, "HY000", "Unknown system variable '%s'", name))
}

// initial returns the value that a variable has in a new session.
func (s *session) initial(name string) (sql.Value, error) {
	return newSession(s.node, s.id, nil).variable(name)
}
