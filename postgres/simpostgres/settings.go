package simpostgres

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/postgres/internal/executor"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// settings are the parameters of a session.
type settings struct {
	session *session
	values  map[string]*value // of those that were set, by their names
	known   map[string]string // what the client has got to know, as far as that is not what all get
	changed bool              // something was set, or taken back, since the client was informed
	standby bool              // in_hot_standby, as the client knows it
}

// value is the value of a parameter.
type value struct {
	reset   string // what RESET makes it
	session string
	local   *string // of the present transaction alone; nil if it has none
}

// now returns the present value.
func (v *value) now() string {
	if v.local != nil {
		return *v.local
	}
	return v.session
}

// newSettings returns the parameters as the server has them.
func newSettings(s *session) *settings {
	return &settings{session: s, values: map[string]*value{}, known: map[string]string{}, standby: s.InRecovery()}
}

// initialSettings are the values of those parameters that a cluster's options set.
func initialSettings(o Options) map[string]string {
	list := map[string]string{"synchronous_commit": o.SynchronousCommit, "session_authorization": o.Role}
	if o.Synchronous > 0 {
		list["synchronous_standby_names"] = "ANY " + strconv.Itoa(o.Synchronous) + " (*)"
	}
	return list
}

// initial returns the value that a parameter has at first.
func (l *settings) initial(p *parameter) string {
	if text, ok := l.session.node.cluster.initial[p.name]; ok {
		return text
	}
	return p.initial
}

// now returns the value of a parameter in the form in which it is kept.
func (l *settings) now(p *parameter) string {
	if v := l.values[p.name]; v != nil {
		return v.now()
	}
	return l.initial(p)
}

// startup sets the parameters that a client gives as it connects.
func (l *settings) startup(given map[string]string) error {
	words, err := splitOptions(given["options"])
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(sortedNames(given), func(name string) bool {
		return isOneOf(name, "user", "database", "options", "replication") || strings.HasPrefix(name, "_pq_.")
	})
	for _, name := range names {
		words = append(words, [2]string{name, given[name]})
	}
	for _, w := range words {
		p, text, err := l.check(w[0], w[1])
		if err != nil {
			return err
		}
		v := l.value(p, w[0])
		v.reset, v.session = text, text
	}
	for name := range l.values { // unordered: each is noted for itself
		l.known[name] = l.show(name)
		l.apply(settingOf(name))
	}
	l.changed = false
	return nil
}

// value returns the value of a parameter, which may be one with a dot in its name that nobody has set before.
func (l *settings) value(p *parameter, name string) *value {
	if p != nil {
		name = p.name
	}
	v := l.values[name]
	if v == nil {
		v = &value{}
		if p != nil {
			v.reset = l.initial(p)
			v.session = v.reset
		}
		l.values[name] = v
	}
	return v
}

// check returns the parameter of a name, nil for one that has a dot in its name, and the value in the form in which it is kept.
func (l *settings) check(name, text string) (*parameter, string, error) {
	p := settingOf(name)
	if p == nil {
		if strings.Contains(name, ".") {
			return nil, text, nil
		}
		return nil, "", unknownSetting(name)
	}
	switch p.context {
	case "internal":
		return nil, "", pgerror.New(pgerror.CantChangeRuntimeParam, "parameter %q cannot be changed", p.name)
	case "postmaster":
		return nil, "", pgerror.New(pgerror.CantChangeRuntimeParam, "parameter %q cannot be changed without restarting the server", p.name)
	case "sighup":
		return nil, "", pgerror.New(pgerror.CantChangeRuntimeParam, "parameter %q cannot be changed now", p.name)
	}
	text, err := p.read(text)
	return p, text, err
}

// set sets a parameter, for the present transaction alone if local. It is taken back with the transaction, or the savepoint.
func (l *settings) set(name, text string, local bool) error {
	if strings.HasPrefix(strings.ToLower(name), "transaction_") {
		return l.setTransaction(strings.ToLower(name), text)
	}
	p, text, err := l.check(name, text)
	if err != nil {
		return err
	}
	v := l.value(p, name)
	before := *v
	l.session.back.OnAbort(func() {
		v.session, v.local = before.session, before.local
		l.apply(p)
	})
	if local {
		v.local = &text
	} else {
		v.session, v.local = text, nil
	}
	l.apply(p)
	return nil
}

// setDefault is SET ... TO DEFAULT.
func (l *settings) setDefault(name string, local bool) error {
	p := settingOf(name)
	if p == nil && !strings.Contains(name, ".") {
		return unknownSetting(name)
	}
	return l.set(name, l.value(p, name).reset, local)
}

// reset is RESET, and RESET ALL.
func (l *settings) reset(name string) error {
	if name != "all" {
		return l.setDefault(name, false)
	}
	for _, name := range sortedNames(l.values) {
		v, p := l.values[name], settingOf(name)
		if v.now() == v.reset || p != nil && p.context != "" {
			continue
		}
		if err := l.set(name, v.reset, false); err != nil {
			return err
		}
	}
	return nil
}

// endLocal ends what was set for a transaction alone.
func (l *settings) endLocal() {
	for name, v := range l.values { // unordered: all are treated alike
		if v.local != nil {
			v.local = nil
			l.apply(byName[strings.ToLower(name)])
		}
	}
}

// apply lets the database know a parameter that has changed, and notes that the client is to know it.
func (l *settings) apply(p *parameter) {
	switch {
	case p == nil:
	case p.name == "lock_timeout":
		l.session.back.LockTimeout = l.duration(p.name)
	case p.name == "deadlock_timeout":
		l.session.back.DeadlockTimeout = l.duration(p.name)
	default:
		l.changed = l.changed || isOneOf(p.name, reported...)
	}
}

// show returns the value of a parameter as SHOW does, empty if there is none.
func (l *settings) show(name string) string {
	text, _ := l.get(name)
	return text
}

// get returns the value of a parameter as SHOW does.
func (l *settings) get(name string) (string, error) {
	p := settingOf(name)
	if p == nil {
		if v := l.values[name]; v != nil {
			return v.now(), nil
		}
		return "", unknownSetting(name)
	}
	s := l.session
	switch p.name {
	case "transaction_isolation":
		return levelName(s.currentCharacteristics().Level), nil
	case "transaction_read_only":
		return onOff(s.currentCharacteristics().ReadOnly), nil
	case "transaction_deferrable":
		return onOff(s.currentCharacteristics().Deferrable), nil
	case "in_hot_standby":
		return onOff(s.InRecovery()), nil
	}
	return p.show(l.now(p)), nil
}

// levelName returns the name of an isolation level.
func levelName(l storage.Isolation) string {
	return [...]string{"read committed", "repeatable read", "serializable"}[l]
}

// columns returns the columns of SHOW.
func (l *settings) columns(name string) ([]executor.Column, error) {
	if strings.EqualFold(name, "all") {
		return nil, pgerror.Lacks("SHOW ALL")
	}
	if p := settingOf(name); p != nil {
		name = p.name
	}
	if _, err := l.get(name); err != nil {
		return nil, err
	}
	return []executor.Column{{Name: name, Type: types.TextOID, Mod: -1}}, nil
}

// rows returns the result of SHOW.
func (l *settings) rows(name string) ([]executor.Column, [][]types.Value, error) {
	columns, err := l.columns(name)
	if err != nil {
		return nil, nil, err
	}
	text, err := l.get(name)
	return columns, [][]types.Value{{text}}, err
}

// duration returns the value of a parameter that is a time in milliseconds, and 0 at first unless it is deadlock_timeout.
func (l *settings) duration(name string) time.Duration {
	v := l.values[name]
	if v == nil && name != "deadlock_timeout" {
		return 0
	}
	ms, _ := strconv.ParseInt(l.now(settingOf(name)), 10, 64)
	return time.Duration(ms) * time.Millisecond
}

// characteristics returns those of the next transaction.
func (l *settings) characteristics() (storage.Characteristics, error) {
	c := storage.Characteristics{
		Level:    levels[l.show("default_transaction_isolation")],
		ReadOnly: l.show("default_transaction_read_only") == "on" || l.session.InRecovery(), Deferrable: l.show("default_transaction_deferrable") == "on",
	}
	if c.Level == storage.Serializable && l.session.InRecovery() {
		return c, pgerror.New(pgerror.FeatureNotSupported, "cannot use serializable mode in a hot standby").
			WithDetail("\"default_transaction_isolation\" is set to \"serializable\".").
			WithHint("You can use \"SET default_transaction_isolation = 'repeatable read'\" to change the default.")
	}
	return c, nil
}

// currentCharacteristics returns those of the present transaction.
func (s *session) currentCharacteristics() storage.Characteristics {
	if t := s.back.Txn(); t != nil {
		return t.Characteristics
	}
	c, _ := s.settings.characteristics()
	return c
}

// setTransaction sets a mode of the present transaction.
func (l *settings) setTransaction(name, text string) error {
	p := settingOf(name)
	if p == nil {
		return unknownSetting(name)
	}
	text, err := p.read(text)
	if err != nil {
		return err
	}
	t := l.session.back.Txn()
	before := t.Characteristics
	switch name {
	case "transaction_isolation":
		err = l.setLevel(t, levels[text])
	case "transaction_read_only":
		err = l.setReadOnly(t, text == "on")
	case "transaction_deferrable":
		t.Deferrable = text == "on"
	}
	if err == nil && l.session.nested() {
		l.session.back.OnAbort(func() { t.Characteristics = before })
	}
	return err
}

// setLevel sets the isolation level of a transaction.
func (l *settings) setLevel(t *storage.Txn, level storage.Isolation) error {
	switch {
	case level == t.Level:
	case t.HasSnapshot():
		return pgerror.New(pgerror.ActiveTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
	case l.session.nested():
		return pgerror.New(pgerror.ActiveTransaction, "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction")
	case level == storage.Serializable && l.session.InRecovery():
		return pgerror.New(pgerror.FeatureNotSupported, "cannot use serializable mode in a hot standby").WithHint("You can use REPEATABLE READ instead.")
	}
	t.Level = level
	return nil
}

// setReadOnly sets whether a transaction may write.
func (l *settings) setReadOnly(t *storage.Txn, only bool) error {
	if t.ReadOnly && !only {
		switch {
		case l.session.nested():
			return pgerror.New(pgerror.ActiveTransaction, "cannot set transaction read-write mode inside a read-only transaction")
		case t.HasSnapshot():
			return pgerror.New(pgerror.ActiveTransaction, "transaction read-write mode must be set before any query")
		case l.session.InRecovery():
			return pgerror.New(pgerror.FeatureNotSupported, "cannot set transaction read-write mode during recovery")
		}
	}
	t.ReadOnly = only
	return nil
}

// report sends the client those parameters that it gets to know and that have changed.
func (l *settings) report() {
	standby := l.session.InRecovery()
	if !l.changed && l.standby == standby {
		return
	}
	l.changed, l.standby = false, standby
	for _, name := range reported {
		text := l.show(name)
		known, ok := l.known[name]
		if !ok {
			known = l.initial(settingOf(name))
		}
		if text != known {
			l.session.conn.send(&pgproto3.ParameterStatus{Name: name, Value: text})
		}
		l.known[name] = text
	}
}

// Setting returns a parameter of the session, as SHOW does.
func (s *session) Setting(name string) (string, bool) {
	text, err := s.settings.get(name)
	if pgerror.Lacking(err) != "" && s.conn != nil {
		s.conn.report(pgerror.From(err), s.text)
	}
	return text, err == nil
}

// Set sets a parameter, for the present transaction if local, and returns its new value.
func (s *session) Set(name, text string, local bool) (string, error) {
	if err := s.settings.set(name, text, local); err != nil {
		return "", err
	}
	return s.settings.get(name)
}
