package packed_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/packed"
)

type inner struct {
	Seq int64 `json:"seq"`
}

type outer struct {
	inner
	Name  string          `json:"name"`
	List  []inner         `json:"list"`
	Map   map[int]inner   `json:"map"`
	Words map[string]int  `json:"words"`
	Free  json.RawMessage `json:"free"`
	Any   any             `json:"any"`
	Left  string          `json:"-"`
	Next  *outer          `json:"next"`
}

func TestDecode(t *testing.T) {
	text := "{\"seq\": 3, \"name\": \"\\ud83d\\ude00 \\\\ud800 é\", \"list\": [{\"seq\": 1}, {}], \"map\": {\"-1\": {\"seq\": 2}, \"10\": {}},\n" +
		` "words": {"a": 1, "A": 2}, "free": {"x": [{"y": null}]}, "any": [1, {"Z": true}], "next": {"n\u0061me": "n", "next": null}}` + "\n"
	var got, want outer
	if err := packed.Decode([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v (%v)", got, want, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ text, place, problem string }{
		{`{"name": "a", "name": "b"}`, "line 1, column 15", `"name" is given twice`},
		{`{"name": "a", "n\u0061me": "b"}`, "line 1, column 15", `"name" is given twice`},
		{"{\n \"list\": [{}, {\"seq\": 1,\n\"seq\": 1}]}", "line 3, column 1", `"seq" is given twice`},
		{`{"seq": 1, "next": {"Seq": 2}}`, "line 1, column 21", `there is no field "Seq"`},
		{`{"NAME": "a"}`, "line 1, column 2", `there is no field "NAME"`},
		{`{"left": "a"}`, "line 1, column 2", `there is no field "left"`},
		{`{"inner": {}}`, "line 1, column 2", `there is no field "inner"`},
		{`{"words": {"a": 1, "a": 2}}`, "line 1, column 20", `"a" is given twice`},
		{`{"map": {"1": {}, "01": {}}}`, "line 1, column 19", `"01" is no whole number`},
		{`{"free": {"x": [{"y": 1, "y": 1}]}}`, "line 1, column 26", `"y" is given twice`},
		{`{"any": {"y": 1, "y": 1}}`, "line 1, column 18", `"y" is given twice`},
		{"{\"name\": \"a\xff\"}", "line 1, column 12", "a byte that is not UTF-8"},
		{"{\"name\": \"\xed\xa0\x80\"}", "line 1, column 11", "a byte that is not UTF-8"},
		{`{"name": "a\ud800"}`, "line 1, column 12", `\ud800 is half of a surrogate pair`},
		{`{"name": "a\udc00\ud800"}`, "line 1, column 12", `\udc00 is half of a surrogate pair`},
		{`{"name": "a\ud800\\udc00"}`, "line 1, column 12", `\ud800 is half of a surrogate pair`},
		{`{"\ud800": 1}`, "line 1, column 3", `\ud800 is half of a surrogate pair`},
		{"{} {}", "line 1, column 3", "something follows"},
		{"{}\n\x00", "line 1, column 3", "something follows"},
		{`{"name": `, "line 1, column 10", "it ends inside a value"},
		{``, "line 1, column 1", "it ends inside a value"},
		{`{"name": tru}`, "line 1, column 13", "not JSON: "},
		{`{"name": 1}`, "line 1, column 11", "the value of name cannot be of the type number"},
		{`[]`, "line 1, column 2", "the value of the whole cannot be of the type array"},
	} {
		err := packed.Decode([]byte(c.text), &outer{})
		wrong := new(packed.Wrong)
		ok := errors.As(err, &wrong)
		if !ok || !strings.Contains(wrong.Problem, c.problem) || wrong.Place([]byte(c.text)) != c.place {
			place := ""
			if ok {
				place = wrong.Place([]byte(c.text))
			}
			t.Errorf("%s: %s: %v, want %s: %s", c.text, place, err, c.place, c.problem)
		}
	}
}

// FuzzStrict: what is accepted means the same when it is decoded, encoded and decoded again.
func FuzzStrict(f *testing.F) {
	f.Add([]byte(`{"seq": 3, "name": "\ud83d\ude00", "list": [{"seq": 1}, {}], "map": {"-1": {}}, "any": [1, {"Z": true}], "next": {}}`))
	f.Add([]byte(`{"name": "a", "Name": "b", "free": {"a": 1, "a": "\ud800"}} x`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var a, b outer
		if packed.Decode(text, &a) != nil {
			return
		}
		again, err := json.Marshal(&a)
		if err == nil {
			err = packed.Decode(again, &b)
		}
		if err != nil {
			t.Fatalf("%q, written again as %q: %v", text, again, err)
		}
		if third, _ := json.Marshal(&b); string(third) != string(again) {
			t.Errorf("%s, and then %s", again, third)
		}
	})
}
