package syntax

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// typeName reads the name of a type.
func (p *parser) typeName() TypeName {
	setOf := p.accept("setof")
	t := p.simpleType()
	t.SetOf = setOf
	if p.accept("array") {
		t.Dims = 1
		if p.accept("[") {
			p.smallInt()
			p.expect("]")
		}
		return t
	}
	for p.accept("[") {
		if !p.is("]") {
			p.smallInt()
		}
		p.expect("]")
		t.Dims++
	}
	return t
}

// simpleTypes are the words for types of PostgreSQL itself that have no modifiers and are one word.
var simpleTypes = map[string]string{
	"int": "int4", "integer": "int4", "smallint": "int2", "bigint": "int8", "real": "float4", "boolean": "bool",
}

func (p *parser) simpleType() TypeName {
	t := TypeName{Name: Name{Pos: p.pos(), Schema: "pg_catalog"}}
	w := p.tok()
	if name := simpleTypes[w.text]; name != "" && w.kind == word {
		p.advance()
		t.Name.Name = name
		return t
	}
	if w.kind == word {
		switch w.text {
		case "float":
			p.advance()
			t.Name.Name = p.float()
			return t
		case "double":
			if p.accept("double", "precision") {
				t.Name.Name = "float8"
				return t
			}
		case "decimal", "dec", "numeric":
			p.advance()
			t.Name.Name, t.Mods = "numeric", p.mods()
			return t
		case "bit", "character", "char", "varchar", "national", "nchar":
			p.chars(&t)
			return t
		case "timestamp", "time":
			p.time(&t)
			return t
		case "interval":
			p.advance()
			t.Name.Name, t.Mods = "interval", p.mod()
			p.refuseFields()
			return t
		}
	}
	return p.genericType()
}

// genericType reads the name of any other type.
func (p *parser) genericType() TypeName {
	t := TypeName{Name: p.functionName()}
	t.Mods = p.mods()
	return t
}

// float reads FLOAT's precision and returns the type for it.
func (p *parser) float() string {
	pos := p.ahead(1).pos
	if !p.accept("(") {
		return "float8"
	}
	n := p.smallInt()
	p.expect(")")
	switch {
	case n < 1:
		panic(failure{pgerror.New(pgerror.InvalidParameterValue, "precision for type float must be at least 1 bit").At(pos)})
	case n <= 24:
		return "float4"
	case n <= 53:
		return "float8"
	}
	panic(failure{pgerror.New(pgerror.InvalidParameterValue, "precision for type float must be less than 54 bits").At(pos)})
}

// chars reads the words for types of characters and bits.
func (p *parser) chars(t *TypeName) {
	first := p.advance().text
	if first == "national" {
		p.oneOf("character", "char")
	}
	varying := first == "varchar" || p.accept("varying")
	if first == "bit" {
		t.Mods = p.mods()
	} else {
		t.Mods = p.mod()
	}
	switch {
	case first == "bit" && varying:
		t.Name.Name = "varbit"
	case varying:
		t.Name.Name = "varchar"
	case first == "bit":
		t.Name.Name = "bit"
	default:
		t.Name.Name = "bpchar"
	}
	if t.Mods == nil && !varying {
		t.Mods = []int32{1}
	}
}

// time reads TIMESTAMP or TIME with a precision and a time zone or not.
func (p *parser) time(t *TypeName) {
	t.Name.Name = p.advance().text
	t.Mods = p.mod()
	if p.accept("with", "time", "zone") {
		t.Name.Name += "tz"
	} else {
		p.accept("without", "time", "zone")
	}
}

// refuseFields refuses the fields of INTERVAL, as DAY TO SECOND.
func (p *parser) refuseFields() {
	if p.isOne("year", "month", "day", "hour", "minute", "second") {
		p.lacks("INTERVAL with fields")
	}
}

// mod reads one modifier in parentheses, or nothing.
func (p *parser) mod() []int32 {
	if !p.accept("(") {
		return nil
	}
	n := p.smallInt()
	p.expect(")")
	return []int32{n}
}

// mods reads modifiers in parentheses, or nothing.
func (p *parser) mods() []int32 {
	if !p.accept("(") {
		return nil
	}
	mods := list(p, func() int32 {
		if p.accept("-") {
			return -p.smallInt()
		}
		return p.smallInt()
	})
	p.expect(")")
	return mods
}

// smallInt reads digits that fit int4.
func (p *parser) smallInt() int32 {
	if p.tok().kind != integer {
		p.fail()
	}
	n, _ := strconv.ParseInt(p.advance().text, 10, 32)
	return int32(n)
}

// bigInt reads digits with a sign or not that fit int8.
func (p *parser) bigInt() int64 {
	sign := ""
	if p.accept("-") {
		sign = "-"
	} else {
		p.accept("+")
	}
	t := p.tok()
	n, err := strconv.ParseInt(sign+t.text, 10, 64)
	if t.kind != integer && t.kind != number || err != nil {
		p.fail()
	}
	p.advance()
	return n
}
