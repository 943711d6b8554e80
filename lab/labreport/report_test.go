package labreport

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestText(t *testing.T) {
	r := sampleReport()
	plain := written(t, func(w io.Writer) error { return r.Text(w, Style{Width: 100}) })
	golden.File(t, "testdata/"+"report.txt", string(plain))
	for _, line := range strings.Split(string(plain), "\n") {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	golden.File(t, "testdata/"+"report.ansi", string(written(t, func(w io.Writer) error { return r.Text(w, Style{Width: 100, Color: true}) })))
	r.Seeds = 1
	if got := r.Runs(); got != "Seed 1, one run of each variant." {
		t.Error(got)
	}
	r.Seeds = 5
	if got := r.Runs(); !strings.Contains(got, "the least and the greatest value") {
		t.Error(got)
	}
}

func TestCSV(t *testing.T) {
	r := sampleReport()
	got := written(t, r.CSV)
	golden.File(t, "testdata/"+"report.csv", string(got))
	lines, err := csv.NewReader(bytes.NewReader(got)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 2*6; len(lines) != want {
		t.Errorf("%d lines, not %d", len(lines), want)
	}
}

// TestJSON: the output is one JSON value; what was not measured is null.
func TestJSON(t *testing.T) {
	got := written(t, sampleReport().JSON)
	golden.File(t, "testdata/"+"report.json", string(got))
	var back struct {
		Tables []struct {
			Rows []struct{ Cells []map[string]*float64 }
		}
		Plots []struct {
			Series []struct{ Points []map[string]*float64 }
		}
	}
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	cells := back.Tables[0].Rows[1].Cells
	if cells[3]["median"] != nil || cells[0]["published"] == nil || *cells[0]["published"] != 6105 || cells[0]["real"] != nil {
		t.Errorf("%+v", cells)
	}
	if p := back.Plots[0].Series[3].Points[2]; p["y"] != nil || p["x"] == nil {
		t.Errorf("%+v", p)
	}
}

func TestPage(t *testing.T) {
	got := written(t, sampleReport().Page)
	golden.File(t, "testdata/"+"report.html", string(got))
	text := string(got)
	for _, no := range []string{"<script", "http://", "https://", "<b>etcd", "NaN", "ZgotmplZ"} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %s", no)
		}
	}
	if n := strings.Count(text, `role="img"`); n != 6 {
		t.Errorf("%d pictures; want each of 3 in two sizes", n)
	}
	ids := map[string]bool{}
	for _, part := range strings.Split(text, ` id="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		if ids[id] {
			t.Errorf("two elements have the id %s", id)
		}
		ids[id] = true
	}
}

// TestSVG: the pictures are well-formed XML.
func TestSVG(t *testing.T) {
	r := sampleReport()
	for i := range r.Plots {
		for _, s := range []size{wide, narrow} {
			d := xml.NewDecoder(strings.NewReader(r.Plots[i].svg(s, "id")))
			for {
				_, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s, %s: %v", r.Plots[i].Title, s.name, err)
				}
			}
		}
	}
}
