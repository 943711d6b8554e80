package syntax

import "strings"

func (p *parser) begin() Statement {
	p.expect("begin")
	p.work()
	return &Transaction{Kind: Begin, Modes: p.modes()}
}

func (p *parser) startTransaction() Statement {
	p.expect("start", "transaction")
	return &Transaction{Kind: StartTransaction, Modes: p.modes()}
}

// work skips the noise word after BEGIN, COMMIT and so on.
func (p *parser) work() {
	if !p.accept("work") {
		p.accept("transaction")
	}
}

// modes reads the modes of a transaction, if any, separated by commas or not.
func (p *parser) modes() (m TransactionModes) {
	yes, no := true, false
	for {
		switch {
		case p.accept("isolation", "level"):
			m.Isolation = p.isolation()
		case p.accept("read", "only"):
			m.ReadOnly = &yes
		case p.accept("read", "write"):
			m.ReadOnly = &no
		case p.accept("deferrable"):
			m.Deferrable = &yes
		case p.accept("not", "deferrable"):
			m.Deferrable = &no
		default:
			return m
		}
		if p.is(",") && p.ahead(1).kind == word {
			p.advance()
		}
	}
}

func (p *parser) isolation() string {
	switch {
	case p.accept("serializable"):
		return "serializable"
	case p.accept("repeatable"):
		p.expect("read")
		return "repeatable read"
	}
	p.expect("read")
	return "read " + p.oneOf("committed", "uncommitted")
}

func (p *parser) commit() Statement {
	p.advance()
	if p.is("prepared") {
		p.lacks("COMMIT PREPARED")
	}
	p.work()
	return &Transaction{Kind: Commit, Chain: p.chain()}
}

// chain reads AND [NO] CHAIN, or nothing.
func (p *parser) chain() bool {
	if !p.accept("and") {
		return false
	}
	no := p.accept("no")
	p.expect("chain")
	return !no
}

func (p *parser) rollback() Statement {
	first := p.advance().text
	if p.is("prepared") {
		p.lacks("ROLLBACK PREPARED")
	}
	p.work()
	if first == "rollback" && p.accept("to") {
		p.accept("savepoint")
		return &Transaction{Kind: RollbackTo, Name: p.name()}
	}
	return &Transaction{Kind: Rollback, Chain: p.chain()}
}

func (p *parser) savepoint() Statement {
	p.advance()
	return &Transaction{Kind: Savepoint, Name: p.name()}
}

func (p *parser) release() Statement {
	p.advance()
	if next := p.ahead(1); next.kind != end && !next.is(";") {
		p.accept("savepoint")
	}
	return &Transaction{Kind: Release, Name: p.name()}
}

func (p *parser) set() Statement {
	p.expect("set")
	named := p.ahead(1).is("to") || p.ahead(1).is("=")
	local := !named && p.accept("local")
	if !named && !local && p.accept("session") {
		switch {
		case p.accept("characteristics", "as", "transaction"):
			return &SetTransaction{Session: true, Modes: p.someModes()}
		case p.is("authorization"):
			p.lacks("SET SESSION AUTHORIZATION")
		}
	}
	switch {
	case p.is("transaction", "snapshot"):
		p.lacks("SET TRANSACTION SNAPSHOT")
	case p.is("transaction") && !p.ahead(1).is("to") && !p.ahead(1).is("="):
		p.advance()
		return &SetTransaction{Modes: p.someModes()}
	case p.is("constraints"):
		p.lacks("SET CONSTRAINTS")
	case p.accept("time", "zone"):
		return p.setZone(local)
	case p.accept("schema"):
		return &Set{Name: "search_path", Local: local, Values: []SetValue{{String, p.stringLiteral()}}}
	case p.accept("names"):
		return p.setNames(local)
	case p.is("role") && !p.ahead(1).is("to") && !p.ahead(1).is("="):
		p.lacks("SET ROLE")
	}
	s := &Set{Name: p.settingName(), Local: local}
	if p.is("from", "current") {
		p.lacks("SET ... FROM CURRENT")
	}
	if !p.accept("=") {
		p.expect("to")
	}
	if s.Default = p.accept("default"); !s.Default {
		s.Values = list(p, p.settingValue)
	}
	return s
}

func (p *parser) someModes() TransactionModes {
	from := p.next
	m := p.modes()
	if p.next == from {
		p.fail()
	}
	return m
}

func (p *parser) setZone(local bool) Statement {
	s := &Set{Name: "timezone", Local: local}
	switch {
	case p.isOne("default", "local"):
		p.advance()
		s.Default = true
	case p.is("interval"):
		p.lacks("SET TIME ZONE INTERVAL")
	default:
		s.Values = []SetValue{p.settingValue()}
	}
	return s
}

func (p *parser) setNames(local bool) Statement {
	s := &Set{Name: "client_encoding", Local: local, Default: true}
	if p.tok().kind == str {
		s.Default, s.Values = false, []SetValue{p.settingValue()}
	} else {
		p.accept("default")
	}
	return s
}

// settingName reads the name of a parameter, which may have points.
func (p *parser) settingName() string {
	name := p.name()
	for p.accept(".") {
		name += "." + p.name()
	}
	return name
}

// settingValue reads a word, a string or a number.
func (p *parser) settingValue() SetValue {
	switch t := p.tok(); {
	case t.kind == str:
		p.advance()
		return SetValue{String, t.text}
	case t.kind == integer, t.kind == number, p.isOne("+", "-"):
		return p.settingNumber()
	case p.isOne("true", "false", "on"):
		p.advance()
		return SetValue{String, t.text}
	case isColumnName(t), isFunctionName(t):
		p.advance()
		return SetValue{String, t.text}
	}
	p.fail()
	return SetValue{}
}

func (p *parser) settingNumber() SetValue {
	sign := ""
	if p.isOne("+", "-") {
		sign = strings.TrimPrefix(p.advance().text, "+")
	}
	t := p.tok()
	if t.kind != integer && t.kind != number {
		p.fail()
	}
	p.advance()
	c := numberConst(0, sign+t.text)
	return SetValue{c.Kind, c.Text}
}

func (p *parser) reset() Statement {
	p.expect("reset")
	switch {
	case p.accept("all"):
		return &Reset{"all"}
	case p.accept("time", "zone"):
		return &Reset{"timezone"}
	case p.accept("transaction", "isolation", "level"):
		return &Reset{"transaction_isolation"}
	case p.is("session", "authorization"):
		p.lacks("RESET SESSION AUTHORIZATION")
	}
	return &Reset{p.settingName()}
}

func (p *parser) show() Statement {
	p.expect("show")
	switch {
	case p.accept("all"):
		return &Show{"all"}
	case p.accept("time", "zone"):
		return &Show{"timezone"}
	case p.accept("transaction", "isolation", "level"):
		return &Show{"transaction_isolation"}
	case p.accept("session", "authorization"):
		return &Show{"session_authorization"}
	}
	return &Show{p.settingName()}
}

func (p *parser) discard() Statement {
	p.expect("discard")
	what := strings.ToUpper(p.oneOf("all", "plans", "sequences", "temp", "temporary"))
	if what == "TEMPORARY" {
		what = "TEMP"
	}
	return &Discard{what}
}

func (p *parser) listen() Statement {
	p.expect("listen")
	return &Listen{p.name()}
}

func (p *parser) unlisten() Statement {
	p.expect("unlisten")
	if p.accept("*") {
		return &Unlisten{"*"}
	}
	return &Unlisten{p.name()}
}

func (p *parser) notify() Statement {
	p.expect("notify")
	n := &Notify{Channel: p.name()}
	if p.accept(",") {
		n.Payload = p.stringLiteral()
	}
	return n
}

func (p *parser) prepare() Statement {
	p.expect("prepare")
	s := &Prepare{Name: p.name()}
	if p.accept("(") {
		s.Types = list(p, p.typeName)
		p.expect(")")
	}
	p.expect("as")
	if !p.isOne("select", "values", "with", "insert", "update", "delete", "table", "(") {
		p.fail()
	}
	s.Query = p.query()
	return s
}

func (p *parser) execute() Statement {
	p.expect("execute")
	s := &Execute{Name: p.name()}
	if p.accept("(") {
		s.Args = p.exprs()
		p.expect(")")
	}
	return s
}

func (p *parser) deallocate() Statement {
	p.expect("deallocate")
	p.accept("prepare")
	if p.accept("all") {
		return &Deallocate{}
	}
	return &Deallocate{p.name()}
}

func (p *parser) lock() Statement {
	p.expect("lock")
	p.accept("table")
	s := &LockTable{Mode: "ACCESS EXCLUSIVE"}
	s.Tables = list(p, func() Name { return p.table().Name })
	if p.accept("in") {
		s.Mode = p.lockMode()
		p.expect("mode")
	}
	s.Nowait = p.accept("nowait")
	return s
}

func (p *parser) lockMode() string {
	for _, mode := range []string{
		"ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE",
		"SHARE ROW EXCLUSIVE", "SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE",
	} {
		if p.accept(strings.Fields(strings.ToLower(mode))...) {
			return mode
		}
	}
	if p.isOne("access", "row") {
		p.advance()
	}
	p.fail()
	return ""
}

func (p *parser) maintain() Statement {
	s := &Maintain{Word: strings.ToUpper(p.advance().text)}
	if s.Word == "ANALYSE" {
		s.Word = "ANALYZE"
	}
	if p.accept("(") {
		for !p.accept(")") {
			if p.tok().ends() {
				p.fail()
			}
			p.advance()
		}
	}
	for p.isOne("full", "freeze", "verbose", "analyze", "analyse", "table", "index", "database", "schema", "system", "concurrently") {
		p.advance()
	}
	if isColumnName(p.tok()) {
		s.Tables = list(p, func() Name {
			n := p.qualified()
			if p.is("(") {
				p.columns()
			}
			return n
		})
	}
	return s
}
