package executor

import (
	"math"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// PostgreSQL takes a table that was never analysed for one of ten pages, and knows nothing of its values. Small tables of
// tests and of most lock libraries are such. The costs here are its planner's for them, by its default settings.
const (
	pages       = 10.0
	seqPage     = 1.0
	randomPage  = 4.0
	tupleCost   = 0.01
	indexTuple  = 0.005
	operator    = 0.0025
	distinct    = 200.0 // values of a column
	inequality  = 1.0 / 3
	rangeOfTwo  = 0.005
	nullsAmong  = 0.005
	conditional = 1.0 / 3 // of a function that is a condition
)

// tableRows returns how many rows PostgreSQL expects in a table.
func tableRows(t *storage.Table) float64 {
	width := 0
	for _, c := range t.Columns {
		if !c.Dropped {
			width += averageWidth(c.Type, c.Mod)
		}
	}
	width += 24 + 4
	return float64((8192 - 24) / width * pages)
}

// averageWidth is get_typavgwidth.
func averageWidth(t types.OID, mod int32) int {
	if n := types.Size(t); n > 0 {
		return int(n)
	}
	if mod > 4 && (t == types.VarcharOID || t == types.BPCharOID) {
		most := int(mod-4) * 4
		switch {
		case t == types.BPCharOID, most <= 32:
			return most
		case most < 1000:
			return 32 + (most-32)/2
		}
		return 32 + (1000-32)/2
	}
	return 32
}

// costing estimates costs of accesses to a table.
type costing struct {
	rte   *rte
	conds []*value
	rows  float64 // of the table
	limit float64
}

// cost returns the cost of reading the rows that are needed, and of sorting them.
func (c costing) cost(p *access, sort bool) float64 {
	out := clamp(c.rows * c.selectivity(c.conds))
	startup, total := 0.0, 0.0
	var filters float64
	for _, cond := range c.conds {
		if !slices.Contains(p.used, cond) {
			filters += cond.cost
		}
	}
	if p.index == nil {
		total = pages*seqPage + c.rows*(tupleCost+operator*filters)
	} else {
		startup, total = c.indexCost(p, filters)
	}
	if sort {
		n := math.Max(out, 2)
		startup = total + 2*operator*n*math.Log2(n)
		total = startup + operator*out
	}
	if c.limit >= 0 && c.limit < out {
		total = startup + (total-startup)*c.limit/out
	}
	return total
}

// indexCost is the cost of reading by an index, in its order or as a bitmap.
func (c costing) indexCost(p *access, filters float64) (startup, total float64) {
	found := c.rows * c.selectivity(p.used)
	if p.whole() {
		found = 1
	}
	found = clamp(found)
	startup = 0.15
	total = startup + randomPage + found*(indexTuple+operator*float64(len(p.used)))
	if p.ordered {
		return startup, total + math.Ceil(mackertLohman(found))*randomPage + found*(tupleCost+operator*filters)
	}
	// A bitmap: the pages are read in order.
	startup = total + 0.1*operator*found
	fetched := math.Min(math.Ceil(mackertLohman(found)), pages)
	page := randomPage
	if fetched >= 2 {
		page = randomPage - (randomPage-seqPage)*math.Sqrt(fetched/pages)
	}
	recheck := operator * float64(len(p.used))
	return startup, startup + fetched*page + found*(tupleCost+recheck+operator*filters)
}

// mackertLohman returns how many pages of the table have the rows.
func mackertLohman(rows float64) float64 {
	return math.Min(2*pages*rows/(2*pages+rows), pages)
}

func clamp(rows float64) float64 { return math.Max(1, math.Round(rows)) }

// selectivity returns the share of rows that meet all conditions.
func (c costing) selectivity(conds []*value) float64 {
	share := 1.0
	low, high := map[int]bool{}, map[int]bool{}
	for _, cond := range conds {
		if column, lower, ok := c.inequality(cond); ok {
			if lower {
				low[column] = true
			} else {
				high[column] = true
			}
			continue
		}
		share *= c.single(cond)
	}
	for column := range low { // unordered: a product of equal factors
		if high[column] {
			share *= rangeOfTwo
			delete(high, column)
		} else {
			share *= inequality
		}
	}
	for range len(high) {
		share *= inequality
	}
	return share
}

// inequality reports whether a condition bounds a column.
func (c costing) inequality(cond *value) (column int, lower, ok bool) {
	if cond.op == nil || len(cond.args) != 2 {
		return 0, false, false
	}
	for i, name := range []string{cond.op.Name, mirrored[cond.op.Name]} {
		ref := cond.args[i].column
		if ref == nil || ref.rte != c.rte || ref.level > 0 {
			continue
		}
		switch name {
		case "<", "<=":
			return ref.n, false, true
		case ">", ">=":
			return ref.n, true, true
		}
	}
	return 0, false, false
}

// single returns the share of rows that meet a condition.
func (c costing) single(cond *value) float64 {
	switch {
	case cond.or:
		share := 0.0
		for _, arg := range cond.args {
			one := c.selectivity(flatten(arg))
			share += one - share*one
		}
		return share
	case cond.not:
		return 1 - c.selectivity(flatten(cond.args[0]))
	case cond.test == "NULL":
		return nullsAmong
	case cond.test == "NOT NULL":
		return 1 - nullsAmong
	case cond.elements != nil && cond.op.Name == "=":
		return math.Min(1, float64(max(cond.count, 1))*c.equality(cond.args[0]))
	case cond.column != nil:
		return 0.5 // a column of booleans
	case cond.op != nil && cond.op.Name == "=":
		return c.equality(cond.args[0], cond.args[len(cond.args)-1])
	case cond.op != nil && cond.op.Name == "<>":
		return 1 - c.equality(cond.args[0], cond.args[len(cond.args)-1])
	case cond.op != nil:
		return 0.005
	case cond.subplan:
		return 0.5
	}
	return conditional
}

// equality returns the share of rows in which a column has one value.
func (c costing) equality(sides ...*value) float64 {
	n := distinct
	for _, v := range sides {
		ref := v.column
		if ref == nil || ref.rte != c.rte || ref.level > 0 || ref.n < 0 {
			continue
		}
		if v.typ == types.BoolOID {
			n = 2
		}
		if c.rte.table == nil {
			continue
		}
		for _, ix := range c.rte.table.Indexes {
			if ix.Unique && !ix.Partial && len(ix.Columns) == 1 && ix.Columns[0] == c.rte.places[ref.n] {
				n = c.rows
			}
		}
	}
	return 1 / math.Min(n, math.Max(c.rows, 1))
}

// lookups is the cost of a nested loop that looks k rows up in a unique index of the table, which has a page besides its first.
func (c costing) lookups(k float64) float64 {
	const indexPages = 2.0
	index := math.Min(math.Ceil(2*indexPages*k/(2*indexPages+k)), indexPages) * randomPage / k
	heap := math.Ceil(mackertLohman(k)) * randomPage / k
	return k * (0.15 + index + indexTuple + operator + heap + tupleCost + tupleCost)
}

// hashed is the cost of a hash join that reads the whole table and looks each row up among k others.
func (c costing) hashed(k float64) float64 {
	var filters float64
	for _, cond := range c.conds {
		filters += cond.cost
	}
	found := clamp(c.rows * c.selectivity(c.conds))
	return pages*seqPage + c.rows*(tupleCost+operator*filters) + found*operator*1.5 + k*(operator+2*tupleCost)
}
