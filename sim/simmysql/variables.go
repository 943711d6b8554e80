package simmysql

import (
	"slices"
	"strings"
	"time"
)

func (s *set) run(x *execution) (*result, error) {
	for _, a := range s.variables {
		v, err := x.session.initial(a.variable())
		if a.expr != nil {
			v, err = x.whole(a.expr)
		}
		if err != nil {
			return nil, err
		}
		if s.nextOnly {
			err = x.session.setNext(a.variable(), v)
		} else {
			err = x.session.set(x, a.variable(), v)
		}
		if err != nil {
			return nil, err
		}
	}
	return &result{}, nil
}

// variable is the name of the variable that is set.
func (a *assignment) variable() string {
	switch a.column {
	case "transaction_isolation":
		return "tx_isolation"
	case "transaction_read_only":
		return "tx_read_only"
	}
	return a.column
}

// set sets a variable of the session.
func (s *session) set(x *execution, name string, v value) error {
	var err error
	switch name {
	case "autocommit":
		return s.setAutocommit(x, v)
	case "tx_isolation":
		var level isolation
		if level, err = levelOf(v); err == nil {
			s.level = level
		}
	case "tx_read_only":
		s.readOnly, err = onOff(name, v)
	case "innodb_lock_wait_timeout":
		err = setSeconds(&s.lockWait, 0, name, v)
	case "wait_timeout":
		err = setSeconds(&s.idle, time.Second, name, v)
	default:
		return setFixed(name, v)
	}
	return err
}

func (s *session) setAutocommit(x *execution, v value) error {
	on, err := onOff("autocommit", v)
	if err != nil || on == s.autocommit {
		return err
	}
	if on {
		if err := x.commitBefore(); err != nil {
			return err
		}
	}
	s.autocommit = on
	return nil
}

// setSeconds sets a number of seconds.
func setSeconds(to *time.Duration, least time.Duration, name string, v value) error {
	if v.kind != integer {
		return fail(1232, "42000", "Incorrect argument type to variable '%s'", name)
	}
	*to = max(seconds(v.number()), least)
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
func setFixed(name string, v value) error {
	allows, known := fixed[name]
	switch {
	case !known:
		return fail(1193, "HY000", "Unknown system variable '%s'", name)
	case !allows(strings.ToLower(v.String())):
		return fail(1231, "42000", "Variable '%s' can't be set to the value of '%s' on the simulated server", name, v.String())
	}
	return nil
}

// setNext sets what holds for the next transaction alone.
func (s *session) setNext(name string, v value) error {
	if s.txn != nil && s.explicit {
		return errTransacted
	}
	if s.next == nil {
		s.next = &characteristics{s.level, s.readOnly}
	}
	if name == "tx_read_only" {
		var err error
		s.next.readOnly, err = onOff(name, v)
		return err
	}
	level, err := levelOf(v)
	s.next.level = level
	return err
}

// onOff is a value that is on or off.
func onOff(name string, v value) (on bool, err error) {
	switch strings.ToLower(v.String()) {
	case "1", "on":
		return true, nil
	case "0", "off":
		return false, nil
	}
	return false, fail(1231, "42000", "Variable '%s' can't be set to the value of '%s'", name, v.String())
}

func levelOf(v value) (isolation, error) {
	for _, level := range []isolation{repeatableRead, readCommitted} {
		if strings.EqualFold(v.s, level.String()) {
			return level, nil
		}
	}
	return 0, fail(1231, "42000", "Variable 'tx_isolation' can't be set to the value of '%s': the simulated server has REPEATABLE-READ and READ-COMMITTED", v.String())
}

// shown are the variables that can be read, in the order of their names.
var shown = []string{"autocommit", "innodb_lock_wait_timeout", "max_allowed_packet", "read_only", "transaction_isolation", "tx_isolation", "version", "wait_timeout"}

// variable is the value of a variable.
func (s *session) variable(name string) (value, error) {
	switch name {
	case "autocommit":
		return boolValue(s.autocommit), nil
	case "tx_isolation", "transaction_isolation":
		return textValue(s.level.String()), nil
	case "innodb_lock_wait_timeout":
		return intValue(int64(s.lockWait.Seconds())), nil
	case "wait_timeout":
		return intValue(int64(s.idle.Seconds())), nil
	case "max_allowed_packet":
		return intValue(maxPacket), nil
	case "read_only":
		return boolValue(s.node.readOnly()), nil
	case "version":
		return textValue(serverVersion), nil
	case "last_insert_id", "identity":
		return intValue(s.lastInsertID), nil
	}
	return value{}, fail(1193, "HY000", "Unknown system variable '%s'", name)
}

// initial is the value that a variable has in a new session.
func (s *session) initial(name string) (value, error) {
	return newSession(s.node, s.id, nil).variable(name)
}
