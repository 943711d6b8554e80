package edn

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// all reads until an error or the end.
func all(s string) (values []Value, err error) {
	r := NewReader(strings.NewReader(s))
	for {
		v, err := r.Next()
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return values, err
		}
		values = append(values, v)
	}
}

func texts(values []Value) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.String())
	}
	return out
}

// TestRead is about what is read, shown as it would be written.
func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", " ,\n ; a comment", nil},
		{"atoms", `nil true false 12 -3 +4 7N 1.5M 1/2 0x1f sym a/b - + :k :a/b`, []string{
			"nil", "true", "false", "12", "-3", "4", "7", "1.5M", "1/2", "0x1f", "sym", "a/b", "-", "+", ":k", ":a/b"}},
		{"beyond 64 bits", `9223372036854775807 9223372036854775808`, []string{"9223372036854775807", "9223372036854775808"}},
		{"strings", `"" "a\"b\\c\n\u0041"`, []string{`""`, `"a\"b\\c\nA"`}},
		{"characters", `\a \newline \( \u0041`, []string{`\a`, `\newline`, `\(`, `\u0041`}},
		{"an operation", `{:type :invoke, :f :acquire, :process 1, :value nil}`, []string{`{:type :invoke :f :acquire :process 1 :value nil}`}},
		{"lines", "{:a 1}\n{:a 2}", []string{"{:a 1}", "{:a 2}"}},
		{"a vector of forms", "[{:a 1}\n {:a 2}] ; end", []string{"{:a 1}", "{:a 2}"}},
		{"a list of forms", "(1 [2 3] (4))", []string{"1", "[2 3]", "(4)"}},
		{"an empty vector", "[]", nil},
		{"a vector that is not the first form", "1 [2]", []string{"1", "[2]"}},
		{"sets and tags", `#{1 2} #inst "2020" #jepsen.history.Op{:f :read} #object[a.b$c 0x7f "x"]`, []string{
			"#{1 2}", `#inst "2020"`, `#jepsen.history.Op {:f :read}`, `#object [a.b$c 0x7f "x"]`}},
		{"discarded", `[#_1 2 #_#_3 4 5 {:a #_b 6} #_x] #_ z`, []string{"2", "5", "{:a 6}"}},
		{"special numbers and patterns", `##NaN #"a\.b\""`, []string{"##NaN", `"a\\.b\\\""`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			values, err := all(test.in)
			if got := texts(values); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// TestErrors are told with their line.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ name, in, says string }{
		{"a vector that does not end", "[1\n2\n", `line 3: the input ends before the ']'`},
		{"a map that does not end", "1\n{:a ", "line 2: the input ends in the middle of a form"},
		{"a string that does not end", `"abc`, "line 1: the input ends in the middle of a form"},
		{"the wrong bracket", "{:a 1\n]", `line 2: ']', where '}' should close`},
		{"nothing to close", "1 )", `line 1: a ')' that closes nothing`},
		{"an odd map", "\n{:a}", "line 2: a map with a key that has no value"},
		{"a key twice", "{:a 1 :b 2 :a 3}", "line 1: a map with the key :a twice"},
		{"something behind", "[1]\n2", "line 2: '2' behind the end of the sequence"},
		{"a tagged form behind", "[1] #a 2", "another form behind the end"},
		{"a bad escape", `"\q"`, `\q in a string`},
		{"a bad \\u", `"\u00g0"`, `\u00g0, where`},
		{"a lone #", "# a", "# before ' '"},
		{"a lone colon", "1 : 2", "a colon without a name"},
		{"a lone backslash", `\ a`, `a \ that no character follows`},
		{"a tag without a value", "(#a)", `a ')' that closes nothing`},
		{"not UTF-8", "{:a \xff}", "a byte that is not UTF-8"},
		{"too deep", strings.Repeat("[", 100), "forms nest deeper than 64"},
		{"too deep with tags", strings.Repeat("#a ", 100), "forms nest deeper than 64"},
		{"too deep with #_", strings.Repeat("#_", 100), "forms nest deeper than 64"},
		{"too long", `"` + strings.Repeat("x", maxBytes), "a form of more than 1048576 bytes"},
		{"too much space", "1" + strings.Repeat(" ", maxBytes+2) + "2", "a form of more than 1048576 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := all(test.in)
			var wrong *Error
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want it to say %q", err, test.says)
			}
		})
	}
}

// TestLines knows where a value begins.
func TestLines(t *testing.T) {
	values, err := all("{:a 1}\n\n; x\n{:b\n 2}\n3")
	if err != nil || len(values) != 3 {
		t.Fatal(values, err)
	}
	two, ok := values[1].Get("b")
	if !ok || values[1].Line != 4 || two.Line != 5 || values[2].Line != 6 {
		t.Errorf("lines %d, %d, %d", values[1].Line, two.Line, values[2].Line)
	}
}

// TestErrorStays: after an error nothing more is read.
func TestErrorStays(t *testing.T) {
	r := NewReader(strings.NewReader(") 1"))
	_, first := r.Next()
	if _, again := r.Next(); first == nil || !errors.Is(again, first) {
		t.Errorf("%v, then %v", first, again)
	}
}

// TestReadError hands on what the input's own reader says.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("{:a "), errReader{broken}))
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type errReader struct{ error }

func (e errReader) Read([]byte) (int, error) { return 0, e.error }

// FuzzReader: no input crashes the reader, and what it has read it reads again
// as the same when it is written out.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		`[{:type :invoke, :f :acquire, :process 1, :time 12, :index 0}]`, "#jepsen.history.Op{:value [1 nil]}\n;x",
		`"a\u0041\n" \newline #{1} #_ 2 ##NaN #"a"`, "(((", "#_#_1 2 3", "1N 2.5M -0 +", ": :",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		values, _ := all(s)
		for _, v := range values {
			text := v.String()
			again, err := all("nil " + text)
			if err != nil || len(again) != 2 || again[1].String() != text {
				t.Fatalf("%q was read as %s, and that as %v, %v", s, text, texts(again), err)
			}
		}
	})
}
