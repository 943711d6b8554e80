package syntax

import "strings"

// The keywords by what they may be besides, as pg_get_keywords() of PostgreSQL 15 lists them. A word that is in none of
// the first three is a name like any other where the grammar does not ask for it.
var (
	reservedWords = words(`all analyse analyze and any array as asc asymmetric both case cast check collate column
		constraint create current_catalog current_date current_role current_time current_timestamp current_user default
		deferrable desc distinct do else end except false fetch for foreign from grant group having in initially
		intersect into lateral leading limit localtime localtimestamp not null offset on only or order placing primary
		references returning select session_user some symmetric table then to trailing true union unique user using
		variadic when where window with`)
	// functionWords may name functions and types, but no columns.
	functionWords = words(`authorization binary collation concurrently cross current_schema freeze full ilike inner is
		isnull join left like natural notnull outer overlaps right similar tablesample verbose`)
	// columnWords may name columns, but no functions and types.
	columnWords = words(`between bigint bit boolean char character coalesce dec decimal exists extract float greatest
		grouping inout int integer interval least national nchar none normalize nullif numeric out overlay position
		precision real row setof smallint substring time timestamp treat trim values varchar xmlattributes xmlconcat
		xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)
	// labelWords may be the alias of a column only after AS.
	labelWords = words(`array as char character create day except fetch filter for from grant group having hour
		intersect into isnull limit minute month notnull offset on order over overlaps precision returning second to
		union varying where window with within without year`)
)

func words(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
