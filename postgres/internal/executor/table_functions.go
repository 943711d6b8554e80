package executor

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// tableFunctions are the functions that return rows, by their names.
var tableFunctions = map[string]*tableFunction{
	"unnest":                    {result: unnestColumns, rows: unnestRows, expect: 10},
	"generate_series":           {result: seriesColumns, rows: seriesRows, expect: 1000},
	"generate_subscripts":       {result: fixedColumn(types.Int4OID, types.AnyArrayOID, types.Int4OID), rows: subscriptRows, expect: 10},
	"jsonb_array_elements":      {result: fixedColumn(types.JSONBOID, types.JSONBOID), rows: elements(types.JSONBOID, false), expect: 100},
	"jsonb_array_elements_text": {result: fixedColumn(types.TextOID, types.JSONBOID), rows: elements(types.JSONBOID, true), expect: 100},
	"json_array_elements":       {result: fixedColumn(types.JSONOID, types.JSONOID), rows: elements(types.JSONOID, false), expect: 100},
	"json_array_elements_text":  {result: fixedColumn(types.TextOID, types.JSONOID), rows: elements(types.JSONOID, true), expect: 100},
	"pg_listening_channels":     {result: fixedColumn(types.TextOID), rows: listeningRows, expect: 10},
}

// fixedColumn is the result of a function with one column, and with arguments of given types.
func fixedColumn(result types.OID, args ...types.OID) func(*analysis, []*value) ([]Column, []types.OID, error) {
	return func(a *analysis, list []*value) ([]Column, []types.OID, error) {
		if len(list) != len(args) {
			return nil, nil, nil
		}
		cast := append([]types.OID(nil), args...)
		for i, t := range args {
			if t == types.AnyArrayOID {
				cast[i] = list[i].typ
			}
		}
		name := ""
		if len(args) > 0 && args[0] != types.AnyArrayOID {
			name = "value"
		}
		return []Column{{Name: name, Type: result, Mod: -1}}, cast, nil
	}
}

func unnestColumns(a *analysis, args []*value) (columns []Column, cast []types.OID, err error) {
	for _, v := range args {
		elem := types.ElemOf(v.typ)
		if elem == types.Invalid {
			if v.isUnknown() {
				return nil, nil, pgerror.New(pgerror.AmbiguousFunction, "function unnest(unknown) is not unique").
					WithHint("Could not choose a best candidate function. You might need to add explicit type casts.")
			}
			return nil, nil, nil
		}
		columns = append(columns, Column{Name: "unnest", Type: elem, Mod: -1})
		cast = append(cast, v.typ)
	}
	return columns, cast, nil
}

func unnestRows(_ *env, args []types.Value) (list [][]types.Value, err error) {
	most := 0
	for _, x := range args {
		most = max(most, len(x.(types.Array).Items))
	}
	for i := range most {
		row := make([]types.Value, len(args))
		for j, x := range args {
			if items := x.(types.Array).Items; i < len(items) {
				row[j] = items[i]
			}
		}
		list = append(list, row)
	}
	return list, nil
}

func seriesColumns(a *analysis, args []*value) (columns []Column, cast []types.OID, err error) {
	if len(args) < 2 || len(args) > 3 {
		return nil, nil, nil
	}
	t := types.Int4OID
	if !slices.ContainsFunc(args, func(v *value) bool { return !v.isUnknown() }) {
		return nil, nil, pgerror.New(pgerror.AmbiguousFunction, "function generate_series(%s) is not unique",
			strings.TrimSuffix(strings.Repeat("unknown, ", len(args)), ", ")).
			WithHint("Could not choose a best candidate function. You might need to add explicit type casts.")
	}
	for _, v := range args {
		switch v.typ {
		case types.Int8OID:
			t = types.Int8OID
		case types.Int4OID, types.Int2OID, types.UnknownOID:
		default:
			return nil, nil, pgerror.Lacks("generate_series of %s", a.typeName(v.typ))
		}
	}
	for range args {
		cast = append(cast, t)
	}
	return []Column{{Name: "", Type: t, Mod: -1}}, cast, nil
}

func seriesRows(_ *env, args []types.Value) (list [][]types.Value, err error) {
	from, to, step := args[0].(int64), args[1].(int64), int64(1)
	if len(args) > 2 {
		step = args[2].(int64)
	}
	if step == 0 {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "step size cannot equal zero")
	}
	for n := from; step > 0 && n <= to || step < 0 && n >= to; n += step {
		list = append(list, []types.Value{n})
	}
	return list, nil
}

func subscriptRows(_ *env, args []types.Value) (list [][]types.Value, err error) {
	if args[1] != int64(1) {
		return nil, nil
	}
	for i := range args[0].(types.Array).Items {
		list = append(list, []types.Value{int64(i + 1)})
	}
	return list, nil
}

func listeningRows(e *env, _ []types.Value) (list [][]types.Value, err error) {
	for _, name := range e.session.Listening() {
		list = append(list, []types.Value{name})
	}
	return list, nil
}

// elements returns the elements of a JSON array, as JSON or as texts.
func elements(t types.OID, asText bool) func(*env, []types.Value) ([][]types.Value, error) {
	return func(_ *env, args []types.Value) (list [][]types.Value, err error) {
		var items []json.RawMessage
		text := args[0].(string)
		if json.Unmarshal([]byte(text), &items) != nil {
			what := "a scalar"
			if len(text) > 0 && text[0] == '{' {
				what = "an object"
			}
			if t == types.JSONOID && what == "an object" {
				return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot call json_array_elements on a non-array")
			}
			return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot extract elements from %s", what)
		}
		for _, item := range items {
			if !asText {
				list = append(list, []types.Value{string(item)})
				continue
			}
			var s string
			switch {
			case string(item) == "null":
				list = append(list, []types.Value{nil})
				continue
			case json.Unmarshal(item, &s) != nil:
				s = string(item)
			}
			list = append(list, []types.Value{s})
		}
		return list, nil
	}
}

// quoteJSON writes a string in JSON.
func quoteJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
