package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// listAccess returns the access for column IN (values) or column = ANY(array) by an index that begins with the column, in the
// order that a bitmap has; nil if there is no such condition. PostgreSQL prefers it to reading the whole table.
func listAccess(r *rte, conds []*value, bound relSet) *access {
	if r.table == nil {
		return nil
	}
	for _, c := range conds {
		if c.elements == nil || c.elements.typ == types.RecordOID || c.op.Name != "=" || !sameOrder(c.op.Left, c.op.Right) {
			continue
		}
		ref := c.args[0].column
		if ref == nil || ref.rte != r || ref.level > 0 || ref.n < 0 {
			continue
		}
		list := c.list()
		if !bound.has(list.rels) || list.volatile {
			continue
		}
		for _, ix := range r.table.Indexes {
			if !ix.Partial && isBTree(ix) && ix.Columns[0] == r.places[ref.n] {
				return &access{rte: r, index: ix, each: list, bitmap: true, used: []*value{c}}
			}
		}
	}
	return nil
}

// list returns what a condition with IN or = ANY compares with, as an array.
func (v *value) list() *value {
	parts := v.elements.args
	if v.elements.eval != nil {
		return v.elements
	}
	items := make([]*value, len(parts))
	for i, p := range parts {
		items[i] = p.args[1]
	}
	return made(types.ArrayOf(v.op.Right), v.pos, 0, func(e *env) (types.Value, error) {
		list, err := evalAll(e, slices.Clone(items))
		return types.Array{Elem: v.op.Right, Items: list}, err
	}, items...)
}
