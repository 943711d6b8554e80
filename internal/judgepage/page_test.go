package judgepage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
)

var bound = monitor.Bound{Time: time.Minute, Memory: 1 << 28}

// judge reads and judges lines of NDJSON or EDN.
func judge(t interface{ Fatal(args ...any) }, spec model.Spec, lines string) *judging.Judgement {
	h, err := history.Read(history.Options{Kind: spec.Kind}, history.Input{Reader: strings.NewReader(lines)})
	if err == nil {
		err = judging.Check(spec, h)
	}
	if err != nil {
		t.Fatal(err)
	}
	return judging.Judge(context.Background(), spec, h, bound)
}

// written is the page of a judgement.
func written(t interface{ Fatal(args ...any) }, j *judging.Judgement) string {
	var out bytes.Buffer
	about := About{Name: "h.ndjson", Model: string(j.Spec.Kind), Result: string(j.Status()), Meaning: "it is as it is", Again: "simrun judge h.ndjson"}
	if err := Write(&out, j, about); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// sample is a history of testdata/judge of simrun.
func sample(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../simrun/testdata/judge/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// long is a history of 600 turns on a mutex, in which one client gets it while another has it
// if that is asked for. Stamps are nanoseconds.
func long(twice bool) string {
	var b strings.Builder
	at := int64(1772359200_000_000_000)
	op := func(client, op string, took int64, outcome string) {
		fmt.Fprintf(&b, `{"client":%q,"object":"orders","op":%q,"call":%d,"return":%d,"outcome":%q}`+"\n", client, op, at, at+took, outcome)
		at += took + 1_000_000
	}
	for i := range 600 {
		client := fmt.Sprintf("orders-worker-7d9f8b6c5-%c", 'a'+i%3)
		op(client, "acquire", 2_000_000, "ok")
		if twice && i == 400 {
			fmt.Fprintf(&b, `{"annotation":"GC pause of 2.5s","on":%q,"from":%d,"to":%d}`+"\n", client, at, at+5)
			op("billing-0", "acquire", 3_000_000, "ok")
		}
		op(client, "release", 1_500_000, "ok")
	}
	return b.String()
}

// TestPage: what a page says, but for its style.
func TestPage(t *testing.T) {
	mutex := model.Spec{Kind: model.KindMutex}
	for _, test := range []struct {
		name  string
		spec  model.Spec
		lines string
	}{
		{"two_holders", mutex, sample(t, "two_holders.ndjson")},
		{"crash", mutex, sample(t, "crash.ndjson")},
		{"hostile", mutex, sample(t, "hostile.ndjson")},
		{"register", model.Spec{Kind: model.KindRegister}, sample(t, "register.ndjson")},
		{"legal_edn", mutex, sample(t, "legal.edn")},
		{"empty", mutex, sample(t, "empty.ndjson")},
		{"long", mutex, long(true)},
		{"long_legal", mutex, long(false)},
	} {
		t.Run(test.name, func(t *testing.T) {
			page := written(t, judge(t, test.spec, test.lines))
			sound(t, page)
			_, body, _ := strings.Cut(page, "<main>")
			body, _, _ = strings.Cut(body, "</main>")
			golden.File(t, "testdata/"+test.name+".golden", body)
		})
	}
}

// sound fails if a page is not well-formed, has a script or a reference to another file, or a
// style that its policy does not admit.
func sound(t interface {
	Errorf(format string, args ...any)
	Fatal(args ...any)
}, page string) {
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if !strings.Contains(html.UnescapeString(page), `content="`+policy+`"`) {
		t.Errorf("the page has no policy that admits its style alone")
	}
	for _, want := range []string{"prefers-color-scheme: dark", `<meta name="color-scheme" content="light dark">`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	markup := regexp.MustCompile(`>[^<]*<`).ReplaceAllString(strings.Replace(page, style, "", 1), "><")
	for _, bad := range []string{"<script", "<img", "data-", `\sstyle=`, `\son[a-z]+=`, `\ssrc=`, "href=", "https?://", "javascript:"} {
		if found := regexp.MustCompile(bad).FindString(markup); found != "" {
			t.Errorf("the page contains %q", found)
		}
	}
	if strings.ContainsAny(page, "\x00\x1b\u202e") {
		t.Errorf("the page has control characters")
	}
	_, body, _ := strings.Cut(page, "</head>")
	d := xml.NewDecoder(strings.NewReader(strings.TrimSuffix(strings.TrimSpace(body), "</html>")))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPageAny: of every history of every kind, with names of strangers, there is a page, in which
// no name is markup; it has the lines and the stamps of the operations that decide.
func TestPageAny(t *testing.T) {
	const evil = `</style><script>alert(1)</script><img src=x onerror=alert(2)>"'{{.}}` + "\x00\u202e"
	for _, kind := range model.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				spec := histories.Spec(rt, kind)
				calls := histories.Any(spec, 40).Draw(rt, "calls")
				var b strings.Builder
				w := history.NewWriter(&b)
				for i := range calls {
					calls[i].Client += evil
					if calls[i].Object != "" {
						calls[i].Object += evil
					}
					if err := w.Write(calls[i]); err != nil {
						rt.Fatal(err)
					}
				}
				_ = w.Annotate(history.Annotation{Text: evil, On: evil, From: 1, To: 9})
				h, err := history.Read(history.Options{}, history.Input{Reader: strings.NewReader(b.String())})
				if err != nil || judging.Check(spec, h) != nil {
					return
				}
				j := judging.Judge(context.Background(), spec, h, bound)
				page := written(rt, j)
				sound(rt, page)
				for i := range j.Objects {
					if v := j.Objects[i].Violation; v != nil && i < mostSections {
						for _, id := range v.Calls[:min(len(v.Calls), 10)] {
							if o := j.Origin(j.Call(id)); !strings.Contains(page, fmt.Sprintf(`<span class="where">%s</span>`, o)) {
								rt.Fatalf("%s is not on the page", o)
							}
						}
					}
				}
			})
		})
	}
}

// TestManyObjects: the first violated objects are shown, and the others counted.
func TestManyObjects(t *testing.T) {
	var b strings.Builder
	for i := range 9 {
		for c := range 2 {
			fmt.Fprintf(&b, `{"client":"c%d","object":"o%d","op":"acquire","call":%d,"return":%d,"outcome":"ok"}`+"\n", c, i, 10*i+4*c+1, 10*i+4*c+2)
		}
	}
	j := judge(t, model.Spec{Kind: model.KindMutex}, b.String())
	page := written(t, j)
	if n := strings.Count(page, `<section class="card" id="object`); n != mostSections || !strings.Contains(page, "and 4 objects more of which the same is true") || !strings.Contains(page, "9 of 9 objects are no mutex") {
		t.Errorf("%d sections", n)
	}
	if got := Shows(j); got != "5 of 9 objects" {
		t.Errorf("it shows %s", got)
	}
}

// TestStamps: long stamps that begin alike are shortened on the axis, and others are not.
func TestStamps(t *testing.T) {
	for _, test := range []struct {
		stamps []int64
		want   string
		says   string
	}{
		{[]int64{1, 2, 30}, "1 2 30", "your file."},
		{[]int64{1772359200100, 1772359200104, 1772359202204}, "…0100 …0104 …2204", "… stands for 177235920."},
		{[]int64{999999999, 1000000000}, "999999999 1000000000", "your file."},
	} {
		d := drawn{stamps: test.stamps}
		says := d.axis()
		var got []string
		for _, tick := range d.chart.Ticks {
			got = append(got, tick.Text)
		}
		if text := strings.Join(got, " "); text != test.want || !strings.HasSuffix(says, test.says) {
			t.Errorf("%s, want %s; %s", text, test.want, says)
		}
	}
}

// TestUntil: the end of a lease is the stamp of the file, not the number of its event.
func TestUntil(t *testing.T) {
	j := judge(t, model.Spec{Kind: model.KindLeased}, `{"id":1,"client":"c1","object":"o","op":"acquire","call":100000,"return":110000,"outcome":"ok","until":2100000}
{"client":"c1","object":"o","op":"extend","of":1,"call":2000000,"return":2010000,"outcome":"ok","until":4200000}
{"client":"c2","object":"o","op":"acquire","call":3000000,"return":3100000,"outcome":"ok","until":5000000}
`)
	page := written(t, j)
	for _, want := range []string{"acquire: ok, until 2100000<", "extend #1: ok, until 4200000<", "acquire: ok, until 5000000<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if found := regexp.MustCompile(`until [0-9]{1,2}\b`).FindString(page); found != "" {
		t.Errorf("the page says %q", found)
	}
	if text := j.Describe(j.Call(1)); text != "c1 acquire #1: ok, until 2100000" || j.Call(1).Until == 2100000 {
		t.Errorf("%s; the call is until %d", text, j.Call(1).Until)
	}
}

// TestManyDeciding: of more operations than there is room for, the page says how many it lacks.
func TestManyDeciding(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `{"client":"c%d","object":"o","op":"acquire","call":%d,"return":%d,"outcome":"ok"}`+"\n", i, 2*i+1, 2*i+2)
	}
	j := judge(t, model.Spec{Kind: model.KindSemaphore, Permits: 39}, b.String())
	v := j.Objects[0].Violation
	for v.Calls = nil; len(v.Calls) < 40; {
		v.Calls = append(v.Calls, len(v.Calls)+1)
	}
	page := written(t, j)
	if n := strings.Count(page, `<li class="step">`); n != mostDeciding || !strings.Contains(page, "and 28 more") || !strings.Contains(page, "40 are illegal by themselves. Shown are 10 of these") {
		t.Errorf("%d operations are listed, and the page does not say how many are not", n)
	}
}

// TestStyleSaysThingsOnce: no rule of the page's own style is written twice, nor a selector within
// one block.
func TestStyleSaysThingsOnce(t *testing.T) {
	block, seen := "", map[string]bool{}
	for line := range strings.Lines(pageCSS) {
		rule, indented := strings.TrimSpace(line), strings.HasPrefix(line, "  ")
		selector, _, _ := strings.Cut(rule, " {")
		switch {
		case strings.HasPrefix(rule, "@"):
			block = selector
			continue
		case rule == "}":
			block = ""
			continue
		}
		if indented != (block != "") {
			t.Errorf("%q is not indented as the block %q is", rule, block)
		}
		for _, what := range []string{rule, block + selector} {
			if seen[what] {
				t.Errorf("%q is there twice", what)
			}
			seen[what] = true
		}
	}
}

// TestAnnotations: an annotation is drawn where its stamps are among those of the events, and
// listed with its stamps.
func TestAnnotations(t *testing.T) {
	const lines = `{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":4,"outcome":"ok"}
{"client":"c2","object":"o","op":"acquire","try":true,"call":3,"return":6,"outcome":"failed"}
{"client":"c1","object":"o","op":"release","of":1,"call":10,"return":18,"outcome":"ok"}
`
	for _, test := range []struct {
		from, to  int64
		left, end float64 // 0 to 5: the stamps 1, 3, 4, 6, 10, 18
		says      string
	}{
		{7, 9, 3.25, 3.75, "c1: x, from 7 to 9"},
		{5, 9, 2.5, 3.75, "c1: x, from 5 to 9"},
		{11, 15, 4.2, 4.625, "c1: x, from 11 to 15"},
		{11, 12, 4.2, 4.5, "c1: x, from 11 to 12"},
		{3, 10, 1, 4, "c1: x, from 3 to 10"},
		{4, 4, 2, 2, "c1: x, at 4"},
		{5, 5, 2.5, 2.5, "c1: x, at 5"},
		{16, 30, 4.75, 5.5, "c1: x, from 16 to 30"},
	} {
		j := judge(t, model.Spec{Kind: model.KindMutex}, lines+fmt.Sprintf(`{"annotation":"x","on":"c1","from":%d,"to":%d}`, test.from, test.to))
		v := &j.Objects[0]
		s := section{window: j.Window(v)}
		var d drawn
		d.place(j, s.window)
		list := s.annotations(j)
		if len(list) != 1 || s.Annotations[0] != test.says {
			t.Fatalf("%d to %d: %+v, want %s", test.from, test.to, s.Annotations, test.says)
		}
		left, end := d.span(list[0])
		if math.Abs(left-test.left)+math.Abs(end-test.end) > 1e-9 {
			t.Errorf("%d to %d: drawn from %g to %g, want %g to %g", test.from, test.to, left, end, test.left, test.end)
		}
	}
}
