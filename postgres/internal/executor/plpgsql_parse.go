package executor

import (
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// The part of PL/pgSQL that triggers and migrations of queues and locks use: variables, assignments, IF, PERFORM, RAISE, RETURN
// and statements of SQL without INTO. Everything else is refused.

// block is a list of steps, with the variables that it declares.
type block struct {
	vars  []variable
	steps []instruction
}

// variable is a declaration.
type variable struct {
	name    string
	typ     syntax.TypeName
	initial *syntax.Select
}

// instruction is a statement of PL/pgSQL: one of its fields is set.
type instruction struct {
	sql     syntax.Statement
	perform *syntax.Select
	target  []string // of an assignment to the value
	value   *syntax.Select
	arms    []arm // of IF; the last may have no condition
	block   *block
	returns bool   // RETURN of the value, or of what row names
	row     string // "new", "old" or "null"
	raise   *raise
}

// arm is a condition of IF with what is done then.
type arm struct {
	cond *syntax.Select
	body *block
}

// raise is RAISE.
type raise struct {
	level  string
	format string
	args   []*syntax.Select
}

// programParser reads a program.
type programParser struct {
	text string
	at   int
}

// parseProgram reads the body of a function or of DO.
func parseProgram(text string) (b *block, err error) {
	p := &programParser{text: text}
	b = &block{}
	if p.word() == "declare" {
		p.next()
		if err := p.declarations(b); err != nil {
			return nil, err
		}
	}
	if p.word() != "begin" {
		return nil, p.refuse("a body that does not begin with BEGIN")
	}
	p.next()
	if err := p.steps(b); err != nil {
		return nil, err
	}
	if p.word() != "end" {
		return nil, p.refuse(strings.ToUpper(p.word()))
	}
	return b, nil
}

func (p *programParser) refuse(what string) error { return pgerror.Lacks("%s in PL/pgSQL", what) }

// space skips spaces and comments.
func (p *programParser) space() {
	for p.at < len(p.text) {
		switch {
		case strings.ContainsRune(" \t\r\n", rune(p.text[p.at])):
			p.at++
		case strings.HasPrefix(p.text[p.at:], "--"):
			if end := strings.IndexByte(p.text[p.at:], '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.text)
			}
		case strings.HasPrefix(p.text[p.at:], "/*"):
			p.at += strings.Index(p.text[p.at:]+"*/", "*/") + 2
		default:
			return
		}
	}
}

// word returns the next word in lower case, or one character.
func (p *programParser) word() string {
	p.space()
	end := p.at
	for end < len(p.text) && isWordByte(p.text[end]) {
		end++
	}
	if end == p.at && end < len(p.text) {
		end++
	}
	return strings.ToLower(p.text[p.at:end])
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// next skips the next word.
func (p *programParser) next() { p.at += len(p.word()) }

// until returns the text up to one of some words or characters outside of strings and parentheses, and which it was.
func (p *programParser) until(ends ...string) (text, end string, err error) {
	p.space()
	from, depth := p.at, 0
	for p.at < len(p.text) {
		w := p.word()
		for _, e := range ends {
			if w == e && depth == 0 {
				text = strings.TrimSpace(p.text[from:p.at])
				p.next()
				return text, e, nil
			}
		}
		switch w {
		case "(":
			depth++
		case ")":
			depth--
		case "'", `"`:
			close := strings.Index(p.text[p.at+1:], w)
			if close < 0 {
				return "", "", p.refuse("a string without an end")
			}
			p.at += close + 2
			continue
		case "$":
			if tag := strings.IndexByte(p.text[p.at+1:], '$'); tag >= 0 {
				quote := p.text[p.at : p.at+tag+2]
				if close := strings.Index(p.text[p.at+len(quote):], quote); close >= 0 {
					p.at += close + 2*len(quote)
					continue
				}
			}
		}
		p.next()
		p.space()
	}
	return "", "", p.refuse("a statement without an end")
}

// query reads the query that an expression is.
func (p *programParser) query(text string) (*syntax.Select, error) {
	stmts, err := syntax.Parse("SELECT " + text)
	if err != nil {
		return nil, err
	}
	sel, ok := stmts[0].(*syntax.Select)
	if !ok || len(stmts) != 1 {
		return nil, p.refuse(text)
	}
	return sel, nil
}

// declarations reads DECLARE.
func (p *programParser) declarations(b *block) error {
	for p.word() != "begin" {
		text, _, err := p.until(";")
		if err != nil {
			return err
		}
		name, rest, _ := strings.Cut(text, " ")
		typ, initial, given := strings.Cut(rest, ":=")
		if !given {
			if i := strings.Index(strings.ToLower(rest), " default "); i >= 0 {
				typ, initial, given = rest[:i], rest[i+len(" default "):], true
			}
		}
		v := variable{name: strings.ToLower(name)}
		if v.typ, err = syntax.ParseType(strings.TrimSpace(typ)); err != nil {
			return p.refuse("the declaration " + text)
		}
		if given {
			if v.initial, err = p.query(initial); err != nil {
				return err
			}
		}
		b.vars = append(b.vars, v)
	}
	return nil
}

// steps reads statements until END, ELSE or the like.
func (p *programParser) steps(b *block) error {
	for {
		switch w := p.word(); w {
		case "end", "else", "elsif", "elseif":
			return nil
		case "", "exception", "loop", "while", "for", "foreach", "case", "execute", "open", "fetch", "get", "exit", "continue", "declare":
			return p.refuse(strings.ToUpper(w))
		case "begin":
			p.next()
			inner := &block{}
			if err := p.steps(inner); err != nil {
				return err
			}
			if _, _, err := p.until(";"); err != nil {
				return err
			}
			b.steps = append(b.steps, instruction{block: inner})
		case "if":
			p.next()
			st, err := p.conditional()
			if err != nil {
				return err
			}
			b.steps = append(b.steps, st)
		default:
			text, _, err := p.until(";")
			if err != nil {
				return err
			}
			st, err := p.step(w, text)
			if err != nil {
				return err
			}
			b.steps = append(b.steps, st)
		}
	}
}

// conditional reads IF after its word.
func (p *programParser) conditional() (st instruction, err error) {
	for {
		text, _, err := p.until("then")
		if err != nil {
			return st, err
		}
		one := arm{body: &block{}}
		if one.cond, err = p.query(text); err != nil {
			return st, err
		}
		if err := p.steps(one.body); err != nil {
			return st, err
		}
		st.arms = append(st.arms, one)
		switch p.word() {
		case "elsif", "elseif":
			p.next()
			continue
		case "else":
			p.next()
			last := arm{body: &block{}}
			if err := p.steps(last.body); err != nil {
				return st, err
			}
			st.arms = append(st.arms, last)
		}
		_, _, err = p.until(";") // END IF
		return st, err
	}
}

// step reads a statement that has no others in it.
func (p *programParser) step(word, text string) (st instruction, err error) {
	rest := strings.TrimSpace(text[len(word):])
	switch word {
	case "null":
		return instruction{block: &block{}}, nil
	case "return":
		st.returns = true
		switch low := strings.ToLower(rest); low {
		case "new", "old", "null", "":
			st.row = low
		default:
			st.value, err = p.query(rest)
		}
		return st, err
	case "perform":
		st.perform, err = p.query(rest)
		return st, err
	case "raise":
		st.raise, err = p.raise(rest)
		return st, err
	}
	if target, expr, ok := assignmentOf(text); ok {
		st.target = target
		st.value, err = p.query(expr)
		return st, err
	}
	stmts, err := syntax.Parse(text)
	if err != nil {
		return st, err
	}
	if len(stmts) != 1 {
		return st, p.refuse(text)
	}
	if _, ok := stmts[0].(*syntax.Select); ok {
		return st, p.refuse("SELECT ... INTO")
	}
	st.sql = stmts[0]
	return st, nil
}

// assignmentOf divides name := expression, or name.field = expression.
func assignmentOf(text string) (target []string, expr string, ok bool) {
	left, right, found := strings.Cut(text, "=")
	if !found {
		return nil, "", false
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(left), ":"), ".") {
		part = strings.TrimSpace(part)
		for i := range len(part) {
			if !isWordByte(part[i]) {
				return nil, "", false
			}
		}
		target = append(target, strings.ToLower(part))
	}
	return target, right, true
}

// raise reads RAISE after its word.
func (p *programParser) raise(text string) (*raise, error) {
	r := &raise{level: "exception"}
	if word, rest, ok := strings.Cut(text, " "); ok && !strings.HasPrefix(text, "'") {
		r.level, text = strings.ToLower(word), strings.TrimSpace(rest)
	}
	if !strings.HasPrefix(text, "'") {
		return nil, p.refuse("RAISE " + text)
	}
	sel, err := p.query(text)
	if err != nil {
		return nil, p.refuse("RAISE " + text)
	}
	for i, it := range sel.Items {
		if i > 0 {
			r.args = append(r.args, &syntax.Select{Items: []syntax.Item{it}})
			continue
		}
		c, ok := it.Expr.(*syntax.Const)
		if !ok {
			return nil, p.refuse("RAISE " + text)
		}
		r.format = c.Text
	}
	return r, nil
}
